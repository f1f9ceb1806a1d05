package main

import "math"

// dctNEON writes transforms of patches in panels, as dctX86 does.
//
// R0 and R1 are the first rows of the result and of the source, R2 a column of the result. R3 counts rows and columns,
// R4 vectors. V30 and V31 hold the cosines, V0-V15 values.
type dctNEON struct{ *neon }

func (f *neon) dct()        { dctNEON{f}.transform(dctNEON.forward) }
func (f *neon) inverseDCT() { dctNEON{f}.transform(dctNEON.backward) }

func (f dctNEON) transform(body func(f dctNEON, dst, src string, step int)) {
	for k, c := range cosines {
		f.line("MOVD $%#x, R17", math.Float32bits(c))
		f.line("VMOV R17, V%d.S[%d]", 30+k/4, k%4)
	}
	f.line("MOVD %s, R0", f.base("dst"))
	f.line("MOVD %s, R1", f.base("src"))
	f.line("MOVD $%d, R4", lanes/4)
	f.label("chunk")
	f.line("MOVD R0, R2")
	loop := func(label string, do func()) {
		f.line("MOVD $%d, R3", patchSide)
		f.label(label)
		do()
		f.line("SUBS $1, R3")
		f.line("BNE %s", label)
	}
	loop("rows", func() {
		body(f, "R0", "R1", patchRow)
		f.line("ADD $%d, R0", patchColumn)
		f.line("ADD $%d, R1", patchColumn)
	})
	loop("columns", func() {
		body(f, "R2", "R2", patchColumn)
		f.line("ADD $%d, R2", patchRow)
	})
	for _, r := range []string{"R0", "R1"} { // the next vector of the first row
		f.line("SUB $%d, %s", patchSide*patchColumn-16, r)
	}
	f.line("SUBS $1, R4")
	f.line("BNE chunk")
	f.line("RET")
}

func (f dctNEON) load(base string, i, step, v int)      { f.line("FMOVQ %d(%s), F%d", i*step, base, v) }
func (f dctNEON) store(v int, base string, i, step int) { f.line("FMOVQ F%d, %d(%s)", v, i*step, base) }

// butterfly sets s to a + b, and d to a - b. Register s is another than a and b.
func (f dctNEON) butterfly(s, d, a, b int) {
	f.three("FADD", s, a, b)
	f.three("FSUB", d, a, b)
}

// sum sets s to the sum of registers from v on times cosines, of which a negative number means the opposite. The first
// is positive.
func (f dctNEON) sum(s, v int, k ...int) {
	op := "FMUL"
	for i, k := range k {
		if k < 0 {
			op, k = "FMLS", -k
		}
		f.byElement(op, s, v+i, 30+k/4, k%4)
		op = "FMLA"
	}
}

func (f dctNEON) forward(dst, src string, step int) {
	const x, s, d, sum = 0, 8, 0, 12
	for i := range patchSide {
		f.load(src, i, step, x+i)
	}
	for i := range 4 {
		f.butterfly(s+i, d+i, x+i, x+patchSide-1-i)
	}
	for i, k := range odd {
		f.sum(sum, d, k[:]...)
		f.store(sum, dst, 2*i+1, step)
	}
	const e, o = 4, 8
	f.butterfly(e, o, s, s+3)
	f.butterfly(e+1, o+1, s+1, s+2)
	f.sum(sum, o, 2, 6)
	f.store(sum, dst, 2, step)
	f.sum(sum, o, 6, -2)
	f.store(sum, dst, 6, step)
	f.butterfly(s, s+1, e, e+1)
	for i := range 2 {
		f.sum(sum, s+i, 4)
		f.store(sum, dst, 4*i, step)
	}
}

func (f dctNEON) backward(dst, src string, step int) {
	const z, o, s, sum = 0, 8, 4, 12
	for i, k := range []int{0, 4, 2, 6} {
		f.load(src, k, step, z+i)
	}
	f.sum(o, z+2, 2, 6)
	f.sum(o+1, z+2, 6, -2)
	for i := range 2 {
		f.sum(sum+i, z+i, 4)
	}
	f.butterfly(z, z+1, sum, sum+1)
	f.butterfly(s, s+3, z, o)
	f.butterfly(s+1, s+2, z+1, o+1)
	for i := range 4 {
		f.load(src, 2*i+1, step, z+i)
	}
	for i, k := range odd {
		f.sum(sum, z, k[:]...)
		f.butterfly(sum+1, s+i, s+i, sum)
		f.store(sum+1, dst, i, step)
		f.store(s+i, dst, patchSide-1-i, step)
	}
}
