package main

import "slices"

// gram computes the 4 x 4 parts of the result on and above the diagonal, half of them in each pass over the rows. It
// copies the parts above the diagonal to those below, which are sums of the same products in the same order.
//
// R0 is the result, R1 the row, R2 the stride and R3 counts rows. V0-V19 are sums, V20-V23 the row.
func (f *neon) gram() {
	const row, turned = 20, 24
	var parts [][2]int
	for i := range blockVectors {
		for j := i; j < blockVectors; j++ {
			parts = append(parts, [2]int{i, j})
		}
	}
	f.line("MOVD %s, R0", f.base("gram"))
	labels := []string{"first", "second"}
	for parts := range slices.Chunk(parts, len(parts)/len(labels)) {
		label := labels[0]
		labels = labels[1:]
		f.block()
		f.clear(0, 4*len(parts))
		f.label(label)
		f.line("VLD1 (R1), %s", list(row, blockVectors))
		f.line("ADD R2, R1")
		for n, p := range parts {
			for r := range 4 {
				f.byElement("FMLA", 4*n+r, row+p[1], row+p[0], r)
			}
		}
		f.line("SUBS $1, R3")
		f.line("BNE %s", label)
		for n, p := range parts {
			f.storePart(4*n, p[0], p[1])
			if p[0] != p[1] {
				f.transpose4(4*n, turned, func(j int) int { return row + j })
				f.storePart(row, p[1], p[0])
			}
		}
	}
	f.line("RET")
}

// block sets R1 to the first row of a block of blockLanes lanes, R2 to the distance of its rows in bytes, and R3 to
// their number.
func (f *neon) block() {
	f.line("MOVD %s, R1", f.base("block"))
	f.line("MOVD %s, R2", f.value("stride"))
	f.line("LSL $2, R2")
	f.line("MOVD %s, R3", f.value("rows"))
}

// storePart stores the 4 x 4 values in registers from v on as part i, j of a matrix of blockLanes x blockLanes at R0.
func (f *neon) storePart(v, i, j int) {
	for r := range 4 {
		f.line("FMOVQ F%d, %d(R0)", v+r, 4*((4*i+r)*blockLanes+4*j))
	}
}

// rightMultiply takes four rows at a time. So their sums do not wait for each other, and a row of the matrix is loaded
// once for all of them.
//
// R1 and R4-R6 are the rows, R2 their stride, R3 counts them, R7 is the row of the matrix. V0-V15 are sums, V16-V19
// four values of each row, V20-V23 a row of the matrix.
func (f *neon) rightMultiply() {
	const together, values, row = 4, 16, 20
	at := []string{"R1", "R4", "R5", "R6"}
	f.block()
	f.label("rows")
	for i := 1; i < together; i++ {
		f.line("ADD R2, %s, %s", at[i-1], at[i])
	}
	f.line("MOVD %s, R7", f.base("m"))
	f.clear(0, together*blockVectors)
	for c := range blockLanes {
		if c%4 == 0 {
			for i := range together {
				f.line("FMOVQ %d(%s), F%d", 4*c, at[i], values+i)
			}
		}
		f.line("VLD1.P %d(R7), %s", 4*blockLanes, list(row, blockVectors))
		for i := range together {
			for j := range blockVectors {
				f.byElement("FMLA", i*blockVectors+j, row+j, values+i, c%4)
			}
		}
	}
	for i := range together {
		f.line("VST1 %s, (%s)", list(i*blockVectors, blockVectors), at[i])
	}
	f.line("ADD R2, %s, R1", at[together-1])
	f.line("SUBS $%d, R3", together)
	f.line("BNE rows")
	f.line("RET")
}
