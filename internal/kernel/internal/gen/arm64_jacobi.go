package main

import "math"

// jacobi writes the kernel of PrincipalAxes, for all matrices at once: an element is four vectors. Denormals are kept,
// as in plain Go.
//
// R0 is gram, R1 is axes minus gram, and R2 counts sweeps. R3 and R4 are p and q times the size of an element, R5 and
// R6 are rows p and q of gram. R7 and R8 are the elements to rotate, and R9 is where R7 ends. R10 and R11 are the sizes
// of an element and of a row. V0-V3 are the cosines of the rotation and V4-V7 its sines. V28-V30 are constants.
func (f *neon) jacobi() {
	f.line("MOVD %s, R0", f.base("gram"))
	f.line("MOVD %s, R1", f.base("axes"))
	f.line("SUB R0, R1")
	f.line("MOVD %s, R2", f.value("sweeps"))
	f.line("MOVD $%d, R10", axesElement)
	f.line("MOVD $%d, R11", axesRow)
	f.fill(jacobiTiny, 1e-37)
	f.fill(jacobiOne, 1)
	f.fill(jacobiSign, float32(math.Copysign(0, -1)))

	f.label("sweep")
	f.line("MOVD R10, R3")
	f.line("ADD R11, R0, R5")
	f.label("p")
	f.line("ADD R10, R3, R4")
	f.line("ADD R11, R5, R6")
	f.label("q")
	f.angle()
	// k < p: columns p and q from row 1 to row p.
	f.line("ADD R11, R0, R7")
	f.line("ADD R4, R7, R8")
	f.line("ADD R3, R7")
	f.line("ADD R3, R5, R9")
	f.rotate("above", "R11", "R11")
	// p < k < q: row p and column q.
	f.line("ADD R10, R7")
	f.line("ADD R11, R8")
	f.line("ADD R4, R5, R9")
	f.rotate("between", "R10", "R11")
	// k > q: rows p and q.
	f.line("ADD R10, R7")
	f.line("ADD R10, R8")
	f.line("ADD R11, R5, R9")
	f.rotate("right", "R10", "R10")
	// Rows p and q of the axes, without column 0.
	f.line("ADD R1, R9")
	f.line("ADD R1, R5, R7")
	f.line("ADD R10, R7")
	f.line("ADD R1, R6, R8")
	f.line("ADD R10, R8")
	f.rotate("axes", "R10", "R10")

	f.line("ADD R10, R4")
	f.line("ADD R11, R6")
	f.line("CMP R11, R4")
	f.line("BNE q")
	f.line("ADD R10, R3")
	f.line("ADD R11, R5")
	f.line("CMP $%d, R3", axesRow-axesElement)
	f.line("BNE p")
	f.line("SUBS $1, R2")
	f.line("BNE sweep")
	f.line("RET")
}

const jacobiTiny, jacobiOne, jacobiSign = 28, 29, 30

// angle computes the rotation that makes element (p, q) zero, and writes elements (p, p), (p, q) and (q, q).
func (f *neon) angle() {
	const c, s, pp, pq, qq, d, t = 0, 4, 8, 12, 16, 20, 24
	const tiny, one, sign = jacobiTiny, jacobiOne, jacobiSign
	places := []struct {
		row, column, at string
		v               int
	}{{"R5", "R3", "R7", pp}, {"R5", "R4", "R8", pq}, {"R6", "R4", "R9", qq}}
	for _, p := range places {
		f.line("ADD %s, %s, %s", p.column, p.row, p.at)
		f.line("VLD1 (%s), %s", p.at, list(p.v, blockVectors))
	}
	twice := s
	f.all(0, func(i int) {
		f.three("FSUB", d+i, qq+i, pp+i)
		f.three("FADD", twice+i, pq+i, pq+i)
	})
	f.all(0, func(i int) { f.three("FMULV", t+i, d+i, d+i) })
	f.all(0, func(i int) { f.line("VFMLA V%d.S4, V%d.S4, V%d.S4", twice+i, twice+i, t+i) })
	f.all(0, func(i int) {
		f.two("FSQRT", t+i, t+i)
		f.line("VAND V%d.B16, V%d.B16, V%d.B16", sign, d+i, c+i)
		f.line("VEOR V%d.B16, V%d.B16, V%d.B16", c+i, twice+i, twice+i) // with the sign of D
		f.two("FABS", d+i, d+i)
	})
	f.all(0, func(i int) { f.three("FADD", t+i, t+i, tiny) })
	f.all(0, func(i int) { f.three("FADD", t+i, t+i, d+i) })
	f.all(0, func(i int) { f.three("FDIV", t+i, twice+i, t+i) })
	f.all(0, func(i int) {
		f.line("VMOV V%d.B16, V%d.B16", one, c+i)
		f.line("VFMLA V%d.S4, V%d.S4, V%d.S4", t+i, t+i, c+i)
	})
	f.all(0, func(i int) { f.two("FSQRT", c+i, c+i) })
	f.all(0, func(i int) { f.three("FDIV", c+i, one, c+i) })
	f.all(0, func(i int) {
		f.line("VFMLS V%d.S4, V%d.S4, V%d.S4", pq+i, t+i, pp+i)
		f.line("VFMLA V%d.S4, V%d.S4, V%d.S4", pq+i, t+i, qq+i)
		f.three("FMULV", s+i, t+i, c+i)
	})
	f.clear(pq, blockVectors)
	for _, p := range places {
		f.line("VST1 %s, (%s)", list(p.v, blockVectors), p.at)
	}
}

// rotate rotates pairs of elements from R7 and R8 on, until R7 is at R9.
func (f *neon) rotate(label, stepX, stepY string) {
	const c, s, x, y, u, v = 0, 4, 8, 12, 16, 20
	f.line("B %s_test", label)
	f.label(label)
	f.line("VLD1 (R7), %s", list(x, blockVectors))
	f.line("VLD1 (R8), %s", list(y, blockVectors))
	for i := range blockVectors {
		f.three("FMULV", u+i, c+i, x+i)
		f.three("FMULV", v+i, s+i, x+i)
	}
	for i := range blockVectors {
		f.line("VFMLS V%d.S4, V%d.S4, V%d.S4", y+i, s+i, u+i)
		f.line("VFMLA V%d.S4, V%d.S4, V%d.S4", y+i, c+i, v+i)
	}
	f.line("VST1.P %s, (R7)(%s)", list(u, blockVectors), stepX)
	f.line("VST1.P %s, (R8)(%s)", list(v, blockVectors), stepY)
	f.label(label + "_test")
	f.line("CMP R9, R7")
	f.line("BNE %s", label)
}
