package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// line sums columns pairwise for as many neighbouring offsets as a vector has lanes. Sums grow only, so it leaves when no
// lane can be a hit any more.
func (g *generator) line(size int) {
	g.function("line", size, "func(hits []int32, near, a, b []float32, bound float32, size, lanes, pitch int) int")
	hits, near, n := g.base("hits"), g.base("near"), g.GP64()
	g.XORQ(n, n)
	a, b := g.base("a"), g.base("b")
	left := g.int("lanes")
	p := g.bytes("pitch")
	p3 := g.GP64()
	g.LEAQ(operand.Mem{Base: p, Index: p, Scale: 2}, p3)
	a3, b3 := g.GP64(), g.GP64()
	g.LEAQ(operand.Mem{Base: a, Index: p3, Scale: 1}, a3)
	g.LEAQ(operand.Mem{Base: b, Index: p3, Scale: 1}, b3)
	bound, index, step := g.vector(), g.vector(), g.vector()
	g.VBROADCASTSS(g.param(g.Param("bound")), bound)
	g.VMOVUPS(g.lanes, index)
	g.broadcastInt(g.width, step)

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
			if g.width == 16 {
				g.VMOVUPS(sample(b, b3, from, c), sum)
				g.VSUBPS_BCST(sample(a, a3, from, c), sum, sum)
			} else {
				g.VBROADCASTSS(sample(a, a3, from, c), sum)
				g.VSUBPS(sample(b, b3, from, c), sum, sum)
			}
			g.VMULPS(sum, sum, sum)
			return
		}
		other := g.vector()
		column(c, from, n/2, sum)
		column(c, from+n/2, n/2, other)
		g.VADDPS(other, sum, sum)
	}
	var columns func(c, n int, sum reg.VecVirtual)
	columns = func(c, n int, sum reg.VecVirtual) {
		if n == 1 {
			column(c, 0, size, sum)
			return
		}
		other := g.vector()
		columns(c, n/2, sum)
		if c == 0 {
			bits, _ := g.compare(sum, bound)
			g.TESTL(bits, bits)
			g.JZ(operand.LabelRef("far"))
		}
		columns(c+n/2, n/2, other)
		g.VADDPS(other, sum, sum)
	}
	g.Label("vector")
	sum := g.vector()
	columns(0, size, sum)
	g.collect(hits, near, n, index, sum, bound)
	g.Label("far")
	g.VPADDD(step, index, index)
	g.ADDQ(operand.Imm(uint64(4*g.width)), b)
	g.ADDQ(operand.Imm(uint64(4*g.width)), b3)
	g.SUBQ(operand.Imm(uint64(g.width)), left)
	g.JNZ(operand.LabelRef("vector"))
	g.Store(n, g.ReturnIndex(0))
	g.VZEROUPPER()
	g.RET()
}
