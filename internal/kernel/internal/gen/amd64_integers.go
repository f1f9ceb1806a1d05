package main

import (
	"math"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// integers writes the products of integers. Two neighbouring rows of a panel are together in 32 bits, and so are two
// neighbouring columns of a matrix, as instructions multiply two pairs and add both products.
func (f *x86) integers() {
	f.quantize()
	f.mulIntegers("mulIntegers", f.multiplyAdd)
	if f.width == 16 {
		f.mulIntegers("mulIntegersVNNI", f.dotProduct)
	}
}

// quantize takes a panel twice: first it finds the sizes of lanes, then it rounds two rows at a time.
func (f *x86) quantize() {
	f.function("quantize", quantizeSignature, sameAs("quantize"))
	vectors := lanes / f.width
	largest, magnitude := f.vectors(vectors), f.vector()
	f.broadcast(math.Float32frombits(1<<31-1), magnitude)
	for _, v := range largest {
		f.broadcast(leastSize, v)
	}
	b, left := f.base("b"), f.int("rows")
	at := func(row, j int) operand.Mem { return operand.Mem{Base: b, Disp: 4 * (row*lanes + j*f.width)} }
	f.Label("size")
	for j, v := range largest {
		x := f.vector()
		f.and(at(0, j), magnitude, x)
		f.VPMAXUD(x, v, v)
	}
	f.ADDQ(operand.U32(4*lanes), b)
	f.DECQ(left)
	f.JNZ(operand.LabelRef("size"))

	limit, scales := f.vector(), f.base("scales")
	f.VBROADCASTSS(f.param(f.Param("limit")), limit)
	for j, v := range largest {
		scale, zero := f.vector(), f.difference(v, v)
		f.VDIVPS(limit, v, scale)
		f.VADDPS(zero, scale, scale)
		f.VMOVUPS(scale, operand.Mem{Base: scales, Disp: 4 * j * f.width})
		f.VDIVPS(v, limit, v)
	}
	factors, words := largest, f.base("words")
	var low reg.VecVirtual
	if f.width == 16 {
		low = f.vector()
		f.broadcast(math.Float32frombits(1<<16-1), low)
	}
	f.MOVQ(f.param(f.Param("b").Base()), b)
	f.MOVQ(f.param(f.Param("rows")), left)
	f.SUBQ(operand.Imm(2), left)
	f.JL(operand.LabelRef("last"))
	f.Label("pair")
	for j := range vectors {
		x := [2]reg.VecVirtual{f.vector(), f.vector()}
		for i, x := range x {
			f.VMULPS(at(i, j), factors[j], x)
			f.VCVTPS2DQ(x, x)
		}
		f.VPSLLD(operand.Imm(16), x[1], x[1])
		f.join(x[0], x[1], low)
		f.VMOVUPS(x[0], operand.Mem{Base: words, Disp: 4 * j * f.width})
	}
	f.ADDQ(operand.U32(2*4*lanes), b)
	f.ADDQ(operand.U32(4*lanes), words)
	f.SUBQ(operand.Imm(2), left)
	f.JGE(operand.LabelRef("pair"))
	f.Label("last")
	f.ADDQ(operand.Imm(2), left)
	f.JZ(operand.LabelRef("done"))
	for j := range vectors {
		x, zero := f.vector(), f.vector()
		f.VMULPS(at(0, j), factors[j], x)
		f.VCVTPS2DQ(x, x)
		f.clear(zero)
		f.join(x, zero, low)
		f.VMOVUPS(x, operand.Mem{Base: words, Disp: 4 * j * f.width})
	}
	f.Label("done")
	f.VZEROUPPER()
	f.RET()
}

func (f *x86) and(x operand.Op, y, dst reg.VecVirtual) {
	if f.width == 16 {
		f.VPANDD(x, y, dst)
		return
	}
	f.VPAND(x, y, dst)
}

// join keeps the lower halves of the lanes of x and takes the upper ones from y, whose lower halves are zero. Low has
// ones in the lower halves, for AVX-512.
func (f *x86) join(x, y, low reg.VecVirtual) {
	if f.width == 16 {
		f.VPTERNLOGD(operand.U8(0xec), low, y, x) // y | x & low
		return
	}
	f.VPBLENDW(operand.U8(0xaa), y, x, x)
}

// mulIntegers takes the panel in chunks as wide as tiles, as products of float32 do. Step adds two products to each
// lane of a sum.
func (f *x86) mulIntegers(name string, step func(sum, x, y reg.VecVirtual)) {
	f.function(name, mulIntegersSignature, sameAs("mulIntegers"))
	t := f.tile
	width := tileVectors
	if f.width == 8 {
		width = 2 // products need registers, too
	}
	sums, v, x := f.vectors(t.rows*width), f.vectors(width), f.vector()
	chunk, chunks := f.GP64(), lanes/(width*f.width)
	address := func(p string) reg.GPVirtual {
		r := f.base(p)
		if chunks > 1 {
			f.ADDQ(chunk, r)
		}
		return r
	}
	if chunks > 1 {
		f.XORQ(chunk, chunk)
		f.Label("chunk")
	}
	a, rowScales, left, c := f.base("a"), f.base("rowScales"), f.int("rows"), address("c")
	f.Label("tile")
	f.clear(sums...)
	b, steps := address("b"), f.int("groups")
	f.Label("step")
	for j, v := range v {
		f.VMOVUPS(operand.Mem{Base: b, Disp: 4 * j * f.width}, v)
	}
	for i := range t.rows {
		f.VPBROADCASTD(operand.Mem{Base: a, Disp: 4 * i}, x)
		for j, v := range v {
			step(sums[i*width+j], x, v)
		}
	}
	f.ADDQ(operand.Imm(uint64(4*t.rows)), a)
	f.ADDQ(operand.U32(4*lanes), b)
	f.DECQ(steps)
	f.JNZ(operand.LabelRef("step"))

	scales := address("scales")
	for j, v := range v {
		f.VMOVUPS(operand.Mem{Base: scales, Disp: 4 * j * f.width}, v)
	}
	for i := range t.rows { // the last tile may have fewer rows
		f.VBROADCASTSS(operand.Mem{Base: rowScales, Disp: 4 * i}, x)
		for j, v := range v {
			s := sums[i*width+j]
			f.VCVTDQ2PS(s, s)
			f.VMULPS(x, s, s)
			f.VMULPS(v, s, s)
			f.VMOVUPS(s, operand.Mem{Base: c, Disp: 4 * (i*lanes + j*f.width)})
		}
		f.DECQ(left)
		f.JZ(operand.LabelRef("done"))
	}
	f.ADDQ(operand.U32(uint32(4*t.rows*lanes)), c)
	f.ADDQ(operand.Imm(uint64(4*t.rows)), rowScales)
	f.JMP(operand.LabelRef("tile"))

	f.Label("done")
	if chunks > 1 {
		f.ADDQ(operand.U32(uint32(4*width*f.width)), chunk)
		f.CMPQ(chunk, operand.U32(lanes*4))
		f.JNE(operand.LabelRef("chunk"))
	}
	f.VZEROUPPER()
	f.RET()
}

func (f *x86) multiplyAdd(sum, x, y reg.VecVirtual) {
	product := f.vector()
	f.VPMADDWD(y, x, product)
	f.VPADDD(product, sum, sum)
}

// dotProduct writes an instruction that avo does not know.
func (f *x86) dotProduct(sum, x, y reg.VecVirtual) {
	f.Instruction(&ir.Instruction{
		Opcode:   "VPDPWSSD",
		Operands: []operand.Op{y, x, sum},
		Inputs:   []operand.Op{y, x, sum},
		Outputs:  []operand.Op{sum},
		ISA:      []string{"AVX512_VNNI"},
	})
}
