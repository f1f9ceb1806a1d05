package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// label returns a name that the function does not have yet.
func (g *generator) label(name string) string {
	g.names++
	return fmt.Sprint(name, g.names)
}

// compare sets a register of bits to the lanes where v is at most as high as a bound.
func (g *generator) compare(v reg.VecVirtual, bound operand.Op) (bits reg.GPVirtual, mask reg.OpmaskVirtual) {
	const atMost = 2
	bits = g.GP32()
	if g.width == 16 {
		mask = g.K()
		g.VCMPPS(operand.Imm(atMost), bound, v, mask)
		g.KMOVW(mask, bits)
		return bits, mask
	}
	t := g.vector()
	g.VCMPPS(operand.Imm(atMost), bound, v, t)
	g.VMOVMSKPS(t, bits)
	return bits, mask
}

// collect appends the lanes whose value is at most as high as the bound to hits, and the values to near.
func (g *generator) collect(hits, near, n reg.GPVirtual, index, value reg.VecVirtual, bound operand.Op) {
	none := g.label("none")
	bits, mask := g.compare(value, bound)
	g.TESTL(bits, bits)
	g.JZ(operand.LabelRef(none))
	to := func(base reg.GPVirtual) operand.Mem { return operand.Mem{Base: base, Index: n, Scale: 4} }
	if g.width == 16 {
		g.POPCNTL(bits, bits)
		v := g.vector()
		g.VPCOMPRESSD_Z(index, mask, v)
		g.VMOVUPS(v, to(hits))
		g.VCOMPRESSPS_Z(value, mask, v)
		g.VMOVUPS(v, to(near))
		g.ADDQ(bits.As64(), n)
		g.Label(none)
		return
	}
	i, v := g.AllocLocal(4*g.width), g.AllocLocal(4*g.width)
	g.VMOVUPS(index, i)
	g.VMOVUPS(value, v)
	more, lane, r := g.label("more"), g.GP32(), g.GP32()
	g.Label(more)
	g.TZCNTL(bits, lane)
	g.MOVL(i.Idx(lane.As64(), 4), r)
	g.MOVL(r, to(hits))
	g.MOVL(v.Idx(lane.As64(), 4), r)
	g.MOVL(r, to(near))
	g.INCQ(n)
	g.BLSRL(bits, bits)
	g.JNZ(operand.LabelRef(more))
	g.Label(none)
}
