package main

import (
	"fmt"
	"math"
	"slices"
)

// weightsNEON writes the kernel of WeightFunction. It takes a block of lanes, or four vectors, at a time. Like
// weightsX86, it goes over the rows twice.
//
// R0-R3 are the rows of d, e, p and y, R4 counts rows. R5 is a hidden unit of the network, R6 and R8 are its values on
// the stack, R7 counts units, R9 is the bias. R10 is free, R11 is the table of constants and R16 the block.
type weightsNEON struct {
	*neon
	table []uint32 // constants, four values each
}

const (
	blockVectors = blockLanes / 4
	weightsTable = "weightsNEON"
	unitStarts   = maxHidden * blockLanes * 4 // bytes on the stack before the values that lanes of a block share
	weightsFrame = unitStarts + maxHidden*4
)

func (t tile) weightsNEON() (text, signature string) {
	signature = "func(d, e, p, y, bias, packed []float32, rows, hidden, block int, mean float32)"
	f := &weightsNEON{neon: &neon{tile: t, kernel: kernel{signature: signature}}}
	f.layout()
	f.body()
	data := fmt.Sprintf("\n// func weights%s%s\nTEXT ·weights%[1]s(SB), 0, $%[3]d-%[4]d\n%[5]s", t.suffix,
		signature[len("func"):], weightsFrame, f.size, f.String())
	for i, v := range f.table {
		data += fmt.Sprintf("\nDATA %s<>+%d(SB)/4, $%#08x", weightsTable, 4*i, v)
	}
	return data + fmt.Sprintf("\nGLOBL %s<>(SB), RODATA|NOPTR, $%d\n", weightsTable, 4*len(f.table)), signature
}

// constant loads four values from the table.
func (f *weightsNEON) constant(to int, values ...uint32) {
	at := -1
	for i := 0; i+4 <= len(f.table); i += 4 {
		if slices.Equal(f.table[i:i+4], values) {
			at = i
		}
	}
	if at < 0 {
		at = len(f.table)
		f.table = append(f.table, values...)
	}
	f.line("FMOVQ %d(R11), F%d", 4*at, to)
}

func (f *weightsNEON) bits(to int, v uint32) { f.constant(to, v, v, v, v) }

func (f *weightsNEON) float(to int, v float32) { f.bits(to, math.Float32bits(v)) }

func (f *weightsNEON) load(from string, v int) {
	f.line("VLD1 (%s), %s", from, list(v, blockVectors))
}

func (f *weightsNEON) store(v int, to string) {
	f.line("VST1 %s, (%s)", list(v, blockVectors), to)
}

func (f *weightsNEON) body() {
	f.line("MOVD $%s<>(SB), R11", weightsTable)
	f.line("MOVD $0, R16")
	f.label("chunk")
	f.sumSquares()
	f.startUnits()
	f.eachRow()
	f.line("ADD $%d, R16", 4*blockLanes)
	f.line("CMP $%d, R16", 4*lanes)
	f.line("BNE chunk")
	f.line("RET")
}

// top sets the addresses to the first row of the block.
func (f *weightsNEON) top() {
	for i, p := range []string{"d", "e", "p", "y"} {
		f.line("MOVD %s, R%d", f.base(p), i)
		f.line("ADD R16, R%d", i)
	}
	f.line("MOVD %s, R4", f.value("rows"))
}

func (f *weightsNEON) nextRow(label string) {
	for i := range 4 {
		f.line("ADD $%d, R%d", 4*lanes, i)
	}
	f.line("SUBS $1, R4")
	f.line("BNE %s", label)
}

// sumSquares leaves the logarithms of the root mean squares of the lanes in V0-V3 and V4-V7, of p and of y - p.
func (f *weightsNEON) sumSquares() {
	const p, r = 8, 12
	f.top()
	f.clear(0, 2*blockVectors)
	f.label("squares")
	f.load("R2", p)
	f.load("R3", r)
	f.all(0, func(i int) {
		f.three("FSUB", r+i, r+i, p+i)
		f.line("VFMLA V%d.S4, V%d.S4, V%d.S4", p+i, p+i, i)
		f.line("VFMLA V%d.S4, V%d.S4, V%d.S4", r+i, r+i, blockVectors+i)
	})
	f.line("MOVD %s, R10", f.value("block"))
	f.line("CMP $1, R10")
	f.line("BEQ squared")
	f.blockLogs(p, r)
	f.label("squared")
	f.nextRow("squares")
	f.line("FMOVS %s, F31", f.value("mean"))
	f.roots(0, pilotFloor)
	f.roots(blockVectors, restFloor)
	f.log(0, blockVectors)
	f.log(blockVectors, blockVectors)
}

// roots replaces sums of squares by root mean squares plus a floor.
func (f *weightsNEON) roots(from int, floor float32) {
	f.float(30, floor)
	f.all(from, func(v int) {
		f.byElement("FMUL", v, v, 31, 0)
		f.two("FSQRT", v, v)
		f.three("FADD", v, v, 30)
	})
}

// blockLogs stores the logarithms of the root mean squares over the members of a block in d.
func (f *weightsNEON) blockLogs(p, r int) {
	const sums, other = 16, 17
	f.squareMembers(sums, p)
	f.squareMembers(other, r)
	f.three("FADDP", sums, sums, other)
	f.three("FADDP", sums, sums, sums) // p, r, p, r
	f.float(31, 1./(blockLanes-1))
	f.three("FMULV", sums, sums, 31)
	f.two("FSQRT", sums, sums)
	a, b := math.Float32bits(pilotFloor), math.Float32bits(restFloor)
	f.constant(31, a, b, a, b)
	f.line("VMOV V%d.B16, V8.B16", sums)
	f.three("FADD", 8, 8, 31)
	f.log(8, 1)
	f.line("FMOVD F8, (R0)")
}

// squareMembers adds the squares of a block without its first lane, to 4 values.
func (f *weightsNEON) squareMembers(to, v int) {
	f.three("FMULV", to, v, v)
	f.line("VMOV ZR, V%d.S[0]", to)
	for i := 1; i < blockVectors; i++ {
		f.line("VFMLA V%d.S4, V%d.S4, V%d.S4", v+i, v+i, to)
	}
}

// startUnits stores the bias of the hidden units plus the contribution of the root mean squares of lanes.
func (f *weightsNEON) startUnits() {
	f.line("MOVD %s, R9", f.base("bias"))
	f.line("ADD R16, R9")
	f.firstUnit()
	f.line("MOVD %s, R7", f.value("hidden"))
	f.label("start")
	f.load("R9", 8)
	f.line("VLD1.P %d(R5), [V16.S4, V17.S4]", 4*packedUnit)
	f.all(0, func(i int) {
		f.byElement("FMLA", 8+i, i, 16+unitA1/4, unitA1%4)
		f.byElement("FMLA", 8+i, blockVectors+i, 16+unitA4/4, unitA4%4)
	})
	f.line("VST1.P [V8.S4, V9.S4, V10.S4, V11.S4], %d(R6)", 4*blockLanes)
	f.line("ADD $%d, R9", 4*lanes)
	f.line("SUBS $1, R7")
	f.line("BNE start")
	f.line("VEOR V8.B16, V8.B16, V8.B16") // for lanes without blocks
	for k := 0; k < maxHidden; k += 4 {
		f.line("FMOVQ F8, %d(R8)", 4*k)
	}
}

// firstUnit sets the addresses to the first unit in the network and on the stack.
func (f *weightsNEON) firstUnit() {
	f.line("MOVD %s, R5", f.base("packed"))
	f.line("ADD $%d, R5", 4*packedUnits)
	f.line("MOVD $units-%d(SP), R6", weightsFrame)
	f.line("ADD $%d, R6, R8", unitStarts)
}

func (f *weightsNEON) eachRow() {
	f.top()
	f.label("row")
	f.firstUnit()
	f.line("MOVD %s, R10", f.value("block"))
	f.line("CMP $1, R10")
	f.line("BEQ alone")
	f.share()
	f.label("alone")
	f.rowLogs()
	f.hiddenUnits()
	f.power(16)
	f.power(20)
	f.store(16, "R0")
	f.store(20, "R1")
	f.nextRow("row")
}

// share computes the contribution of the means of blocks to the hidden units.
func (f *weightsNEON) share() {
	f.line("MOVD %s, R10", f.base("packed"))
	f.line("FMOVD (R0), F8")
	for k := 0; k < maxHidden; k += 4 {
		f.line("FMOVQ %d(R10), F9", 4*(packedA2+k))
		f.line("FMOVQ %d(R10), F10", 4*(packedA5+k))
		f.byElement("FMUL", 9, 9, 8, 0)
		f.byElement("FMLA", 9, 10, 8, 1)
		f.line("FMOVQ F9, %d(R8)", 4*k)
	}
}

// rowLogs computes the features of a row in V0-V3, V4-V7 and V8-V11.
func (f *weightsNEON) rowLogs() {
	const f0, f3, f6 = 0, 4, 8
	f.load("R2", f0)
	f.load("R3", f6)
	f.all(0, func(i int) { f.three("FSUB", f3+i, f6+i, f0+i) })
	for i, floor := range []float32{pilotFloor, restFloor, noisyFloor} {
		f.float(31, floor)
		f.all(4*i, func(v int) {
			f.two("FABS", v, v)
			f.three("FADD", v, v, 31)
		})
		f.log(4*i, blockVectors)
	}
}

// hiddenUnits leaves the exponents in V16-V19 and V20-V23.
func (f *weightsNEON) hiddenUnits() {
	const hidden, unit, shared, zero = 24, 28, 12, 13
	f.line("FMOVQ -%d(R5), F%d", 4*packedUnits, unit)
	f.all(0, func(i int) {
		f.line("VDUP V%d.S[%d], V%d.S4", unit, packedB0, 16+i)
		f.byElement("FMLS", 16+i, i, unit, packedA0)
		f.line("VDUP V%d.S[%d], V%d.S4", unit, packedB1, 20+i)
	})
	f.line("VEOR V%d.B16, V%d.B16, V%d.B16", zero, zero, zero)
	f.line("MOVD %s, R7", f.value("hidden"))
	f.label("hidden")
	f.line("VLD1.P %d(R6), [V%d.S4, V%d.S4, V%d.S4, V%d.S4]", 4*blockLanes, hidden, hidden+1, hidden+2, hidden+3)
	f.line("VLD1R.P 4(R8), [V%d.S4]", shared)
	f.line("VLD1.P %d(R5), [V%d.S4, V%d.S4]", 4*packedUnit, unit, unit+1)
	each := func(do func(i int)) { f.all(0, do) }
	each(func(i int) { f.three("FADD", hidden+i, hidden+i, shared) })
	for feature, a := range []int{unitA0, unitA3, unitA6} {
		each(func(i int) { f.byElement("FMLA", hidden+i, 4*feature+i, unit+a/4, a%4) })
	}
	each(func(i int) { f.three("FMAX", hidden+i, hidden+i, zero) }) // NaN stays
	for out, b := range []int{unitB0, unitB1} {
		each(func(i int) { f.byElement("FMLA", 16+4*out+i, hidden+i, unit+b/4, b%4) })
	}
	f.line("SUBS $1, R7")
	f.line("BNE hidden")
}

// polynomial computes s, so that s t + c[m] is the polynomial c[0] t^m + ... + c[m], for t in n vectors from t on. It
// returns the first register of s, 24 or 28, and overwrites V24-V31.
func (f *weightsNEON) polynomial(t, n int, c []float32) (s int) {
	s, u := 24, 28
	for i := range n {
		f.float(s+i, c[0])
	}
	for _, v := range c[1 : len(c)-1] {
		for i := range n {
			f.float(u+i, v)
			f.line("VFMLA V%d.S4, V%d.S4, V%d.S4", t+i, s+i, u+i)
		}
		s, u = u, s
	}
	return s
}

// log replaces n vectors by their logarithms as the plain Go version does. It overwrites V12 and V16-V31.
func (f *weightsNEON) log(from, n int) {
	const constant, e, t = 12, 16, 20
	last := logCoefficients[len(logCoefficients)-1]
	each := func(do func(i int)) {
		for i := range n {
			do(i)
		}
	}
	each(func(i int) { f.line("VUSHR $%d, V%d.S4, V%d.S4", mantissaBits, from+i, e+i) })
	f.bits(constant, exponentBias)
	each(func(i int) {
		f.line("VSUB V%d.S4, V%d.S4, V%d.S4", constant, e+i, e+i)
		f.two("SCVTF", e+i, e+i)
	})
	f.float(constant, last)
	each(func(i int) { f.three("FADD", e+i, e+i, constant) })
	f.bits(constant, 1<<mantissaBits-1)
	each(func(i int) { f.line("VAND V%d.B16, V%d.B16, V%d.B16", constant, from+i, t+i) })
	f.bits(constant, one)
	each(func(i int) { f.line("VORR V%d.B16, V%d.B16, V%d.B16", constant, t+i, t+i) })
	f.float(constant, -1.5)
	each(func(i int) { f.three("FADD", t+i, t+i, constant) })
	s := f.polynomial(t, n, logCoefficients)
	f.bits(constant, math.Float32bits(float32(math.Inf(1))))
	each(func(i int) {
		f.line("VFMLA V%d.S4, V%d.S4, V%d.S4", t+i, s+i, e+i)
		f.three("CMHS", t+i, from+i, constant) // infinity and NaN stay
		f.three("BIF", from+i, e+i, t+i)
	})
}

// power replaces four vectors by powers of 2 as the plain Go version does. It overwrites V0-V15 and V24-V31.
func (f *weightsNEON) power(from int) {
	const low, high, floor, t = 12, 13, 0, 4
	f.float(low, lowestPower)
	f.float(high, highestPower)
	f.all(0, func(i int) {
		f.three("FMAX", from+i, from+i, low)
		f.three("FMIN", from+i, from+i, high)
		f.two("FRINTM", floor+i, from+i)
		f.three("FSUB", t+i, from+i, floor+i)
		f.two("FCVTZS", from+i, floor+i)
		f.line("VSHL $%d, V%d.S4, V%d.S4", mantissaBits, from+i, from+i)
	})
	f.bits(low, one)
	f.all(0, func(i int) { f.line("VADD V%d.S4, V%d.S4, V%d.S4", low, from+i, from+i) })
	s := f.polynomial(t, blockVectors, powerCoefficients)
	f.float(low, powerCoefficients[len(powerCoefficients)-1])
	f.all(0, func(i int) {
		f.line("VMOV V%d.B16, V%d.B16", low, floor+i)
		f.line("VFMLA V%d.S4, V%d.S4, V%d.S4", t+i, s+i, floor+i)
		f.three("FMULV", from+i, from+i, floor+i)
	})
}
