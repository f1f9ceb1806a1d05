package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func (f *x86) tiles() {
	f.tileInputs()
	f.tileOutputs()
}

// tileInputs takes the rows of what tiles see in turn, a vector of tiles at a time.
func (f *x86) tileInputs() {
	f.function("tileInputs", "func(v, grid []float32, channels, plane, stride int)", sameAs("tileInputs"))
	v, plane, left := f.base("v"), f.bytes("plane"), f.int("channels")
	var rows [4]reg.GPVirtual // of the grid
	for k := range rows {
		rows[k] = f.GP64()
	}
	f.MOVQ(f.param(f.Param("grid").Base()), rows[0])
	f.LEAQ(operand.Mem{Base: rows[0], Index: plane, Scale: 2}, rows[1])
	stride := f.bytes("stride")
	for k := 2; k < 4; k++ {
		f.LEAQ(operand.Mem{Base: rows[k-2], Index: stride, Scale: 1}, rows[k])
	}
	step, step3 := f.taps(left)
	to := f.GP64()
	f.Label("channel")
	f.MOVQ(v, to)
	for k := range 4 {
		for j := range lanes / f.width {
			x := f.vectors(4)
			for l := range x {
				at := func(k int) operand.Mem {
					m := operand.Mem{Base: rows[k], Disp: 4 * (l/2 + f.width*j)}
					if l%2 == 1 {
						m.Index, m.Scale = plane, 1
					}
					return m
				}
				f.VMOVUPS(at([]int{0, 1, 2, 1}[k]), x[l])
				f.inputRow(k)(at([]int{2, 2, 1, 3}[k]), x[l], x[l])
			}
			out := f.vectors(4)
			for l, v := range out {
				f.inputRow(l)(x[[]int{2, 2, 1, 3}[l]], x[[]int{0, 1, 2, 1}[l]], v)
				f.VMOVUPS(v, tap(to, step, step3, l, 4*f.width*j))
			}
		}
		f.LEAQ(operand.Mem{Base: to, Index: step, Scale: 4}, to)
	}
	f.ADDQ(operand.U32(4*lanes), v)
	for _, r := range rows {
		f.LEAQ(operand.Mem{Base: r, Index: plane, Scale: 4}, r)
	}
	f.DECQ(left)
	f.JNZ(operand.LabelRef("channel"))
	f.VZEROUPPER()
	f.RET()
}

// inputRow returns the instruction of row k of the transform.
func (f *x86) inputRow(k int) func(...operand.Op) {
	if k == 1 {
		return f.VADDPS
	}
	return f.VSUBPS
}

// taps returns the distance in bytes of the same channel in neighbouring panels, and three times that.
func (f *x86) taps(channels reg.GPVirtual) (step, step3 reg.GPVirtual) {
	step, step3 = f.GP64(), f.GP64()
	f.IMUL3Q(operand.U32(4*lanes), channels, step)
	f.LEAQ(operand.Mem{Base: step, Index: step, Scale: 2}, step3)
	return step, step3
}

// tap returns the address of panel l from base on.
func tap(base, step, step3 reg.Register, l, disp int) operand.Mem {
	m := operand.Mem{Base: base, Disp: disp}
	switch l {
	case 1, 2:
		m.Index, m.Scale = step, uint8(l)
	case 3:
		m.Index, m.Scale = step3, 1
	}
	return m
}

// tileOutputs takes the rows of tiles in turn, a vector of tiles at a time.
func (f *x86) tileOutputs() {
	f.function("tileOutputs", "func(grid, m, bias []float32, plane, stride int)", sameAs("tileOutputs"))
	bias, plane, left := f.base("bias"), f.bytes("plane"), f.load(f.Param("bias").Len())
	step, step3 := f.taps(left)
	var rows [4]reg.GPVirtual // of the products
	for k := range rows {
		rows[k] = f.GP64()
	}
	f.MOVQ(f.param(f.Param("m").Base()), rows[0])
	for k := range rows[1:] {
		f.LEAQ(operand.Mem{Base: rows[k], Index: step, Scale: 4}, rows[k+1])
	}
	var to [2]reg.GPVirtual // rows of the tile in the grid
	to[0], to[1] = f.GP64(), f.GP64()
	f.MOVQ(f.param(f.Param("grid").Base()), to[1])
	f.LEAQ(operand.Mem{Base: to[1], Index: plane, Scale: 2}, to[0])
	f.ADDQ(f.bytes("stride"), to[1])
	zero, b := f.vector(), f.vector()
	f.clear(zero)
	f.Label("channel")
	f.VBROADCASTSS(operand.Mem{Base: bias}, b)
	for i, to := range to {
		for j := range lanes / f.width {
			x := f.vectors(4)
			for l, x := range x {
				f.VMOVUPS(tap(rows[i], step, step3, l, 4*f.width*j), x)
				f.outputRow(i, x, tap(rows[i+1], step, step3, l, 4*f.width*j),
					tap(rows[i+2], step, step3, l, 4*f.width*j))
			}
			f.outputRow(0, x[0], x[1], x[2])
			f.outputRow(1, x[1], x[2], x[3])
			for _, x := range x[:2] {
				f.VADDPS(b, x, x)
				f.VMAXPS(x, zero, x) // NaN stays
			}
			f.VMOVUPS(x[0], operand.Mem{Base: to, Index: plane, Scale: 1, Disp: 4 * f.width * j})
			f.VMOVUPS(x[1], operand.Mem{Base: to, Disp: 4 * (f.width*j + 1)})
		}
	}
	f.ADDQ(operand.Imm(4), bias)
	for _, r := range rows {
		f.ADDQ(operand.U32(4*lanes), r)
	}
	for _, r := range to {
		f.LEAQ(operand.Mem{Base: r, Index: plane, Scale: 4}, r)
	}
	f.DECQ(left)
	f.JNZ(operand.LabelRef("channel"))
	f.VZEROUPPER()
	f.RET()
}

// outputRow adds two operands to x in row 0 of the transform, and subtracts them in row 1.
func (f *x86) outputRow(i int, x reg.VecVirtual, u, v operand.Op) {
	op := f.VADDPS
	if i == 1 {
		op = f.VSUBPS
	}
	op(u, x, x)
	op(v, x, x)
}
