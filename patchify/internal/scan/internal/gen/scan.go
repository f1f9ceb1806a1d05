package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// scan squares the differences of all samples, then sums them for each row of references.
func (g *generator) scan() {
	g.function("scan", size, "func(hits []int32, near, squares, a, b, bounds []float32, ys []int, size, rows, lanes, pitch int) int")
	columns := g.bytes("lanes")
	g.ADDQ(operand.Imm(16*4), columns) // those that patches reach beyond the last corner
	g.squares(columns)
	g.sums(columns)
}

func (g *generator) squares(columns reg.GPVirtual) {
	a, b, to := g.base("a"), g.base("b"), g.base("squares")
	pitch, rows := g.bytes("pitch"), g.int("rows")
	x, v := g.GP64(), g.vector()
	g.Label("row")
	g.XORQ(x, x)
	g.Label("square")
	g.VMOVUPS(operand.Mem{Base: b, Index: x, Scale: 1}, v)
	g.VSUBPS(operand.Mem{Base: a, Index: x, Scale: 1}, v, v)
	g.VMULPS(v, v, v)
	g.VMOVUPS(v, operand.Mem{Base: to, Index: x, Scale: 1})
	g.ADDQ(operand.Imm(uint64(4*g.width)), x)
	g.CMPQ(x, columns)
	g.JNE(operand.LabelRef("square"))
	g.ADDQ(pitch, a)
	g.ADDQ(pitch, b)
	g.ADDQ(columns, to)
	g.DECQ(rows)
	g.JNZ(operand.LabelRef("row"))
}

// sums takes a row of references from left to right, one vector of columns ahead of the corners.
func (g *generator) sums(columns reg.GPVirtual) {
	hits, near, n := g.base("hits"), g.base("near"), g.GP64()
	g.XORQ(n, n)
	bounds, ys, left := g.base("bounds"), g.base("ys"), g.load(g.Param("ys").Len())
	index, step := g.vector(), g.vector()
	g.VMOVUPS(g.lanes, index)
	g.broadcastInt(g.width, step)
	c3 := g.GP64()
	g.LEAQ(operand.Mem{Base: columns, Index: columns, Scale: 2}, c3)

	g.Label("reference")
	at := g.GP64()
	g.MOVQ(operand.Mem{Base: ys}, at)
	g.IMULQ(columns, at)
	g.ADDQ(g.param(g.Param("squares").Base()), at)
	vectors := g.int("lanes")
	this, next := g.vector(), g.vector()
	g.column(at, columns, c3, this)
	g.Label("vector")
	g.ADDQ(operand.Imm(uint64(4*g.width)), at)
	g.column(at, columns, c3, next)
	kept := g.vector()
	g.VMOVAPS(next, kept)
	for n := 1; n < size; n *= 2 {
		s := g.vector()
		g.shift(this, next, n, s)
		g.VADDPS(s, this, this)
		if 2*n < size {
			g.shift(next, next, n, s)
			g.VADDPS(s, next, next)
		}
	}
	g.collect(hits, near, n, index, this, operand.Mem{Base: bounds})
	g.VMOVAPS(kept, this)
	g.VPADDD(step, index, index)
	g.ADDQ(operand.Imm(uint64(4*g.width)), bounds)
	g.SUBQ(operand.Imm(uint64(g.width)), vectors)
	g.JNZ(operand.LabelRef("vector"))
	g.ADDQ(operand.Imm(8), ys)
	g.DECQ(left)
	g.JNZ(operand.LabelRef("reference"))
	g.Store(n, g.ReturnIndex(0))
	g.VZEROUPPER()
	g.RET()
}

// column sums 8 rows of a vector, pairwise.
func (g *generator) column(at, c, c3 reg.GPVirtual, sum reg.VecVirtual) {
	at3 := g.GP64()
	g.LEAQ(operand.Mem{Base: at, Index: c3, Scale: 1}, at3)
	row := []operand.Mem{
		{Base: at}, {Base: at, Index: c, Scale: 1}, {Base: at, Index: c, Scale: 2},
		{Base: at3}, {Base: at3, Index: c, Scale: 1}, {Base: at3, Index: c, Scale: 2},
		{Base: at3, Index: c3, Scale: 1}, {Base: at3, Index: c, Scale: 4},
	}
	var add func(from, n int, sum reg.VecVirtual)
	add = func(from, n int, sum reg.VecVirtual) {
		if n == 2 {
			g.VMOVUPS(row[from], sum)
			g.VADDPS(row[from+1], sum, sum)
			return
		}
		other := g.vector()
		add(from, n/2, sum)
		add(from+n/2, n/2, other)
		g.VADDPS(other, sum, sum)
	}
	add(0, size, sum)
}

// shift sets to to the lanes from n on of lo, followed by those of hi.
func (g *generator) shift(lo, hi reg.VecVirtual, n int, to reg.VecVirtual) {
	if g.width == 16 {
		g.VALIGND(operand.Imm(uint64(n)), lo, hi, to)
		return
	}
	g.VPERM2F128(operand.Imm(0x21), hi, lo, to) // the upper half of lo, the lower half of hi
	if n < 4 {
		g.VPALIGNR(operand.Imm(uint64(4*n)), lo, to, to)
	}
}

func (g *generator) broadcastInt(value int, to reg.VecVirtual) {
	r := g.GP32()
	g.MOVL(operand.U32(uint32(value)), r)
	g.VMOVD(r, to.AsX())
	g.VPBROADCASTD(to.AsX(), to)
}
