package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// label returns a new label.
func (f *scanX86) label(name string) string {
	f.labels++
	return fmt.Sprint(name, f.labels)
}

// compare returns a bit for each lane: whether v is not above the bound.
func (f *scanX86) compare(v reg.VecVirtual, bound operand.Op) (bits reg.GPVirtual, mask reg.OpmaskVirtual) {
	const atMost = 2
	bits = f.GP32()
	if f.width == 16 {
		mask = f.K()
		f.VCMPPS(operand.Imm(atMost), bound, v, mask)
		f.KMOVW(mask, bits)
		return bits, mask
	}
	t := f.vector()
	f.VCMPPS(operand.Imm(atMost), bound, v, t)
	f.VMOVMSKPS(t, bits)
	return bits, mask
}

// collect appends the indices of lanes whose value is not above the bound to hits, and the values to near.
func (f *scanX86) collect(hits, near, n reg.GPVirtual, index, value reg.VecVirtual, bound operand.Op) {
	none := f.label("none")
	bits, mask := f.compare(value, bound)
	f.TESTL(bits, bits)
	f.JZ(operand.LabelRef(none))
	to := func(base reg.GPVirtual) operand.Mem { return operand.Mem{Base: base, Index: n, Scale: 4} }
	if f.width == 16 {
		f.POPCNTL(bits, bits)
		v := f.vector()
		f.VPCOMPRESSD_Z(index, mask, v)
		f.VMOVUPS(v, to(hits))
		f.VCOMPRESSPS_Z(value, mask, v)
		f.VMOVUPS(v, to(near))
		f.ADDQ(bits.As64(), n)
		f.Label(none)
		return
	}
	i, v := f.AllocLocal(4*f.width), f.AllocLocal(4*f.width)
	f.VMOVUPS(index, i)
	f.VMOVUPS(value, v)
	more, lane, r := f.label("more"), f.GP32(), f.GP32()
	f.Label(more)
	f.TZCNTL(bits, lane)
	f.MOVL(i.Idx(lane.As64(), 4), r)
	f.MOVL(r, to(hits))
	f.MOVL(v.Idx(lane.As64(), 4), r)
	f.MOVL(r, to(near))
	f.INCQ(n)
	f.BLSRL(bits, bits)
	f.JNZ(operand.LabelRef(more))
	f.Label(none)
}
