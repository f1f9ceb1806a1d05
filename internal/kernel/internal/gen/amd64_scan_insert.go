package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// insert holds a list in one vector. Entries after the new patch move by one lane.
func (f *scanX86) insert() {
	f.function("insert", "func(bounds, distances []float32, found, corners, hits []int32, near []float32, count, "+
		"shift int)",
		"is insert for lists of at most 16 patches.")
	left := f.load(f.Param("hits").Len())
	f.TESTQ(left, left)
	f.JZ(operand.LabelRef("done"))
	bounds, distances, found := f.base("bounds"), f.base("distances"), f.base("found")
	corners := f.base("corners")
	hits, near := f.base("hits"), f.base("near")
	count, shift := f.int("count"), f.int("shift")
	all := f.listMask(count)

	f.Label("hit")
	hit, list, corner := f.GP64(), f.GP64(), f.GP32()
	f.MOVLQSX(operand.Mem{Base: hits}, hit)
	f.MOVL(operand.Mem{Base: corners, Index: hit, Scale: 4}, corner)
	f.ADDL(shift.As32(), corner)
	f.MOVQ(hit, list)
	f.IMULQ(count, list)
	at := func(base reg.GPVirtual) operand.Mem { return operand.Mem{Base: base, Index: list, Scale: 4} }

	d, c, newD, newC := f.ZMM(), f.ZMM(), f.ZMM(), f.ZMM()
	f.VMOVUPS_Z(at(distances), all, d)
	f.VMOVDQU32_Z(at(found), all, c)
	f.VBROADCASTSS(operand.Mem{Base: near}, newD)
	f.VPBROADCASTD(corner, newC)
	nearer, same := f.K(), f.K()
	f.VCMPPS(operand.Imm(1), newD, d, all, nearer) // d < newD
	f.VCMPPS(operand.Imm(0), newD, d, all, same)
	f.VPCMPD(operand.Imm(1), newC, c, same, same) // c < newC
	f.KORW(same, nearer, nearer)
	// The list is in order, so nearer is a run of ones from lane 0 on. The lane after it is that of the new patch.
	bits, moved := f.GP32(), f.K()
	f.KMOVW(nearer, bits)
	f.INCL(bits)
	f.NOTL(bits)
	f.KMOVW(bits, moved)
	f.VEXPANDPS(d, moved, newD)
	f.VPEXPANDD(c, moved, newC)
	f.VMOVUPS(newD, all, at(distances))
	f.VMOVDQU32(newC, all, at(found))
	last := f.GP32()
	f.ADDQ(count, list)
	m := at(distances)
	m.Disp = -4
	f.MOVL(m, last)
	f.MOVL(last, operand.Mem{Base: bounds, Index: hit, Scale: 4})
	f.ADDQ(operand.Imm(4), hits)
	f.ADDQ(operand.Imm(4), near)
	f.DECQ(left)
	f.JNZ(operand.LabelRef("hit"))
	f.VZEROUPPER()
	f.Label("done")
	f.RET()
}

// listMask returns a mask of count ones.
func (f *scanX86) listMask(count reg.GPVirtual) reg.OpmaskVirtual {
	bits, n, all := f.GP32(), f.GP32(), f.K()
	f.MOVL(count.As32(), n)
	f.MOVL(operand.U32(1), bits)
	f.SHLXL(n, bits, bits)
	f.DECL(bits)
	f.KMOVW(bits, all)
	return all
}
