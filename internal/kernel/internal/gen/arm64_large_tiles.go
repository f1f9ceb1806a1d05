package main

// Registers of the transforms of large tiles: what a row or column has, two results of each row, temporaries and
// constants.
const (
	largeX          = 0
	largePairs      = 6
	largeTemp       = 18
	largeOut        = 22
	largeFour       = 24
	largeZero       = 25
	largeCells      = 26
	largeVectorSize = 16
)

// largeInputs is written as that of x86.
//
// R0 is the first row of the grid, R1 a row. R2 is the distance of planes, R3 three times that, R4 that of rows of
// tiles. R5 is the row of the first panel, R6 a place in a panel, R9 the distance of panels, R10 six times that. R12
// counts channels, R11 vectors.
func (f *neon) largeInputs() {
	f.line("MOVD %s, R0", f.base("grid"))
	f.line("MOVD %s, R5", f.base("v"))
	f.largePlanes()
	f.line("MOVD %s, R4", f.value("stride"))
	f.line("LSL $2, R4")
	f.line("ADD R9<<1, R9, R10")
	f.line("LSL $1, R10")
	f.label("channel")
	f.line("MOVD $%d, R11", lanes/4)
	f.label("vector")
	for g, pair := range seenPairs {
		for k := range 6 {
			switch k {
			case 0:
				f.line("MOVD R0, R1")
			case 4:
				f.line("ADD R4, R0, R1")
			default:
				f.line("ADD R2<<2, R1")
			}
			var x [6]int
			for l := range x {
				x[l] = largeX + l
				f.largeColumn("R1", l)
				f.line("VLD1 (R13), %s", list(x[l], 1))
			}
			f.seenPair(g, x, largePairs+k, largePairs+6+k)
		}
		for i, l := range pair {
			var x [6]int
			for k := range x {
				x[k] = largePairs + 6*i + k
			}
			for g, pair := range seenPairs {
				f.seenPair(g, x, largeOut, largeOut+1)
				for i, k := range pair {
					f.line("MOVD $%d, R13", 6*k+l)
					f.line("MUL R9, R13")
					f.line("ADD R5, R13")
					f.line("VST1 %s, (R13)", list(largeOut+i, 1))
				}
			}
		}
	}
	f.line("ADD $%d, R0", largeVectorSize)
	f.line("ADD $%d, R5", largeVectorSize)
	f.line("SUBS $1, R11")
	f.line("BNE vector")
	f.line("ADD R2<<4, R0")
	f.line("SUB $%d, R0", 4*lanes)
	f.line("SUBS $1, R12")
	f.line("BNE channel")
	f.line("RET")
}

// largePlanes sets the registers for distances of planes and panels, and a constant.
func (f *neon) largePlanes() {
	f.line("MOVD %s, R2", f.value("plane"))
	f.line("LSL $2, R2")
	f.line("ADD R2<<1, R2, R3")
	f.panelSteps(f.value("channels"))
	f.fill(largeFour, 4)
}

// largeColumn sets R13 to the address of column l of what tiles see in a row.
func (f *neon) largeColumn(row string, l int) {
	f.line("ADD $%d, %s, R13", l/4*4, row)
	switch l % 4 {
	case 1, 2:
		f.line("ADD R2<<%d, R13", l%4-1)
	case 3:
		f.line("ADD R3, R13")
	}
}

// seenPair computes a pair of results of the transform of six values.
func (f *neon) seenPair(pair int, x [6]int, first, second int) {
	const a, b, d = largeTemp, largeTemp + 1, largeTemp + 2
	switch pair {
	case 0:
		f.copy(a, x[4])
		f.line("VFMLS V%d.S4, V%d.S4, V%d.S4", x[2], largeFour, a)
		f.copy(b, x[3])
		f.line("VFMLS V%d.S4, V%d.S4, V%d.S4", x[1], largeFour, b)
	case 1:
		f.three("FSUB", a, x[4], x[2])
		f.three("FSUB", b, x[3], x[1])
		f.three("FADD", b, b, b)
	case 2:
		f.three("FSUB", first, x[4], x[2])
		f.three("FSUB", d, x[0], x[2])
		f.line("VFMLA V%d.S4, V%d.S4, V%d.S4", d, largeFour, first)
		f.three("FSUB", second, x[5], x[3])
		f.three("FSUB", d, x[1], x[3])
		f.line("VFMLA V%d.S4, V%d.S4, V%d.S4", d, largeFour, second)
		return
	}
	f.three("FADD", first, a, b)
	f.three("FSUB", second, a, b)
}

func (f *neon) copy(dst, src int) { f.line("VORR V%d.B16, V%d.B16, V%d.B16", src, src, dst) }

func (f *neon) rectifyLargeOutputs() {
	f.clear(largeZero, 1)
	f.largeOutputs(func(x int) { f.three("FMAX", x, x, largeZero) })
}

func (f *neon) addLargeOutputs() {
	f.largeOutputs(func(x int) {
		f.line("VLD1 (R13), %s", list(largeCells, 1))
		f.three("FADD", x, x, largeCells)
	})
}

// largeOutputs is written as that of x86. Finish finds the address of the cells in R13.
//
// R4-R7 are rows of the tile in the grid, R0 is the row of the first panel, R1 that of another. R2, R3, R9, R11 and R12
// are as those of largeInputs.
func (f *neon) largeOutputs(finish func(x int)) {
	f.line("MOVD %s, R0", f.base("m"))
	f.line("MOVD %s, R7", f.base("grid"))
	f.largePlanes()
	f.line("ADD R2<<2, R7, R4")
	f.line("ADD R2<<2, R4, R5")
	f.line("ADD R2<<2, R5, R6")
	f.line("MOVD %s, R13", f.value("stride"))
	f.line("ADD R13<<2, R7")
	f.label("channel")
	f.line("MOVD $%d, R11", lanes/4)
	f.label("vector")
	for g, pair := range cellPairs {
		f.line("MOVD R0, R1")
		for k := range 6 {
			var x [6]int
			for l := range x {
				x[l] = largeX + l
				f.line("VLD1 (R1), %s", list(x[l], 1))
				f.line("ADD R9, R1")
			}
			f.cellPair(g, x, largePairs+k, largePairs+6+k)
		}
		for i, a := range pair {
			var x [6]int
			for k := range x {
				x[k] = largePairs + 6*i + k
			}
			for g, pair := range cellPairs {
				f.cellPair(g, x, largeOut, largeOut+1)
				for i, b := range pair {
					f.largeColumn([]string{"R4", "R5", "R6", "R7"}[b], a+1)
					finish(largeOut + i)
					f.line("VST1 %s, (R13)", list(largeOut+i, 1))
				}
			}
		}
	}
	f.line("ADD $%d, R0", largeVectorSize)
	for r := 4; r < 8; r++ {
		f.line("ADD $%d, R%d", largeVectorSize, r)
	}
	f.line("SUBS $1, R11")
	f.line("BNE vector")
	for r := 4; r < 8; r++ {
		f.line("ADD R2<<4, R%d", r)
		f.line("SUB $%d, R%d", 4*lanes, r)
	}
	f.line("SUBS $1, R12")
	f.line("BNE channel")
	f.line("RET")
}

// cellPair computes a pair of results of the transform of six products.
func (f *neon) cellPair(pair int, x [6]int, first, second int) {
	const s, t = largeTemp, largeTemp + 1
	if pair == 0 {
		f.three("FADD", s, x[1], x[2])
		f.three("FADD", t, x[3], x[4])
		f.three("FADD", first, x[0], s)
		f.three("FADD", first, first, t)
		f.line("VFMLA V%d.S4, V%d.S4, V%d.S4", t, largeFour, s)
		f.copy(second, s)
		return
	}
	f.three("FSUB", s, x[1], x[2])
	f.three("FSUB", t, x[3], x[4])
	f.three("FADD", t, t, t)
	f.three("FADD", second, s, x[5])
	f.line("VFMLA V%d.S4, V%d.S4, V%d.S4", t, largeFour, second)
	f.three("FADD", first, s, t)
}
