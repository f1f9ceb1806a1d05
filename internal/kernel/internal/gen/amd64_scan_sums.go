package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// scan sums the columns of all rows of references, then those of each reference. By then the stores of the first part
// are done, so that loads need not wait for them.
func (f *scanX86) scan() {
	f.loop("scan", scanSize,
		"func(hits []int32, near, sums, a, b, bounds []float32, places []int32, ys []int, size, columns, pitch int) "+
			"int")
	f.sumColumns()
	f.sumReferences()
}

func (f *scanX86) sumColumns() {
	s := f.newSamples()
	to, ys, left := f.base("sums"), f.base("ys"), f.load(f.Param("ys").Len())
	f.Label("row")
	y, vectors := f.GP64(), f.int("columns")
	f.MOVQ(operand.Mem{Base: ys}, y)
	f.IMULQ(s.pitch, y)
	s.start(y)
	f.Label("columns")
	sum := f.vector()
	f.sumColumn(0, scanSize, sum, func(r int, v reg.VecVirtual) {
		f.VMOVUPS(s.b.at(r, 0), v)
		f.VSUBPS(s.a.at(r, 0), v, v)
		f.VMULPS(v, v, v)
	})
	f.VMOVUPS(sum, operand.Mem{Base: to})
	f.ADDQ(operand.Imm(uint64(4*f.width)), to)
	s.a.advance(f)
	s.b.advance(f)
	f.SUBQ(operand.Imm(uint64(f.width)), vectors)
	f.JNZ(operand.LabelRef("columns"))
	f.ADDQ(operand.Imm(8), ys)
	f.DECQ(left)
	f.JNZ(operand.LabelRef("row"))
}

// sumReferences takes as many references at a time as a vector has lanes.
func (f *scanX86) sumReferences() {
	hits, near, n := f.base("hits"), f.base("near"), f.GP64()
	f.XORQ(n, n)
	sums, bounds, places, left := f.base("sums"), f.base("bounds"), f.base("places"), f.load(f.Param("bounds").Len())
	index, step := f.vector(), f.vector()
	f.VMOVUPS(f.lanes, index)
	f.broadcastInt(f.width, step)
	f.Label("references")
	all := f.eightSums(sums, places, 0)
	if f.width == 16 {
		wide := f.ZMM()
		f.VINSERTF64X4(operand.Imm(1), f.eightSums(sums, places, 8), all.(asZ).AsZ(), wide)
		all = wide
	}
	f.collect(hits, near, n, index, all, operand.Mem{Base: bounds})
	f.VPADDD(step, index, index)
	f.ADDQ(operand.Imm(uint64(4*f.width)), bounds)
	f.ADDQ(operand.Imm(uint64(4*f.width)), places)
	f.SUBQ(operand.Imm(uint64(f.width)), left)
	f.JNZ(operand.LabelRef("references"))
	f.Store(n, f.ReturnIndex(0))
	f.VZEROUPPER()
	f.RET()
}

type asZ interface{ AsZ() reg.Register }

// eightSums returns the sums of eight references, from a number on.
func (f *scanX86) eightSums(sums, places reg.GPVirtual, first int) reg.VecVirtual {
	var u [2]reg.VecVirtual // the sums of the left and of the right half of four patches
	for i := range u {
		v := f.ymms(4)
		for j := range v {
			place := f.GP64()
			f.MOVLQSX(operand.Mem{Base: places, Disp: 4 * (first + 4*i + j)}, place)
			f.VMOVUPS(operand.Mem{Base: sums, Index: place, Scale: 4}, v[j])
		}
		f.VHADDPS(v[1], v[0], v[0])
		f.VHADDPS(v[3], v[2], v[2])
		f.VHADDPS(v[2], v[0], v[0])
		u[i] = v[0]
	}
	left := f.YMM()
	f.VINSERTF128(operand.Imm(1), u[1].AsX(), u[0], left)
	f.VPERM2F128(operand.Imm(0x31), u[1], u[0], u[0])
	f.VADDPS(u[0], left, left)
	return left
}

func (f *scanX86) ymms(n int) []reg.VecVirtual {
	v := make([]reg.VecVirtual, n)
	for i := range v {
		v[i] = f.YMM()
	}
	return v
}

// sumColumn adds n rows of a vector pairwise. load puts one of them into a register.
func (f *scanX86) sumColumn(from, n int, sum reg.VecVirtual, load func(r int, v reg.VecVirtual)) {
	if n == 1 {
		load(from, sum)
		return
	}
	other := f.vector()
	f.sumColumn(from, n/2, sum, load)
	f.sumColumn(from+n/2, n/2, other, load)
	f.VADDPS(other, sum, sum)
}

// samples addresses the samples of a and b.
type samples struct {
	f      *scanX86
	pitch  reg.GPVirtual // in bytes
	pitch3 reg.GPVirtual
	a, b   patchRows
}

// patchRows addresses eight rows of samples.
type patchRows struct {
	s        *samples
	base     reg.GPVirtual // parameter
	row      reg.GPVirtual // address in the first row
	fromFour reg.GPVirtual // three rows further
}

// newSamples loads the parameters a, b and pitch.
func (f *scanX86) newSamples() *samples {
	s := &samples{f: f, pitch: f.bytes("pitch"), pitch3: f.GP64()}
	f.LEAQ(operand.Mem{Base: s.pitch, Index: s.pitch, Scale: 2}, s.pitch3)
	s.a = patchRows{s, f.base("a"), f.GP64(), f.GP64()}
	s.b = patchRows{s, f.base("b"), f.GP64(), f.GP64()}
	return s
}

// start goes to an offset in bytes.
func (s *samples) start(offset reg.GPVirtual) {
	for _, p := range []patchRows{s.a, s.b} {
		s.f.LEAQ(operand.Mem{Base: p.base, Index: offset, Scale: 1}, p.row)
		s.f.LEAQ(operand.Mem{Base: p.row, Index: s.pitch3, Scale: 1}, p.fromFour)
	}
}

// at returns the address of column c of row r.
func (p patchRows) at(r, c int) operand.Mem {
	m := []operand.Mem{
		{Base: p.row}, {Base: p.row, Index: p.s.pitch, Scale: 1}, {Base: p.row, Index: p.s.pitch, Scale: 2},
		{Base: p.fromFour}, {Base: p.fromFour, Index: p.s.pitch, Scale: 1},
		{Base: p.fromFour, Index: p.s.pitch, Scale: 2},
		{Base: p.fromFour, Index: p.s.pitch3, Scale: 1}, {Base: p.fromFour, Index: p.s.pitch, Scale: 4},
	}[r]
	m.Disp = 4 * c
	return m
}

// advance goes to the next vector.
func (p patchRows) advance(f *scanX86) {
	f.ADDQ(operand.Imm(uint64(4*f.width)), p.row)
	f.ADDQ(operand.Imm(uint64(4*f.width)), p.fromFour)
}
