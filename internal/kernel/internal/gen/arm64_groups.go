package main

// A row of a patch is two vectors.
const rowVectors = patchSide / 4

// patches writes a loop over the patches of a group, whose corners may be anywhere in an image, and ends the function.
// begin is called at the start of a patch, with the offset of its corner in R10, in bytes.
//
// R8 points to the corners and R9 counts them. R11 is the stride in bytes. R0-R7 and R12-R17 are free.
func (f *neon) patches(begin func(), row func(r int), last func()) {
	f.line("MOVD %s, R8", f.base("corners"))
	f.line("MOVD %s, R9", f.len("corners"))
	f.line("MOVD %s, R11", f.value("stride"))
	f.line("LSL $2, R11")
	f.label("patch")
	f.line("MOVW.P 4(R8), R10")
	f.line("LSL $2, R10")
	begin()
	for r := range patchSide {
		row(r)
	}
	f.line("SUBS $1, R9")
	f.line("BNE patch")
	last()
	f.line("RET")
}

// placed sets R0-R7 to the rows of the first patch in panels. Adding R12 gives the rows of the next patch.
func (f *neon) placed(panels string) {
	f.line("MOVD %s, R8", f.base("places"))
	f.line("MOVD %s, R9", f.base(panels))
	for r := range patchSide {
		f.line("MOVD.P 8(R8), R%d", r)
		f.line("ADD R%d<<2, R9, R%[1]d", r)
	}
	f.line("MOVD $%d, R12", 4*lanes)
}

func (f *neon) gather() {
	f.placed("dst")
	f.line("MOVD %s, R13", f.base("src"))
	f.patches(func() { f.line("ADD R13, R10") }, func(r int) {
		v := list(rowVectors*r, rowVectors)
		f.line("VLD1.P (R10)(R11), %s", v)
		f.line("VST1.P %s, (R%d)(R12)", v, r)
	}, func() {})
}

// sumPatches keeps the sums in V0-V15.
func (f *neon) sumPatches() {
	const row = 16
	f.line("MOVD %s, R0", f.base("src"))
	f.clear(0, patchSide*rowVectors)
	f.patches(func() { f.line("ADD R0, R10") }, func(r int) {
		f.line("VLD1.P (R10)(R11), %s", list(row, rowVectors))
		for i := range rowVectors {
			f.three("FADD", rowVectors*r+i, rowVectors*r+i, row+i)
		}
	}, func() {
		f.line("MOVD %s, R0", f.base("sum"))
		for v := 0; v < patchSide*rowVectors; v += 4 {
			f.line("VST1.P %s, 64(R0)", list(v, 4))
		}
	})
}

// addPatches keeps the factors, w times the window, in V0-V15.
func (f *neon) addPatches() {
	const w, x, n, d = 16, 16, 18, 20
	f.line("MOVD %s, R13", f.base("window"))
	f.line("FMOVS %s, F%d", f.value("w"), w)
	for v := 0; v < patchSide*rowVectors; v += 4 {
		f.line("VLD1.P 64(R13), %s", list(v, 4))
		for i := range 4 {
			f.byElement("FMUL", v+i, v+i, w, 0)
		}
	}
	f.placed("x")
	f.line("MOVD %s, R13", f.base("num"))
	f.line("MOVD %s, R14", f.base("den"))
	f.patches(func() {
		f.line("ADD R10, R14, R15")
		f.line("ADD R13, R10")
	}, func(r int) {
		f.line("VLD1.P (R%d)(R12), %s", r, list(x, rowVectors))
		f.line("VLD1 (R10), %s", list(n, rowVectors))
		f.line("VLD1 (R15), %s", list(d, rowVectors))
		for i := range rowVectors {
			f.three("FMULV", x+i, x+i, rowVectors*r+i)
			f.three("FADD", n+i, n+i, x+i)
			f.three("FADD", d+i, d+i, rowVectors*r+i)
		}
		f.line("VST1.P %s, (R10)(R11)", list(n, rowVectors))
		f.line("VST1.P %s, (R15)(R11)", list(d, rowVectors))
	}, func() {})
}

func (f *neon) addTo() {
	const x, sum = 0, rowVectors
	f.placed("x")
	f.line("MOVD %s, R13", f.base("image"))
	f.patches(func() { f.line("ADD R13, R10") }, func(r int) {
		f.line("VLD1.P (R%d)(R12), %s", r, list(x, rowVectors))
		f.line("VLD1 (R10), %s", list(sum, rowVectors))
		for i := range rowVectors {
			f.three("FADD", sum+i, sum+i, x+i)
		}
		f.line("VST1.P %s, (R10)(R11)", list(sum, rowVectors))
	}, func() {})
}
