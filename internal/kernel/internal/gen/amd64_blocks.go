package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Blocks are computed in float64, in the order of the plain Go version and without joining products and sums. So the
// results are the same bytes.

func (f *x86) blocks() {
	f.transformLines()
	for _, e := range energies {
		f.energies(e.name, e.sums, e.bands)
	}
}

// double returns a constant in memory, in all lanes.
func (f *x86) double(v float64) operand.Mem {
	bits := math.Float64bits(v)
	name := fmt.Sprintf("d%016x%s", bits, f.suffix)
	if m, ok := f.tables[name]; ok {
		return m
	}
	m := f.StaticGlobal(name)
	f.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range f.width / 2 {
		f.AddDatum(8*i, operand.U64(bits))
	}
	f.tables[name] = m
	return m
}

// evens returns the coefficients of even frequency of lines of samples.
func (f *x86) evens(sample func(i int) operand.Op) (c [eight]reg.VecVirtual) {
	var s [4]reg.VecVirtual
	for i := range s {
		s[i] = f.vector()
		f.VMOVUPD(sample(i), s[i])
		f.VADDPD(sample(7-i), s[i], s[i])
	}
	outer, inner := f.vector(), f.vector()
	f.VSUBPD(s[3], s[0], outer)
	f.VSUBPD(s[2], s[1], inner)
	c[2], c[6] = f.weighted(2, outer, inner), f.weighted(6, outer, inner)
	f.VADDPD(s[3], s[0], s[0])
	f.VADDPD(s[2], s[1], s[1])
	f.VSUBPD(s[1], s[0], s[2])
	f.VADDPD(s[1], s[0], s[0])
	f.VMULPD(f.double(element(0, 0)), s[0], s[0])
	f.VMULPD(f.double(element(4, 0)), s[2], s[2])
	c[0], c[4] = s[0], s[2]
	return c
}

// differences returns what weighted takes for odd frequencies.
func (f *x86) differences(sample func(i int) operand.Op) (d []reg.VecVirtual) {
	d = f.vectors(4)
	for i := range d {
		f.VMOVUPD(sample(i), d[i])
		f.VSUBPD(sample(7-i), d[i], d[i])
	}
	return d
}

// weighted returns the sum of vectors times the first elements of a frequency, from the first to the last.
func (f *x86) weighted(frequency int, v ...reg.VecVirtual) reg.VecVirtual {
	sum, product := f.vector(), f.vector()
	f.VMULPD(f.double(element(frequency, 0)), v[0], sum)
	for i := 1; i < len(v); i++ {
		f.VMULPD(f.double(element(frequency, i)), v[i], product)
		f.VADDPD(product, sum, sum)
	}
	return sum
}

// transformLines transforms as many lines as a vector has lanes at a time.
func (f *x86) transformLines() {
	f.function("transformLines", "func(dst, src []float64, n int)", sameAs("transformLines"))
	dst, src, left, step := f.base("dst"), f.base("src"), f.int("n"), f.GP64()
	f.MOVQ(left, step)
	f.SHLQ(operand.Imm(3), step)
	row := func(base reg.Register) func(i int) operand.Op { // of eight that are a step apart
		third, sixth := f.GP64(), f.GP64()
		f.LEAQ(operand.Mem{Base: base, Index: step, Scale: 2}, third)
		f.ADDQ(step, third)
		f.LEAQ(operand.Mem{Base: third, Index: step, Scale: 2}, sixth)
		f.ADDQ(step, sixth)
		return func(i int) operand.Op {
			switch i {
			case 0, 3, 6:
				return operand.Mem{Base: []reg.Register{base, third, sixth}[i/3]}
			case 1, 2, 4:
				return operand.Mem{Base: base, Index: step, Scale: uint8(i)}
			}
			return operand.Mem{Base: third, Index: step, Scale: uint8(i - 3)}
		}
	}
	f.Label("lines")
	from, to := row(src), row(dst)
	c := f.evens(from)
	d := f.differences(from) // before anything is stored: dst may be src
	for i := 0; i < eight; i += 2 {
		f.VMOVUPD(c[i], to(i))
	}
	for i := 1; i < eight; i += 2 {
		f.VMOVUPD(f.weighted(i, d...), to(i))
	}
	f.ADDQ(operand.Imm(uint64(4*f.width)), src)
	f.ADDQ(operand.Imm(uint64(4*f.width)), dst)
	f.SUBQ(operand.Imm(uint64(f.width/2)), left)
	f.JNZ(operand.LabelRef("lines"))
	f.VZEROUPPER()
	f.RET()
}

// energies takes as many blocks as a vector has lanes at a time, and their frequencies one after the other.
func (f *x86) energies(name string, sums int, bands func(v, u int) int) {
	f.function(name, "func(sums, columns []float64, places *[8]int, n, stride int)", sameAs(name))
	columns, places, at := f.base("columns"), f.load(f.Param("places")), f.GP64()
	var column [eight]reg.GPVirtual
	for i := range column {
		column[i] = f.GP64()
		f.MOVQ(operand.Mem{Base: places, Disp: 8 * i}, column[i])
		f.LEAQ(operand.Mem{Base: columns, Index: column[i], Scale: 8}, column[i])
	}
	sample := func(i int) operand.Op { return operand.Mem{Base: column[i], Index: at, Scale: 1} }
	out, done := f.base("sums"), f.GP64()
	f.XORQ(done, done)
	f.Label("blocks")
	f.MOVQ(done, at)
	sum, product := f.vectors(sums), f.vector()
	f.clear(sum...)
	for v := range eight {
		c := f.evens(sample)
		if v == 0 {
			f.VMOVUPD(c[0], operand.Mem{Base: out})
		}
		var d []reg.VecVirtual
		for u := range eight {
			band := bands(v, u)
			if band < 0 {
				continue
			}
			if u%2 == 1 {
				if d == nil {
					d = f.differences(sample)
				}
				c[u] = f.weighted(u, d...)
			}
			f.VMULPD(c[u], c[u], product)
			f.VADDPD(product, sum[band], sum[band])
		}
		stride := f.int("stride")
		f.LEAQ(operand.Mem{Base: at, Index: stride, Scale: 8}, at)
	}
	row, step := f.GP64(), f.int("n")
	f.MOVQ(out, row)
	for _, s := range sum {
		f.LEAQ(operand.Mem{Base: row, Index: step, Scale: 8}, row)
		f.VMOVUPD(s, operand.Mem{Base: row})
	}
	f.ADDQ(operand.Imm(uint64(4*f.width)), out)
	f.ADDQ(operand.Imm(uint64(4*f.width)), done)
	f.SHLQ(operand.Imm(3), step)
	f.CMPQ(done, step)
	f.JL(operand.LabelRef("blocks"))
	f.VZEROUPPER()
	f.RET()
}
