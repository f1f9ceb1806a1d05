package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The constants of logarithms, which must be the same as in package kernel.
const (
	logOctave = math.Ln2 / (1 << mantissaBits)
	logOfOne  = exponentBias * math.Ln2
	logFloor  = 0.125
)

// group is the number of vectors that loops over panels take at a time. It divides the vectors of a row.
const group = 3

// problemsX86 writes loops that take logarithms of panels. The constants of these are in registers.
type problemsX86 struct {
	*x86
	magnitude, floor, octave, one reg.VecVirtual
}

func (f *x86) problems() {
	write := func(name, signature string, body func(*problemsX86)) {
		f.function(name, signature, sameAs(name))
		p := &problemsX86{f, f.vector(), f.vector(), f.vector(), f.vector()}
		f.broadcast(math.Float32frombits(1<<31-1), p.magnitude)
		f.broadcast(logFloor, p.floor)
		f.broadcast(logOctave, p.octave)
		f.broadcast(logOfOne, p.one)
		body(p)
		f.VZEROUPPER()
		f.RET()
	}
	write("logs", "func(dst, v []float32)", (*problemsX86).logs)
	write("logsOfDifference", "func(dst, a, b []float32)", (*problemsX86).logsOfDifference)
	f.logMagnitudes()
	write("solve", "func(z, u, v, y, p, skip, most []float32)", (*problemsX86).solve)
}

// logMagnitudes writes a loop over panels that takes the logarithms of weights.
func (f *x86) logMagnitudes() {
	f.function("logMagnitudes", "func(dst, v []float32)", sameAs("logMagnitudes"))
	p := &problemsX86{x86: f, magnitude: f.vector(), floor: f.vector(), octave: f.vector()}
	f.broadcast(math.Float32frombits(1<<31-1), p.magnitude)
	f.broadcast(noisyFloor, p.floor)
	f.broadcast(math.Ln2, p.octave)
	dst, v := f.base("dst"), f.base("v")
	p.each(f.load(f.Param("v").Len()), func(at func(reg.Register) operand.Mem) {
		x := f.vector()
		f.VANDPS(at(v), p.magnitude, x)
		f.VADDPS(p.floor, x, x)
		f.log([]reg.VecVirtual{x})
		f.VMULPS(p.octave, x, x)
		f.VMOVUPS(x, at(dst))
	})
	f.VZEROUPPER()
	f.RET()
}

// logOf replaces x by its logarithm.
func (f *problemsX86) logOf(x reg.VecVirtual) {
	f.VANDPS(f.magnitude, x, x)
	f.VADDPS(f.floor, x, x)
	f.VCVTDQ2PS(x, x)
	f.VMULPS(f.octave, x, x)
	f.VSUBPS(f.one, x, x)
}

// each calls do for every vector of a panel of left values. The function offset returns where that vector is in a panel
// that starts at base.
func (f *problemsX86) each(left reg.GPVirtual, do func(offset func(base reg.Register) operand.Mem)) {
	offset := f.GP64()
	f.XORQ(offset, offset)
	f.Label("values")
	for i := range group {
		do(func(base reg.Register) operand.Mem {
			return operand.Mem{Base: base, Index: offset, Scale: 1, Disp: 4 * f.width * i}
		})
	}
	f.ADDQ(operand.U32(uint32(4*f.width*group)), offset)
	f.SUBQ(operand.Imm(uint64(f.width*group)), left)
	f.JNZ(operand.LabelRef("values"))
}

func (f *problemsX86) logs() {
	dst, v := f.base("dst"), f.base("v")
	f.each(f.load(f.Param("v").Len()), func(at func(reg.Register) operand.Mem) {
		x := f.vector()
		f.VMOVUPS(at(v), x)
		f.logOf(x)
		f.VMOVUPS(x, at(dst))
	})
}

func (f *problemsX86) logsOfDifference() {
	dst, a, b := f.base("dst"), f.base("a"), f.base("b")
	f.each(f.load(f.Param("a").Len()), func(at func(reg.Register) operand.Mem) {
		x := f.vector()
		f.VMOVUPS(at(a), x)
		f.VSUBPS(at(b), x, x)
		f.logOf(x)
		f.VMOVUPS(x, at(dst))
	})
}

// solve takes a row at a time, and a vector of it.
func (f *problemsX86) solve() {
	z, u, v, y, p := f.base("z"), f.base("u"), f.base("v"), f.base("y"), f.base("p")
	most, left := f.base("most"), f.load(f.Param("most").Len())
	// the first factors of the row, and the distance to the next ones
	threshold, pull, step := f.base("skip"), f.GP64(), f.GP64()
	f.MOVQ(left, step)
	f.SHLQ(operand.Imm(2), step)
	f.LEAQ(operand.Mem{Base: step, Index: step, Scale: 2}, pull)
	f.ADDQ(threshold, pull)
	zero := f.vector()
	f.clear(zero)
	f.Label("row")
	for i := range lanes / f.width {
		at := func(base reg.Register) operand.Mem { return operand.Mem{Base: base, Disp: 4 * f.width * i} }
		y, p := f.loaded(at(y)), f.loaded(at(p))
		t, a := f.loaded(at(u)), f.loaded(at(v))
		for j := range 3 {
			x := f.vector()
			switch j {
			case 0:
				f.VMOVAPS(p, x)
			case 1:
				f.VSUBPS(p, y, x)
			case 2:
				f.VMOVAPS(y, x)
			}
			f.logOf(x)
			f.addProduct(t, x, threshold, step, j)
			f.addProduct(a, x, pull, step, j)
		}
		f.limit(t, most)
		f.sigmoid(a)
		f.VSUBPS(y, p, p)
		f.VMULPS(a, p, p)
		f.VADDPS(y, p, p)
		f.shrink(p, t, zero)
		f.VMOVUPS(p, at(z))
	}
	for _, panel := range []reg.GPVirtual{z, u, v, y, p} {
		f.ADDQ(operand.U32(4*lanes), panel)
	}
	for _, factor := range []reg.GPVirtual{threshold, pull, most} {
		f.ADDQ(operand.Imm(4), factor)
	}
	f.DECQ(left)
	f.JNZ(operand.LabelRef("row"))
}

func (f *problemsX86) loaded(m operand.Mem) reg.VecVirtual {
	v := f.vector()
	f.VMOVUPS(m, v)
	return v
}

// addProduct adds x times factor j to sum.
func (f *problemsX86) addProduct(sum, x reg.VecVirtual, factors, step reg.Register, j int) {
	m, product := operand.Mem{Base: factors}, f.vector()
	if j > 0 {
		m.Index, m.Scale = step, uint8(j)
	}
	f.VBROADCASTSS(m, product)
	f.VMULPS(x, product, product)
	f.VADDPS(product, sum, sum)
}

// root returns sqrt(v^2 + 4).
func (f *problemsX86) root(v reg.VecVirtual) reg.VecVirtual {
	r := f.vector()
	f.VMULPS(v, v, r)
	f.withConstant(f.VADDPS, f.VADDPS_BCST, 4, r, r)
	f.VSQRTPS(r, r)
	return r
}

// limit makes a threshold positive and at most as large as said. VMINPS returns its first operand (the last in Intel's
// order) if one is NaN.
func (f *problemsX86) limit(t reg.VecVirtual, most reg.Register) {
	f.VADDPS(f.root(t), t, t)
	f.withConstant(f.VMULPS, f.VMULPS_BCST, 0.5, t, t)
	m := f.vector()
	f.VBROADCASTSS(operand.Mem{Base: most}, m)
	f.VMINPS(m, t, t)
}

func (f *problemsX86) sigmoid(a reg.VecVirtual) {
	f.VDIVPS(f.root(a), a, a)
	f.withConstant(f.VADDPS, f.VADDPS_BCST, 1, a, a)
	f.withConstant(f.VMULPS, f.VMULPS_BCST, 0.5, a, a)
}

// shrink moves x towards zero by t.
func (f *problemsX86) shrink(x, t, zero reg.VecVirtual) {
	const greater = 0x1e
	rest := f.vector()
	f.VANDPS(f.magnitude, x, rest)
	f.VANDNPS(x, f.magnitude, x) // the sign
	f.VSUBPS(t, rest, rest)
	if f.width == 16 {
		k := f.K()
		f.VCMPPS(operand.Imm(greater), zero, rest, k)
		f.VORPS_Z(x, rest, k, x)
		return
	}
	f.VORPS(x, rest, x)
	f.VCMPPS(operand.Imm(greater), zero, rest, rest)
	f.VANDPS(rest, x, x)
}
