package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// insert holds a list in one vector: what comes behind the new patch moves by a lane.
func (g *generator) insert() {
	g.Function("insert" + g.suffix)
	g.Attributes(attr.NOSPLIT)
	g.Doc("insert" + g.suffix + " is insert for lists of at most 16 patches.")
	g.SignatureExpr("func(bounds, distances []float32, found, slots, corners, hits []int32, near []float32, count, shift int)")
	left := g.load(g.Param("hits").Len())
	g.TESTQ(left, left)
	g.JZ(operand.LabelRef("done"))
	bounds, distances, found := g.base("bounds"), g.base("distances"), g.base("found")
	slots, corners := g.base("slots"), g.base("corners")
	hits, near := g.base("hits"), g.base("near")
	count, shift := g.int("count"), g.int("shift")
	all := g.listMask(count)

	g.Label("hit")
	hit, list, corner := g.GP64(), g.GP64(), g.GP32()
	g.MOVLQSX(operand.Mem{Base: hits}, hit)
	g.MOVLQSX(operand.Mem{Base: slots, Index: hit, Scale: 4}, list)
	g.MOVL(operand.Mem{Base: corners, Index: list, Scale: 4}, corner)
	g.ADDL(shift.As32(), corner)
	g.IMULQ(count, list)
	at := func(base reg.GPVirtual) operand.Mem { return operand.Mem{Base: base, Index: list, Scale: 4} }

	d, c, newD, newC := g.ZMM(), g.ZMM(), g.ZMM(), g.ZMM()
	g.VMOVUPS_Z(at(distances), all, d)
	g.VMOVDQU32_Z(at(found), all, c)
	g.VBROADCASTSS(operand.Mem{Base: near}, newD)
	g.VPBROADCASTD(corner, newC)
	nearer, same := g.K(), g.K()
	g.VCMPPS(operand.Imm(1), newD, d, all, nearer) // d < newD
	g.VCMPPS(operand.Imm(0), newD, d, all, same)
	g.VPCMPD(operand.Imm(1), newC, c, same, same) // c < newC
	g.KORW(same, nearer, nearer)
	// The list is in order, so nearer is a run of ones from lane 0 on: one more is the lane of the new patch.
	bits, moved := g.GP32(), g.K()
	g.KMOVW(nearer, bits)
	g.INCL(bits)
	g.NOTL(bits)
	g.KMOVW(bits, moved)
	g.VEXPANDPS(d, moved, newD)
	g.VPEXPANDD(c, moved, newC)
	g.VMOVUPS(newD, all, at(distances))
	g.VMOVDQU32(newC, all, at(found))
	last := g.GP32()
	g.ADDQ(count, list)
	m := at(distances)
	m.Disp = -4
	g.MOVL(m, last)
	g.MOVL(last, operand.Mem{Base: bounds, Index: hit, Scale: 4})
	g.ADDQ(operand.Imm(4), hits)
	g.ADDQ(operand.Imm(4), near)
	g.DECQ(left)
	g.JNZ(operand.LabelRef("hit"))
	g.VZEROUPPER()
	g.Label("done")
	g.RET()
}

// listMask has a one for each patch of a list.
func (g *generator) listMask(count reg.GPVirtual) reg.OpmaskVirtual {
	bits, n, all := g.GP32(), g.GP32(), g.K()
	g.MOVL(count.As32(), n)
	g.MOVL(operand.U32(1), bits)
	g.SHLXL(n, bits, bits)
	g.DECL(bits)
	g.KMOVW(bits, all)
	return all
}
