package main

// quantize takes 16 lanes at a time, and their rows twice: first it finds the sizes of lanes, then it rounds.
//
// R0 are the rows, R1 the integers, R2 the scales, R3 is the distance of rows, R4 that of rows of integers. R5 counts
// rows, R6 is the place in bytes of a row.
func (f *neon) quantize() {
	const x, magnitude, size, limit, temp, words = 0, 4, 8, 16, 17, 20
	f.line("MOVD %s, R2", f.base("scales"))
	f.line("MOVD $%d, R3", 4*lanes)
	f.line("MOVD $%d, R4", 2*lanes)
	f.line("MOVD $0, R6")
	f.line("FMOVS %s, F%d", f.value("limit"), limit)
	f.line("VDUP V%d.S[0], V%d.S4", limit, limit)
	rows := func() {
		f.line("MOVD %s, R0", f.base("b"))
		f.line("ADD R6, R0")
		f.line("MOVD %s, R5", f.value("rows"))
	}
	f.label("lanes")
	for i := range 4 {
		f.fill(size+i, leastSize)
	}
	rows()
	f.label("size")
	f.line("VLD1.P (R0)(R3), %s", list(x, 4))
	for i := range 4 {
		f.two("FABS", magnitude+i, x+i)
		f.three("UMAX", size+i, size+i, magnitude+i)
	}
	f.line("SUBS $1, R5")
	f.line("BNE size")
	for i := range 4 {
		f.three("FSUB", temp, size+i, size+i)
		f.three("FDIV", x+i, size+i, limit)
		f.three("FADD", x+i, x+i, temp)
		f.three("FDIV", size+i, limit, size+i)
	}
	f.line("VST1.P %s, 64(R2)", list(x, 4))
	rows()
	f.line("MOVD %s, R1", f.base("words"))
	f.line("ADD R6>>1, R1")
	f.label("round")
	f.line("VLD1.P (R0)(R3), %s", list(x, 4))
	for i := range 4 {
		f.three("FMULV", x+i, x+i, size+i)
		f.two("FCVTNS", x+i, x+i)
		f.two([]string{"XTN", "XTN2"}[i%2], words+i/2, x+i)
	}
	f.line("VST1.P [V%d.H8, V%d.H8], (R1)(R4)", words, words+1)
	f.line("SUBS $1, R5")
	f.line("BNE round")
	f.line("ADD $64, R6")
	f.line("CMP $%d, R6", 4*lanes)
	f.line("BNE lanes")
	f.line("RET")
}

// mulIntegers takes the panel in chunks of 8 lanes, and a chunk in tiles of 8 rows from top to bottom.
//
// R0 is the tile of c, R1 are the scales of its rows, R2 those of lanes. The others are as those of products of
// float32. Elements of 16 bits must be in V0-V15, so the sums are in the others.
func (f *neon) mulIntegers() {
	const a, b, rowScales, scales, sums, chunkBytes = 0, 1, 2, 4, 16, 32
	f.line("MOVD $%d, %s", lanes*2, regBStride)
	f.line("MOVD $0, %s", regChunk)
	f.label("chunk")
	f.line("MOVD %s, %s", f.base("a"), regA)
	f.line("MOVD %s, %s", f.value("rows"), regRows)
	f.line("MOVD %s, R1", f.base("rowScales"))
	f.line("MOVD %s, R2", f.base("scales"))
	f.line("ADD %s, R2", regChunk)
	f.line("VLD1 (R2), %s", list(scales, 2))
	f.line("MOVD %s, R0", f.base("c"))
	f.line("ADD %s, R0", regChunk)
	f.label("tile")
	f.clear(sums, 16)
	f.line("MOVD %s, %s", f.base("b"), regB)
	f.line("ADD %s>>1, %s", regChunk, regB)
	f.line("MOVD %s, %s", f.value("groups"), regCols)
	f.label("step")
	f.line("VLD1.P (%s)(%s), [V%d.H8]", regB, regBStride, b)
	f.line("VLD1.P 16(%s), [V%d.H8]", regA, a)
	for i := range f.tile.rows {
		f.byHalf("SMLAL", sums+2*i, b, a, i)
		f.byHalf("SMLAL2", sums+2*i+1, b, a, i)
	}
	f.line("SUBS $1, %s", regCols)
	f.line("BNE step")
	f.line("VLD1.P 32(R1), %s", list(rowScales, 2))
	f.line("MOVD R0, R3")
	for i := range f.tile.rows { // the last tile may have fewer rows
		for j := range 2 {
			s := sums + 2*i + j
			f.two("SCVTF", s, s)
			f.byElement("FMUL", s, s, rowScales+i/4, i%4)
			f.three("FMULV", s, s, scales+j)
		}
		f.line("VST1 %s, (R3)", list(sums+2*i, 2))
		f.line("ADD $%d, R3", 4*lanes)
		f.line("SUBS $1, %s", regRows)
		f.line("BEQ done")
	}
	f.line("MOVD R3, R0")
	f.line("B tile")
	f.label("done")
	f.line("ADD $%d, %s", chunkBytes, regChunk)
	f.line("CMP $%d, %s", lanes*4, regChunk)
	f.line("BNE chunk")
	f.line("RET")
}

// byHalf writes op for integers of 16 bits, with element e of register m for all lanes.
func (f *neon) byHalf(op string, d, n, m, e int) {
	f.line("WORD $%#08x // %s V%d.4S, V%d.4H, V%d.H[%d]", encoding[op]|uint32(e>>2<<11|e>>1&1<<21|e&1<<20|m<<16|n<<5|d),
		op, d, n, m, e)
}
