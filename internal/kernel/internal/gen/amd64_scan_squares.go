package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// scan squares the differences of all samples, then sums them for each row of references.
func (f *scanX86) scan() {
	f.loop("scan", scanSize, "func(hits []int32, near, squares, a, b, bounds []float32, ys []int, size, rows, lanes, pitch int) int")
	columns := f.bytes("lanes")
	f.ADDQ(operand.Imm(16*4), columns) // the columns of patches to the right of the last corner
	f.squares(columns)
	f.sums(columns)
}

func (f *scanX86) squares(columns reg.GPVirtual) {
	a, b, to := f.base("a"), f.base("b"), f.base("squares")
	pitch, rows := f.bytes("pitch"), f.int("rows")
	x, v := f.GP64(), f.vector()
	f.Label("row")
	f.XORQ(x, x)
	f.Label("square")
	f.VMOVUPS(operand.Mem{Base: b, Index: x, Scale: 1}, v)
	f.VSUBPS(operand.Mem{Base: a, Index: x, Scale: 1}, v, v)
	f.VMULPS(v, v, v)
	f.VMOVUPS(v, operand.Mem{Base: to, Index: x, Scale: 1})
	f.ADDQ(operand.Imm(uint64(4*f.width)), x)
	f.CMPQ(x, columns)
	f.JNE(operand.LabelRef("square"))
	f.ADDQ(pitch, a)
	f.ADDQ(pitch, b)
	f.ADDQ(columns, to)
	f.DECQ(rows)
	f.JNZ(operand.LabelRef("row"))
}

// sums takes a row of references from left to right. It computes the sums of columns one vector ahead of the corners.
func (f *scanX86) sums(columns reg.GPVirtual) {
	hits, near, n := f.base("hits"), f.base("near"), f.GP64()
	f.XORQ(n, n)
	bounds, ys, left := f.base("bounds"), f.base("ys"), f.load(f.Param("ys").Len())
	index, step := f.vector(), f.vector()
	f.VMOVUPS(f.lanes, index)
	f.broadcastInt(f.width, step)
	c3 := f.GP64()
	f.LEAQ(operand.Mem{Base: columns, Index: columns, Scale: 2}, c3)

	f.Label("reference")
	at := f.GP64()
	f.MOVQ(operand.Mem{Base: ys}, at)
	f.IMULQ(columns, at)
	f.ADDQ(f.param(f.Param("squares").Base()), at)
	vectors := f.int("lanes")
	this, next := f.vector(), f.vector()
	f.column(at, columns, c3, this)
	f.Label("vector")
	f.ADDQ(operand.Imm(uint64(4*f.width)), at)
	f.column(at, columns, c3, next)
	kept := f.vector()
	f.VMOVAPS(next, kept)
	for n := 1; n < scanSize; n *= 2 {
		s := f.vector()
		f.shift(this, next, n, s)
		f.VADDPS(s, this, this)
		if 2*n < scanSize {
			f.shift(next, next, n, s)
			f.VADDPS(s, next, next)
		}
	}
	f.collect(hits, near, n, index, this, operand.Mem{Base: bounds})
	f.VMOVAPS(kept, this)
	f.VPADDD(step, index, index)
	f.ADDQ(operand.Imm(uint64(4*f.width)), bounds)
	f.SUBQ(operand.Imm(uint64(f.width)), vectors)
	f.JNZ(operand.LabelRef("vector"))
	f.ADDQ(operand.Imm(8), ys)
	f.DECQ(left)
	f.JNZ(operand.LabelRef("reference"))
	f.Store(n, f.ReturnIndex(0))
	f.VZEROUPPER()
	f.RET()
}

// column adds 8 rows of a vector pairwise.
func (f *scanX86) column(at, c, c3 reg.GPVirtual, sum reg.VecVirtual) {
	at3 := f.GP64()
	f.LEAQ(operand.Mem{Base: at, Index: c3, Scale: 1}, at3)
	row := []operand.Mem{
		{Base: at}, {Base: at, Index: c, Scale: 1}, {Base: at, Index: c, Scale: 2},
		{Base: at3}, {Base: at3, Index: c, Scale: 1}, {Base: at3, Index: c, Scale: 2},
		{Base: at3, Index: c3, Scale: 1}, {Base: at3, Index: c, Scale: 4},
	}
	var add func(from, n int, sum reg.VecVirtual)
	add = func(from, n int, sum reg.VecVirtual) {
		if n == 2 {
			f.VMOVUPS(row[from], sum)
			f.VADDPS(row[from+1], sum, sum)
			return
		}
		other := f.vector()
		add(from, n/2, sum)
		add(from+n/2, n/2, other)
		f.VADDPS(other, sum, sum)
	}
	add(0, scanSize, sum)
}

// shift sets to to the lanes of lo from n on, followed by lanes of hi.
func (f *scanX86) shift(lo, hi reg.VecVirtual, n int, to reg.VecVirtual) {
	if f.width == 16 {
		f.VALIGND(operand.Imm(uint64(n)), lo, hi, to)
		return
	}
	f.VPERM2F128(operand.Imm(0x21), hi, lo, to) // the upper half of lo, the lower half of hi
	if n < 4 {
		f.VPALIGNR(operand.Imm(uint64(4*n)), lo, to, to)
	}
}
