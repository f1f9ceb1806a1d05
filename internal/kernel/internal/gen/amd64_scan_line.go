package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// line sums columns pairwise, for as many neighbouring offsets at a time as a vector has lanes. Sums only grow, so it
// stops when no lane can be a hit any more.
func (f *scanX86) line(size int) {
	f.loop("line", size, "func(hits []int32, near, a, b []float32, bound float32, size, lanes, pitch int) int")
	hits, near, n := f.base("hits"), f.base("near"), f.GP64()
	f.XORQ(n, n)
	left := f.int("lanes")
	s, zero := f.newSamples(), f.GP64()
	f.XORQ(zero, zero)
	s.start(zero)
	bound, index, step := f.vector(), f.vector(), f.vector()
	f.VBROADCASTSS(f.param(f.Param("bound")), bound)
	f.VMOVUPS(f.lanes, index)
	f.broadcastInt(f.width, step)

	column := func(c int, sum reg.VecVirtual) {
		f.sumColumn(0, size, sum, func(r int, v reg.VecVirtual) {
			if f.width == 16 {
				f.VMOVUPS(s.b.at(r, c), v)
				f.VSUBPS_BCST(s.a.at(r, c), v, v)
			} else {
				f.VBROADCASTSS(s.a.at(r, c), v)
				f.VSUBPS(s.b.at(r, c), v, v)
			}
			f.VMULPS(v, v, v)
		})
	}
	var columns func(c, n int, sum reg.VecVirtual)
	columns = func(c, n int, sum reg.VecVirtual) {
		if n == 1 {
			column(c, sum)
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
	s.b.advance(f)
	f.SUBQ(operand.Imm(uint64(f.width)), left)
	f.JNZ(operand.LabelRef("vector"))
	f.Store(n, f.ReturnIndex(0))
	f.VZEROUPPER()
	f.RET()
}
