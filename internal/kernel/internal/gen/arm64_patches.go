package main

// countFree takes a row in blocks of four vectors. It counts in integers: a comparison that holds is -1.
//
// R0-R4 are the rows of q, r, d, e and p, R5 counts them, R6 is the result. V0-V11 are the counts, V31 holds rho.
func (f *neon) countFree() {
	const q, r, v, rho = 12, 16, 20, 31
	at := map[string]string{}
	for i, p := range []string{"q", "r", "d", "e", "p"} {
		at[p] = []string{"R0", "R1", "R2", "R3", "R4"}[i]
		f.line("MOVD %s, %s", f.base(p), at[p])
	}
	f.line("MOVD %s, R5", f.value("rows"))
	f.line("FMOVS %s, F%d", f.value("rho"), rho)
	f.clear(0, lanes/4)
	load := func(p string, to int) {
		f.line("VLD1.P %d(%s), %s", 4*blockLanes, at[p], list(to, blockVectors))
	}
	f.label("row")
	for count := 0; count < lanes/4; count += blockVectors {
		load("q", q)
		load("d", v)
		f.all(0, func(i int) { f.two("FABS", q+i, q+i) })
		f.all(0, func(i int) { f.three("FCMGE", q+i, q+i, v+i) })
		load("p", v)
		load("r", r)
		f.all(0, func(i int) { f.byElement("FMUL", v+i, v+i, rho, 0) })
		f.all(0, func(i int) { f.three("FSUB", r+i, r+i, v+i) })
		load("e", v)
		f.all(0, func(i int) { f.two("FABS", r+i, r+i) })
		f.all(0, func(i int) { f.three("FCMGE", r+i, r+i, v+i) })
		f.all(0, func(i int) { f.line("VAND V%d.B16, V%d.B16, V%d.B16", q+i, r+i, r+i) })
		f.all(0, func(i int) { f.line("VSUB V%d.S4, V%d.S4, V%d.S4", r+i, count+i, count+i) })
	}
	f.line("SUBS $1, R5")
	f.line("BNE row")
	f.line("MOVD %s, R6", f.base("counts"))
	for v := 0; v < lanes/4; v += blockVectors {
		f.all(0, func(i int) { f.two("SCVTF", v+i, v+i) })
		f.line("VST1.P %s, %d(R6)", list(v, blockVectors), 4*blockLanes)
	}
	f.line("RET")
}

// transpose takes four columns of the source at a time, which become four rows of the result.
//
// R0 is the row of the result and R1 its stride, R2 the top of the columns and R3 their stride, R4 a row of them.
// V0-V3 are 4 x 4 values and V4-V7 temporaries for transpose4, V16-V31 the rows of the result.
func (f *neon) transpose() {
	const v, u, rows = 0, 4, 16
	f.line("MOVD %s, R0", f.base("dst"))
	f.line("MOVD %s, R1", f.value("dstStride"))
	f.line("LSL $2, R1")
	f.line("MOVD %s, R2", f.base("src"))
	f.line("MOVD %s, R3", f.value("srcStride"))
	f.line("LSL $2, R3")
	for range blockVectors {
		f.line("MOVD R2, R4")
		f.line("ADD $16, R2")
		for part := range blockVectors {
			for i := range 4 {
				f.line("VLD1.P (R4)(R3), %s", list(v+i, 1))
			}
			f.transpose4(v, u, func(j int) int { return rows + j*blockVectors + part })
		}
		for j := range 4 {
			f.line("VST1.P %s, (R0)(R1)", list(rows+j*blockVectors, blockVectors))
		}
	}
	f.line("RET")
}
