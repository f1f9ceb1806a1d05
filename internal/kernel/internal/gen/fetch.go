package main

import "github.com/mmcloughlin/avo/operand"

const (
	fetchDoc = "brings the first n values of each row nearer."
	line     = 64 // bytes that a processor brings at a time
)

func (f *x86) fetchRows() {
	f.function("fetch", "func(v []float32, rows, n, stride int)", fetchDoc)
	v, left, n, stride := f.base("v"), f.int("rows"), f.bytes("n"), f.bytes("stride")
	at := f.GP64()
	f.Label("row")
	f.XORQ(at, at)
	f.Label("line")
	f.PREFETCHT0(operand.Mem{Base: v, Index: at, Scale: 1})
	f.ADDQ(operand.Imm(line), at)
	f.CMPQ(at, n)
	f.JL(operand.LabelRef("line"))
	f.PREFETCHT0(operand.Mem{Base: v, Index: n, Scale: 1, Disp: -4}) // rows need not start with a line
	f.ADDQ(stride, v)
	f.DECQ(left)
	f.JNZ(operand.LabelRef("row"))
	f.RET()
}

// fetchRows is written as that of x86.
func (f *neon) fetchRows() {
	f.line("MOVD %s, R0", f.base("v"))
	f.line("MOVD %s, R1", f.value("rows"))
	f.line("MOVD %s, R2", f.value("n"))
	f.line("LSL $2, R2")
	f.line("MOVD %s, R3", f.value("stride"))
	f.label("row")
	f.line("ADD R2, R0, R4")
	f.line("SUB $4, R4") // the last value
	f.line("MOVD R0, R5")
	f.label("line")
	f.line("PRFM (R5), PLDL1KEEP")
	f.line("ADD $%d, R5", line)
	f.line("CMP R4, R5")
	f.line("BLS line")
	f.line("PRFM (R4), PLDL1KEEP")
	f.line("ADD R3<<2, R0")
	f.line("SUBS $1, R1")
	f.line("BNE row")
	f.line("RET")
}
