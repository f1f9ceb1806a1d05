package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// patchStep is the distance of the patches that extractPatches copies, in samples. It is as wide as a 128-bit part of a
// vector.
const patchStep = 4

// extractPatches takes 8 patches at a time, and of each row the two halves. It transposes the 4 x 4 samples of 4
// patches in each part.
func (f *x86) extractPatches() {
	f.function("extractPatches", "func(dst, src []float32, n, stride int)", sameAs("extractPatches"))
	dst, src, left, stride := f.base("dst"), f.base("src"), f.int("n"), f.bytes("stride")
	to, from, rows := f.GP64(), f.GP64(), f.GP64()
	f.Label("run")
	f.MOVQ(dst, to)
	f.MOVQ(src, from)
	f.MOVQ(operand.U32(patchSide), rows)
	f.Label("row")
	for half := range 2 {
		v := make([]reg.VecVirtual, 4)
		for i := range v {
			v[i] = f.YMM()
			at := func(patch int) operand.Mem { return operand.Mem{Base: from, Disp: 4 * patchStep * (patch + half)} }
			f.VMOVUPS(at(i), v[i].AsX())
			f.VINSERTF128(operand.Imm(1), at(i+4), v[i], v[i])
		}
		for j, column := range f.transpose4(v) {
			f.VMOVUPS(column, operand.Mem{Base: to, Disp: 4 * lanes * (4*half + j)})
		}
	}
	f.ADDQ(operand.U32(4*lanes*patchSide), to)
	f.ADDQ(stride, from)
	f.DECQ(rows)
	f.JNZ(operand.LabelRef("row"))
	f.ADDQ(operand.Imm(4*8), dst)
	f.ADDQ(operand.U32(4*8*patchStep), src)
	f.SUBQ(operand.Imm(8), left)
	f.JNZ(operand.LabelRef("run"))
	f.VZEROUPPER()
	f.RET()
}
