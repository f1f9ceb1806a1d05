package main

import "slices"

// vec returns the number of a vector register.
func (f *neon) vec(v vec) int {
	if v < 0 {
		return vecB + int(-1-v)
	}
	return int(v)
}

// constant returns the register of a constant, and its lane.
func (f *neon) constant(name string) (v, element int) {
	i := slices.Index(f.constants, name)
	return vecConst - i/4, i % 4
}

// byConstant writes op with a constant for all lanes.
func (f *neon) byConstant(op string, d, n vec, constant string) {
	v, element := f.constant(constant)
	f.byElement(op, f.vec(d), f.vec(n), v, element)
}

func (f *neon) load(panel string, p place, v int) {
	f.line("FMOVQ %d(%s), F%d", f.offset(p), f.address(panel), v)
}

func (f *neon) store(panel string, p place, v vec) {
	f.line("FMOVQ F%d, %d(%s)", f.vec(v), f.offset(p), f.address(panel))
}

func (f *neon) zero(dst vec) {
	f.line("VEOR V%d.B16, V%d.B16, V%d.B16", f.vec(dst), f.vec(dst), f.vec(dst))
}

func (f *neon) move(dst, v vec) { f.line("VMOV V%d.B16, V%d.B16", f.vec(v), f.vec(dst)) }

func (f *neon) scale(dst vec, constant string) {
	f.byConstant("FMUL", dst, dst, constant)
}

func (f *neon) add(dst, v vec) { f.three("FADD", f.vec(dst), f.vec(dst), f.vec(v)) }

func (f *neon) sub(dst, v vec) { f.three("FSUB", f.vec(dst), f.vec(dst), f.vec(v)) }

func (f *neon) addPanel(dst, v vec, panel string, p place) {
	f.load(panel, p, f.vec(temp(0)))
	f.three("FADD", f.vec(dst), f.vec(v), f.vec(temp(0)))
}

func (f *neon) addScaled(dst vec, constant string, v vec) {
	f.byConstant("FMLA", dst, v, constant)
}

func (f *neon) subScaled(dst, v vec, constant, panel string, p place) {
	f.load(panel, p, f.vec(temp(0)))
	f.line("VMOV V%d.B16, V%d.B16", f.vec(v), f.vec(dst))
	f.byConstant("FMLS", dst, temp(0), constant)
}

// negScaledSub multiplies by the constant, which body has negated.
func (f *neon) negScaledSub(dst vec, constant string, v vec) {
	f.byConstant("FMUL", dst, dst, constant)
	f.sub(dst, v)
}

func (f *neon) mulRow(dst vec, p place) {
	f.rowValue(p)
	f.byElement("FMUL", f.vec(dst), f.vec(dst), f.vec(temp(0)), 0)
}

func (f *neon) addRow(dst vec, p place) {
	value := f.vec(temp(0))
	f.rowValue(p)
	f.line("VDUP V%d.S[0], V%d.S4", value, value)
	f.three("FADD", f.vec(dst), f.vec(dst), value)
}

func (f *neon) cut(dst vec) {
	zero := temp(0)
	f.zero(zero)
	f.three("FMAX", f.vec(dst), f.vec(dst), f.vec(zero))
}

// rowValue loads the value for the row of p.
func (f *neon) rowValue(p place) {
	f.line("FMOVS %d(%s), F%d", 4*p.i, f.address(f.perRow), f.vec(temp(0)))
}

func (f *neon) clip(dst, v vec, bounds string, p place) {
	hi, lo := f.vec(temp(0)), f.vec(temp(1))
	if bounds == f.perRow {
		f.rowValue(p)
		f.line("VDUP V%d.S[0], V%d.S4", hi, hi)
	} else {
		f.load(bounds, p, hi)
	}
	f.two("FNEG", lo, hi)
	f.three("FMIN", f.vec(dst), f.vec(v), hi)
	f.three("FMAX", f.vec(dst), f.vec(dst), lo)
}

// clipNaN is the same as clip: FMIN and FMAX return NaN if an operand is NaN.
func (f *neon) clipNaN(dst, v vec, bounds string, p place) { f.clip(dst, v, bounds, p) }
