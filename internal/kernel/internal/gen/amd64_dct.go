package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// patchRow and patchColumn are the distances in bytes of the rows of a panel with the samples of a row and of a column
// of patches.
const (
	patchRow    = 4 * lanes
	patchColumn = patchRow * patchSide
)

// cosines[k] is cos(k pi / 16) / 2 from k = 1 on, as in package kernel.
var cosines = [patchSide]float32{1: 0.49039264020161522, 0.46193976625564337, 0.41573480615127262, 0.35355339059327373,
	0.27778511650980109, 0.19134171618254489, 0.09754516100806413}

// odd[i][j] is the cosine, with its sign, that the j-th difference has in the i-th odd frequency. The matrix is its own
// transpose.
var odd = [4][4]int{{1, 3, 5, 7}, {3, -7, -1, -5}, {5, -1, 7, 3}, {7, -5, 3, -1}}

// dctX86 writes transforms of patches in panels.
type dctX86 struct {
	*x86
	cosines [patchSide]reg.VecVirtual // without the fourth, which diagonal broadcasts
}

func (f *x86) transforms() {
	(&dctX86{x86: f}).transform("dct", (*dctX86).forward)
	(&dctX86{x86: f}).transform("inverseDCT", (*dctX86).backward)
}

// transform takes a vector of lanes at a time, which stays in the first-level cache: the rows of patches, and then the
// columns.
func (f *dctX86) transform(name string, body func(f *dctX86, dst, src reg.Register, step int)) {
	f.function(name, "func(dst, src []float32)", sameAs(name))
	for _, k := range []int{1, 2, 3, 5, 6, 7} {
		f.cosines[k] = f.vector()
		f.broadcast(cosines[k], f.cosines[k])
	}
	dst, src, column, left, chunk := f.base("dst"), f.base("src"), f.GP64(), f.GP64(), f.GP64()
	f.MOVQ(operand.U32(uint32(lanes/f.width)), chunk)
	f.Label("chunk")
	f.MOVQ(dst, column)
	loop := func(label string, do func()) {
		f.MOVQ(operand.U32(patchSide), left)
		f.Label(label)
		do()
		f.DECQ(left)
		f.JNZ(operand.LabelRef(label))
	}
	loop("rows", func() {
		body(f, dst, src, patchRow)
		f.ADDQ(operand.U32(patchColumn), dst)
		f.ADDQ(operand.U32(patchColumn), src)
	})
	loop("columns", func() {
		body(f, column, column, patchColumn)
		f.ADDQ(operand.U32(patchRow), column)
	})
	for _, r := range []reg.Register{dst, src} { // the next vector of the first row
		f.SUBQ(operand.U32(uint32(patchSide*patchColumn-4*f.width)), r)
	}
	f.DECQ(chunk)
	f.JNZ(operand.LabelRef("chunk"))
	f.VZEROUPPER()
	f.RET()
}

// diagonal returns a new register with cosines[4]. Keeping it would take one register more than AVX2 has.
func (f *dctX86) diagonal() reg.VecVirtual {
	c := f.vector()
	f.broadcast(cosines[4], c)
	return c
}

// butterfly returns a + b, and a - b in the register of a.
func (f *dctX86) butterfly(a reg.VecVirtual, b operand.Op) reg.VecVirtual {
	s := f.vector()
	f.VADDPS(b, a, s)
	f.VSUBPS(b, a, a)
	return s
}

// sum returns the sum of vectors times cosines, of which a negative number means the opposite. The first is positive.
func (f *dctX86) sum(v []reg.VecVirtual, k []int) reg.VecVirtual {
	s := f.vector()
	f.VMULPS(f.cosines[k[0]], v[0], s)
	for i, k := range k[1:] {
		if k < 0 {
			f.VFNMADD231PS(f.cosines[-k], v[i+1], s)
		} else {
			f.VFMADD231PS(f.cosines[k], v[i+1], s)
		}
	}
	return s
}

func (f *dctX86) forward(dst, src reg.Register, step int) {
	at := func(base reg.Register, i int) operand.Mem { return operand.Mem{Base: base, Disp: i * step} }
	s, d := make([]reg.VecVirtual, 4), f.vectors(4)
	for i := range d {
		f.VMOVUPS(at(src, i), d[i])
		s[i] = f.butterfly(d[i], at(src, patchSide-1-i))
	}
	for i, k := range odd {
		f.VMOVUPS(f.sum(d, k[:]), at(dst, 2*i+1))
	}
	e := []reg.VecVirtual{f.butterfly(s[0], s[3]), f.butterfly(s[1], s[2])}
	f.VMOVUPS(f.sum(s[:2], []int{2, 6}), at(dst, 2))
	f.VMOVUPS(f.sum(s[:2], []int{6, -2}), at(dst, 6))
	all := f.butterfly(e[0], e[1])
	c := f.diagonal()
	f.VMULPS(c, all, all)
	f.VMULPS(c, e[0], e[0])
	f.VMOVUPS(all, at(dst, 0))
	f.VMOVUPS(e[0], at(dst, 4))
}

func (f *dctX86) backward(dst, src reg.Register, step int) {
	at := func(base reg.Register, i int) operand.Mem { return operand.Mem{Base: base, Disp: i * step} }
	load := func(i ...int) []reg.VecVirtual {
		v := f.vectors(len(i))
		for j, i := range i {
			f.VMOVUPS(at(src, i), v[j])
		}
		return v
	}
	c := f.diagonal()
	z := load(0)
	f.VMULPS(c, z[0], z[0])
	y := load(4)
	f.VMULPS(c, y[0], y[0])
	e0 := f.butterfly(z[0], y[0])
	e1 := z[0]
	z = load(2, 6)
	o0, o1 := f.sum(z, []int{2, 6}), f.sum(z, []int{6, -2})
	s := []reg.VecVirtual{f.butterfly(e0, o0), f.butterfly(e1, o1), e1, e0}
	z = load(1, 3, 5, 7)
	for i, k := range odd {
		x := f.butterfly(s[i], f.sum(z, k[:]))
		f.VMOVUPS(x, at(dst, i))
		f.VMOVUPS(s[i], at(dst, patchSide-1-i))
	}
}
