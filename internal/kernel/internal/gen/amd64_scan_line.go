package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// line sums columns pairwise, for as many neighbouring offsets at a time as a vector has lanes. Sums only grow, so it stops
// when no lane can be a hit any more.
func (f *scanX86) line(size int) {
	f.loop("line", size, "func(hits []int32, near, a, b []float32, bound float32, size, lanes, pitch int) int")
	hits, near, n := f.base("hits"), f.base("near"), f.GP64()
	f.XORQ(n, n)
	a, b := f.base("a"), f.base("b")
	left := f.int("lanes")
	p := f.bytes("pitch")
	p3 := f.GP64()
	f.LEAQ(operand.Mem{Base: p, Index: p, Scale: 2}, p3)
	a3, b3 := f.GP64(), f.GP64()
	f.LEAQ(operand.Mem{Base: a, Index: p3, Scale: 1}, a3)
	f.LEAQ(operand.Mem{Base: b, Index: p3, Scale: 1}, b3)
	bound, index, step := f.vector(), f.vector(), f.vector()
	f.VBROADCASTSS(f.param(f.Param("bound")), bound)
	f.VMOVUPS(f.lanes, index)
	f.broadcastInt(f.width, step)

	sample := func(base, base3 reg.GPVirtual, r, c int) operand.Mem {
		m := []operand.Mem{
			{Base: base}, {Base: base, Index: p, Scale: 1}, {Base: base, Index: p, Scale: 2},
			{Base: base3}, {Base: base3, Index: p, Scale: 1}, {Base: base3, Index: p, Scale: 2},
			{Base: base3, Index: p3, Scale: 1}, {Base: base3, Index: p, Scale: 4},
		}[r]
		m.Disp = 4 * c
		return m
	}
	var column func(c, from, n int, sum reg.VecVirtual)
	column = func(c, from, n int, sum reg.VecVirtual) {
		if n == 1 {
			if f.width == 16 {
				f.VMOVUPS(sample(b, b3, from, c), sum)
				f.VSUBPS_BCST(sample(a, a3, from, c), sum, sum)
			} else {
				f.VBROADCASTSS(sample(a, a3, from, c), sum)
				f.VSUBPS(sample(b, b3, from, c), sum, sum)
			}
			f.VMULPS(sum, sum, sum)
			return
		}
		other := f.vector()
		column(c, from, n/2, sum)
		column(c, from+n/2, n/2, other)
		f.VADDPS(other, sum, sum)
	}
	var columns func(c, n int, sum reg.VecVirtual)
	columns = func(c, n int, sum reg.VecVirtual) {
		if n == 1 {
			column(c, 0, size, sum)
			return
		}
		other := f.vector()
		columns(c, n/2, sum)
		if c == 0 {
			bits, _ := f.compare(sum, bound)
			f.TESTL(bits, bits)
			f.JZ(operand.LabelRef("far"))
		}
		columns(c+n/2, n/2, other)
		f.VADDPS(other, sum, sum)
	}
	f.Label("vector")
	sum := f.vector()
	columns(0, size, sum)
	f.collect(hits, near, n, index, sum, bound)
	f.Label("far")
	f.VPADDD(step, index, index)
	f.ADDQ(operand.Imm(uint64(4*f.width)), b)
	f.ADDQ(operand.Imm(uint64(4*f.width)), b3)
	f.SUBQ(operand.Imm(uint64(f.width)), left)
	f.JNZ(operand.LabelRef("vector"))
	f.Store(n, f.ReturnIndex(0))
	f.VZEROUPPER()
	f.RET()
}
