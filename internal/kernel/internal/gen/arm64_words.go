package main

import (
	"fmt"
	"math"
	"strings"
)

// The encodings are in the Arm Architecture Reference Manual for A-profile, section C7.2 (SIMD and floating-point
// instructions), for vectors of four single-precision lanes.

var encoding = map[string]uint32{
	"FADD": 0x4e20d400, "FSUB": 0x4ea0d400, "FMIN": 0x4ea0f400, "FMAX": 0x4e20f400, // three registers
	"FMLA": 0x4f801000, "FMLS": 0x4f805000, "FMUL": 0x4f809000, // by element
	// three registers
	"FMULV": 0x6e20dc00, "FDIV": 0x6e20fc00, "FCMGE": 0x6e20e400, "FADDP": 0x6e20d400, "CMHS": 0x6ea03c00,
	"BIF": 0x6ee01c00,
	// two
	"FNEG": 0x6ea0f800, "FABS": 0x4ea0f800, "FSQRT": 0x6ea1f800, "FRINTM": 0x4e219800, "FCVTZS": 0x4ea1b800,
	"SCVTF": 0x4e21d800, "FCVTNS": 0x4e21a800, "XTN": 0x0e612800, "XTN2": 0x4e612800,
	// integers: three registers, and by element of 16 bits
	"UMAX": 0x6ea06400, "SMLAL": 0x0f402000, "SMLAL2": 0x4f402000,
}

func (f *neon) three(op string, d, n, m int) {
	f.line("WORD $%#08x // %s V%d.4S, V%d.4S, V%d.4S", encoding[op]|uint32(m<<16|n<<5|d), op, d, n, m)
}

// byElement writes op with element e of register m for all lanes.
func (f *neon) byElement(op string, d, n, m, e int) {
	f.line("WORD $%#08x // %s V%d.4S, V%d.4S, V%d.S[%d]", encoding[op]|uint32(e&1<<21|m<<16|e>>1<<11|n<<5|d), op, d, n,
		m, e)
}

func (f *neon) two(op string, d, n int) {
	f.line("WORD $%#08x // %s V%d.4S, V%d.4S", encoding[op]|uint32(n<<5|d), op, d, n)
}

// all calls do for the registers of a block of lanes, starting with from.
func (f *neon) all(from int, do func(v int)) {
	for v := from; v < from+blockVectors; v++ {
		do(v)
	}
}

// list names n registers from v on, as loads and stores take them.
func list(v, n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("V%d.S4", v+i)
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// clear sets n registers from v on to zero.
func (f *neon) clear(v, n int) {
	for i := v; i < v+n; i++ {
		f.line("VEOR V%d.B16, V%d.B16, V%d.B16", i, i, i)
	}
}

// fill sets all lanes of a register to a value. It overwrites R17.
func (f *neon) fill(v int, value float32) {
	f.line("MOVD $%#x, R17", math.Float32bits(value))
	f.line("VDUP R17, V%d.S4", v)
}

// transpose4 transposes the 4 x 4 values in four registers from v on. Column j goes to register to(j). It overwrites
// four registers from u on.
func (f *neon) transpose4(v, u int, to func(j int) int) {
	for i, zip := range []string{"VZIP1", "VZIP1", "VZIP2", "VZIP2"} { // rows 0 and 2, then 1 and 3, in turns
		f.line("%s V%d.S4, V%d.S4, V%d.S4", zip, v+2+i%2, v+i%2, u+i)
	}
	for j := range 4 {
		f.line("VZIP%d V%d.S4, V%d.S4, V%d.S4", 1+j%2, u+j/2*2+1, u+j/2*2, to(j))
	}
}
