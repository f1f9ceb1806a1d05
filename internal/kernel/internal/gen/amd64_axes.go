package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// block loads the parameters of a block of blockLanes lanes: the address of the first row, the distance of rows in
// bytes, and into rows their number.
func (f *x86) block(rows operand.Op) (at, stride reg.GPVirtual) {
	at, stride = f.GP64(), f.GP64()
	f.MOVQ(f.param(f.Param("block").Base()), at)
	f.MOVQ(f.param(f.Param("stride")), stride)
	f.SHLQ(operand.Imm(2), stride)
	f.MOVQ(f.param(f.Param("rows")), rows)
	return at, stride
}

// halves returns the width of a block in vectors.
func (f *x86) halves() int { return blockLanes / f.width }

// gram computes the result in parts of as many rows as fit in registers, and reads the block once for each part.
func (f *x86) gram() {
	f.function("gram", "func(gram, block []float32, rows, stride int)",
		"computes gram[r][c] = sum over the rows of block[r] block[c].")
	part := map[int]int{16: 16, 8: 4}[f.width]
	result := f.GP64()
	f.MOVQ(f.param(f.Param("gram").Base()), result)
	sums, row := f.vectors(part*f.halves()), f.vectors(f.halves())
	x := f.vector()
	for first := 0; first < blockLanes; first += part {
		left := f.GP64()
		at, stride := f.block(left)
		f.clear(sums...)
		label := "row" + string(rune('a'+first))
		f.Label(label)
		for h, v := range row {
			f.VMOVUPS(operand.Mem{Base: at, Disp: 4 * f.width * h}, v)
		}
		for r := range part {
			m := operand.Mem{Base: at, Disp: 4 * (first + r)}
			if f.width == 16 {
				f.VFMADD231PS_BCST(m, row[0], sums[r])
				continue
			}
			f.VBROADCASTSS(m, x)
			for h, v := range row {
				f.VFMADD231PS(x, v, sums[r*f.halves()+h])
			}
		}
		f.ADDQ(stride, at)
		f.DECQ(left)
		f.JNZ(operand.LabelRef(label))
		for i, s := range sums {
			f.VMOVUPS(s, operand.Mem{Base: result, Disp: 4 * (first*blockLanes + i*f.width)})
		}
	}
	f.VZEROUPPER()
	f.RET()
}

// rightMultiply takes several rows at a time, so that their sums do not wait for each other.
func (f *x86) rightMultiply() {
	f.function("rightMultiply", "func(block, m []float32, rows, stride int)",
		"replaces each row of the block by the row times m.")
	const rows = 8
	together := map[int]int{16: rows, 8: rows / 2}[f.width]
	left := f.GP64()
	at, stride := f.block(left)
	m := f.GP64()
	f.MOVQ(f.param(f.Param("m").Base()), m)
	three := f.GP64()
	f.LEAQ(operand.Mem{Base: stride, Index: stride, Scale: 2}, three)
	var kept []reg.VecVirtual // rows of the matrix
	if f.width == 16 {
		kept = f.vectors(blockLanes)
		for c, v := range kept {
			f.VMOVUPS(operand.Mem{Base: m, Disp: 4 * c * blockLanes}, v)
		}
	}
	sums := f.vectors(together * f.halves())
	row, x := f.vectors(f.halves()), f.vector()
	next := f.GP64()
	f.Label("rows")
	f.LEAQ(operand.Mem{Base: at, Index: stride, Scale: 4}, next)
	place := func(i, disp int) operand.Mem {
		p := operand.Mem{Base: at, Disp: disp}
		if i >= 4 {
			p.Base = next
		}
		switch i % 4 {
		case 1, 2:
			p.Index, p.Scale = stride, uint8(i%4)
		case 3:
			p.Index, p.Scale = three, 1
		}
		return p
	}
	f.clear(sums...)
	for c := range blockLanes {
		if f.width == 16 {
			for i, s := range sums {
				f.VFMADD231PS_BCST(place(i, 4*c), kept[c], s)
			}
			continue
		}
		for h, v := range row {
			f.VMOVUPS(operand.Mem{Base: m, Disp: 4 * (c*blockLanes + f.width*h)}, v)
		}
		for i := range together {
			f.VBROADCASTSS(place(i, 4*c), x)
			for h, v := range row {
				f.VFMADD231PS(x, v, sums[i*f.halves()+h])
			}
		}
	}
	for i, s := range sums {
		f.VMOVUPS(s, place(i/f.halves(), 4*f.width*(i%f.halves())))
	}
	f.LEAQ(operand.Mem{Base: next, Index: stride, Scale: 4}, next)
	if together == rows {
		f.MOVQ(next, at)
	} else {
		f.LEAQ(operand.Mem{Base: at, Index: stride, Scale: 4}, at)
	}
	f.SUBQ(operand.Imm(uint64(together)), left)
	f.JNZ(operand.LabelRef("rows"))
	f.VZEROUPPER()
	f.RET()
}

// Sizes in bytes of an element and of a row of blockLanes matrices at once.
const (
	axesElement = 4 * blockLanes
	axesRow     = axesElement * blockLanes
)

// jacobiX86 writes the kernel of PrincipalAxes. It takes all matrices at once: with several vectors to an element, the
// square roots and divisions of one do not wait for those of the other.
type jacobiX86 struct {
	*x86
	c, s                 []reg.VecVirtual
	one, two, tiny, sign reg.VecVirtual
}

func (f *x86) jacobi() {
	f.function("jacobi", "func(axes, gram []float32, sweeps int)", sameAs("jacobi"))
	j := &jacobiX86{x86: f, c: f.vectors(f.halves()), s: f.vectors(f.halves()), one: f.vector(), two: f.vector(),
		tiny: f.vector(), sign: f.vector()}
	j.body()
}

func (f *jacobiX86) body() {
	control := f.AllocLocal(8)
	f.flushDenormals(control)
	f.broadcast(1, f.one)
	f.broadcast(2, f.two)
	f.broadcast(1e-37, f.tiny)
	f.broadcast(float32(math.Copysign(0, -1)), f.sign)
	gram, axes, sweep := f.base("gram"), f.base("axes"), f.int("sweeps")

	// p and q count elements in bytes; rowP and rowQ are the same rows of gram.
	p, q, rowP, rowQ := f.GP64(), f.GP64(), f.GP64(), f.GP64()
	f.Label("sweep")
	f.MOVQ(operand.U32(axesElement), p)
	f.LEAQ(operand.Mem{Base: gram, Disp: axesRow}, rowP)
	f.Label("p")
	f.LEAQ(operand.Mem{Base: p, Disp: axesElement}, q)
	f.LEAQ(operand.Mem{Base: rowP, Disp: axesRow}, rowQ)
	f.Label("q")
	for h := range f.c {
		element := func(row, column reg.GPVirtual) operand.Mem {
			return operand.Mem{Base: row, Index: column, Scale: 1, Disp: 4 * f.width * h}
		}
		f.angle(f.c[h], f.s[h], element(rowP, p), element(rowP, q), element(rowQ, q))
	}

	x, y, end := f.GP64(), f.GP64(), f.GP64()
	// k < p: columns p and q from row 1 to row p.
	f.LEAQ(operand.Mem{Base: gram, Index: p, Scale: 1, Disp: axesRow}, x)
	f.LEAQ(operand.Mem{Base: gram, Index: q, Scale: 1, Disp: axesRow}, y)
	f.MOVQ(rowP, end)
	f.ADDQ(p, end)
	f.run("above", x, y, x, end, axesRow, axesRow)
	// p < k < q: row p and column q.
	f.LEAQ(operand.Mem{Base: rowP, Index: p, Scale: 1, Disp: axesElement}, x)
	f.LEAQ(operand.Mem{Base: rowP, Index: q, Scale: 1, Disp: axesRow}, y)
	f.MOVQ(rowP, end)
	f.ADDQ(q, end)
	f.run("between", x, y, x, end, axesElement, axesRow)
	// k > q: rows p and q.
	f.LEAQ(operand.Mem{Base: rowP, Index: q, Scale: 1, Disp: axesElement}, x)
	f.LEAQ(operand.Mem{Base: rowQ, Index: q, Scale: 1, Disp: axesElement}, y)
	f.LEAQ(operand.Mem{Base: rowP, Disp: axesRow}, end)
	f.run("right", x, y, x, end, axesElement, axesElement)
	// Rows p and q of the axes.
	f.MOVQ(rowP, x)
	f.SUBQ(gram, x)
	f.ADDQ(axes, x)
	f.MOVQ(rowQ, y)
	f.SUBQ(gram, y)
	f.ADDQ(axes, y)
	for k := 1; k < blockLanes; k++ {
		f.rotate(operand.Mem{Base: x, Disp: k * axesElement}, operand.Mem{Base: y, Disp: k * axesElement})
	}

	f.ADDQ(operand.Imm(axesElement), q)
	f.ADDQ(operand.U32(axesRow), rowQ)
	f.CMPQ(q, operand.U32(axesRow))
	f.JNE(operand.LabelRef("q"))
	f.ADDQ(operand.Imm(axesElement), p)
	f.ADDQ(operand.U32(axesRow), rowP)
	f.CMPQ(p, operand.U32(axesRow-axesElement))
	f.JNE(operand.LabelRef("p"))
	f.DECQ(sweep)
	f.JNZ(operand.LabelRef("sweep"))
	f.VLDMXCSR(control)
	f.VZEROUPPER()
	f.RET()
}

// angle computes c and s of a rotation, and updates the three elements that it is for.
func (f *jacobiX86) angle(c, s reg.VecVirtual, atPP, atPQ, atQQ operand.Mem) {
	v := f.vectors(6)
	pp, pq, qq, d, twice, t := v[0], v[1], v[2], v[3], v[4], v[5]
	f.VMOVUPS(atPP, pp)
	f.VMOVUPS(atPQ, pq)
	f.VMOVUPS(atQQ, qq)
	f.VSUBPS(pp, qq, d)
	f.VMULPS(f.two, pq, twice)
	f.VMULPS(d, d, t)
	f.VFMADD231PS(twice, twice, t)
	f.VSQRTPS(t, t)
	f.VADDPS(f.tiny, t, t)
	f.VANDPS(f.sign, d, c)  // sign of d
	f.VANDNPS(d, f.sign, d) // |d|
	f.VADDPS(d, t, t)       // denominator
	f.VXORPS(c, twice, twice)
	f.VDIVPS(t, twice, t)
	f.VMOVAPS(f.one, c)
	f.VFMADD231PS(t, t, c)
	f.VSQRTPS(c, c)
	f.VDIVPS(c, f.one, c)
	f.VMULPS(t, c, s)
	f.VFNMADD231PS(t, pq, pp)
	f.VFMADD231PS(t, pq, qq)
	f.VXORPS(pq, pq, pq)
	f.VMOVUPS(pp, atPP)
	f.VMOVUPS(pq, atPQ)
	f.VMOVUPS(qq, atQQ)
}

// flushDenormals treats denormals as zero until the control word that it stores in memory is loaded again. Each
// rotation squares the values off the diagonal, and processors are a hundred times slower with denormals.
func (f *jacobiX86) flushDenormals(control operand.Mem) {
	const flush = 1<<15 | 1<<6
	changed := control.Offset(4)
	word := f.GP32()
	f.VSTMXCSR(control)
	f.MOVL(control, word)
	f.ORL(operand.U32(flush), word)
	f.MOVL(word, changed)
	f.VLDMXCSR(changed)
}

// run rotates the elements from x and y on, until counter is at end.
func (f *jacobiX86) run(label string, x, y, counter, end reg.GPVirtual, stepX, stepY uint32) {
	f.JMP(operand.LabelRef(label + "_test"))
	f.Label(label)
	f.rotate(operand.Mem{Base: x}, operand.Mem{Base: y})
	f.ADDQ(operand.U32(stepX), x)
	f.ADDQ(operand.U32(stepY), y)
	f.Label(label + "_test")
	f.CMPQ(counter, end)
	f.JNE(operand.LabelRef(label))
}

func (f *jacobiX86) rotate(x, y operand.Mem) {
	for h, c := range f.c {
		x, y, s, v := x.Offset(4*f.width*h), y.Offset(4*f.width*h), f.s[h], f.vectors(4)
		f.VMOVUPS(x, v[0])
		f.VMOVUPS(y, v[1])
		f.VMULPS(s, v[1], v[2])
		f.VFMSUB231PS(c, v[0], v[2])
		f.VMULPS(s, v[0], v[3])
		f.VFMADD231PS(c, v[1], v[3])
		f.VMOVUPS(v[2], x)
		f.VMOVUPS(v[3], y)
	}
}
