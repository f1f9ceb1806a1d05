package main

import "slices"

// vec is the number of a vector register.
func (f *neon) vec(v vec) int {
	if v < 0 {
		return vecB + int(-1-v)
	}
	return int(v)
}

// element is the place of a constant in its register.
func (f *neon) element(constant string) int { return slices.Index(f.constants, constant) }

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
	f.byElement("FMUL", f.vec(dst), f.vec(dst), vecConst, f.element(constant))
}

func (f *neon) add(dst, v vec) { f.three("FADD", f.vec(dst), f.vec(dst), f.vec(v)) }

func (f *neon) sub(dst, v vec) { f.three("FSUB", f.vec(dst), f.vec(dst), f.vec(v)) }

func (f *neon) addPanel(dst, v vec, panel string, p place) {
	f.load(panel, p, f.vec(temp(0)))
	f.three("FADD", f.vec(dst), f.vec(v), f.vec(temp(0)))
}

func (f *neon) addScaled(dst vec, constant string, v vec) {
	f.byElement("FMLA", f.vec(dst), f.vec(v), vecConst, f.element(constant))
}

func (f *neon) subScaled(dst, v vec, constant, panel string, p place) {
	f.load(panel, p, f.vec(temp(0)))
	f.line("VMOV V%d.B16, V%d.B16", f.vec(v), f.vec(dst))
	f.byElement("FMLS", f.vec(dst), f.vec(temp(0)), vecConst, f.element(constant))
}

// negScaledSub finds the constant negated.
func (f *neon) negScaledSub(dst vec, constant string, v vec) {
	f.byElement("FMUL", f.vec(dst), f.vec(dst), vecConst, f.element(constant))
	f.sub(dst, v)
}

func (f *neon) mulRow(dst vec, p place) {
	f.rowValue(p)
	f.byElement("FMUL", f.vec(dst), f.vec(dst), f.vec(temp(0)), 0)
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
	f.negate(lo, hi)
	f.three("FMIN", f.vec(dst), f.vec(v), hi)
	f.three("FMAX", f.vec(dst), f.vec(dst), lo)
}

// clipNaN is clip: FMIN and FMAX return NaN if one of their operands is.
func (f *neon) clipNaN(dst, v vec, bounds string, p place) { f.clip(dst, v, bounds, p) }

// The encodings are in the Arm Architecture Reference Manual for A-profile, section C7.2 (SIMD and floating-point
// instructions), for vectors of four single-precision lanes.

var encoding = map[string]uint32{
	"FADD": 0x4e20d400, "FSUB": 0x4ea0d400, "FMIN": 0x4ea0f400, "FMAX": 0x4e20f400, // three registers
	"FMLA": 0x4f801000, "FMLS": 0x4f805000, "FMUL": 0x4f809000, // by element
	"FNEG": 0x6ea0f800,
}

func (f *neon) three(op string, d, n, m int) {
	f.line("WORD $%#08x // %s V%d.4S, V%d.4S, V%d.4S", encoding[op]|uint32(m<<16|n<<5|d), op, d, n, m)
}

// byElement is op with element e of register m for all lanes.
func (f *neon) byElement(op string, d, n, m, e int) {
	f.line("WORD $%#08x // %s V%d.4S, V%d.4S, V%d.S[%d]", encoding[op]|uint32(e&1<<21|m<<16|e>>1<<11|n<<5|d), op, d, n, m, e)
}

func (f *neon) negate(d, n int) {
	f.line("WORD $%#08x // FNEG V%d.4S, V%d.4S", encoding["FNEG"]|uint32(n<<5|d), d, n)
}
