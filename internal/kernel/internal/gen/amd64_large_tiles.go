package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// largeTiles writes the transforms of tiles of 4 x 4 cells. Both take a vector of tiles at a time, first the rows of
// what they transform and then the columns, two results of each row at a time: more do not fit the registers.
func (f *x86) largeTiles() {
	f.largeInputs()
	f.function("largeOutputs", "func(grid, m []float32, channels, plane, stride int)", sameAs("largeOutputs"))
	zero := f.vector()
	f.clear(zero)
	f.largeOutputs(func(x reg.VecVirtual, _ operand.Mem) { f.VMAXPS(x, zero, x) }) // NaN stays
	f.function("addLargeOutputs", "func(grid, m []float32, channels, plane, stride int)", sameAs("addLargeOutputs"))
	f.largeOutputs(func(x reg.VecVirtual, cells operand.Mem) { f.VADDPS(cells, x, x) })
}

func (f *x86) largeInputs() {
	f.function("largeInputs", "func(v, grid []float32, channels, plane, stride int)", sameAs("largeInputs"))
	v, grid, left := f.base("v"), f.base("grid"), f.int("channels")
	plane, stride := f.bytes("plane"), f.bytes("stride")
	step, step6 := f.GP64(), f.GP64()
	plane3, plane16 := f.planes(plane)
	f.IMUL3Q(operand.U32(4*lanes), left, step)
	f.IMUL3Q(operand.U32(6*4*lanes), left, step6)
	four := f.vector()
	f.VMOVUPS(f.table("four", repeat(f.width, 4)), four)
	f.eachVector(left, func() {
		for g, pair := range seenPairs {
			var x [2][6]reg.VecVirtual
			row := f.GP64()
			for k := range 6 {
				f.largeRow(row, grid, plane, stride, k)
				if g == 0 {
					f.fetch(row, plane, plane3, plane16)
				}
				x[0][k], x[1][k] = f.seenPair(g, four, func(l int) operand.Op {
					return f.column(row, plane, plane3,
						l)
				})
			}
			for i, l := range pair {
				half := [2]reg.GPVirtual{f.times(v, step, l)} // of a column of panels
				half[1] = f.times(half[0], step6, 3)
				for g, pair := range seenPairs {
					first, second := f.seenPair(g, four, func(k int) operand.Op { return x[i][k] })
					f.VMOVUPS(first, tap(half[pair[0]/3], step6, nil, pair[0]%3, 0))
					f.VMOVUPS(second, tap(half[pair[1]/3], step6, nil, pair[1]%3, 0))
				}
			}
		}
	}, func(n uint32) { f.ADDQ(operand.U32(n), v); f.ADDQ(operand.U32(n), grid) }, func() {
		f.nextChannel(plane16, grid)
	})
}

// fetch prefetches a row of the grid for the next channel, whose planes the processor would not find in time.
func (f *x86) fetch(row, plane, plane3, plane16 reg.GPVirtual) {
	next := f.GP64()
	f.LEAQ(operand.Mem{Base: row, Index: plane16, Scale: 1}, next)
	for l := range 4 {
		f.PREFETCHT0(f.column(next, plane, plane3, l))
	}
}

// planes returns new registers with 3 and 16 times the distance of planes.
func (f *x86) planes(plane reg.GPVirtual) (plane3, plane16 reg.GPVirtual) {
	plane3, plane16 = f.GP64(), f.GP64()
	f.LEAQ(operand.Mem{Base: plane, Index: plane, Scale: 2}, plane3)
	f.MOVQ(plane, plane16)
	f.SHLQ(operand.Imm(4), plane16)
	return plane3, plane16
}

// largeRow sets row to the address of row k of what tiles see. It is called with each k in turn.
func (f *x86) largeRow(row, grid, plane, stride reg.GPVirtual, k int) {
	switch k {
	case 0:
		f.MOVQ(grid, row)
	case 4:
		f.LEAQ(operand.Mem{Base: grid, Index: stride, Scale: 1}, row)
	default:
		f.LEAQ(operand.Mem{Base: row, Index: plane, Scale: 4}, row)
	}
}

// column returns the address of column l of what tiles see.
func (f *x86) column(row, plane, plane3 reg.GPVirtual, l int) operand.Mem {
	m := operand.Mem{Base: row, Disp: l / 4 * 4}
	switch l % 4 {
	case 1, 2:
		m.Index, m.Scale = plane, uint8(l%4)
	case 3:
		m.Index, m.Scale = plane3, 1
	}
	return m
}

// times returns a new register with base + n step, for n < 6.
func (f *x86) times(base, step reg.GPVirtual, n int) reg.GPVirtual {
	r := f.GP64()
	switch n {
	case 0:
		f.MOVQ(base, r)
	case 3, 5:
		f.LEAQ(operand.Mem{Base: base, Index: step, Scale: uint8(n - 1)}, r)
		f.ADDQ(step, r)
	default:
		f.LEAQ(operand.Mem{Base: base, Index: step, Scale: uint8(n)}, r)
	}
	return r
}

// eachVector writes a loop over channels and, in it, over the vectors of a panel. Next advances addresses by a vector,
// and channel goes from the end of a panel to the next channel.
func (f *x86) eachVector(left reg.GPVirtual, body func(), next func(n uint32), channel func()) {
	vectors := f.GP64()
	f.Label("channel")
	f.MOVQ(operand.U32(uint32(lanes/f.width)), vectors)
	f.Label("vector")
	body()
	next(uint32(4 * f.width))
	f.DECQ(vectors)
	f.JNZ(operand.LabelRef("vector"))
	channel()
	f.DECQ(left)
	f.JNZ(operand.LabelRef("channel"))
	f.VZEROUPPER()
	f.RET()
}

// nextChannel moves addresses in the grid from the end of a panel to the next channel.
func (f *x86) nextChannel(plane16 reg.GPVirtual, grid ...reg.GPVirtual) {
	for _, g := range grid {
		f.ADDQ(plane16, g)
		f.SUBQ(operand.U32(4*lanes), g)
	}
}

// seenPair computes a pair of results of the transform of six values.
func (f *x86) seenPair(pair int, four reg.VecVirtual, x func(i int) operand.Op) (first, second reg.VecVirtual) {
	switch pair {
	case 0:
		a, b, d := f.vector(), f.vector(), f.vector()
		f.VMOVUPS(x(4), a)
		f.VFNMADD231PS(x(2), four, a)
		f.VMOVUPS(x(3), b)
		f.VFNMADD231PS(x(1), four, b)
		f.VSUBPS(b, a, d)
		f.VADDPS(b, a, a)
		return a, d
	case 1:
		a, b, d := f.difference(x(4), x(2)), f.difference(x(3), x(1)), f.vector()
		f.VADDPS(b, b, b)
		f.VSUBPS(b, a, d)
		f.VADDPS(b, a, a)
		return a, d
	}
	a := f.difference(x(4), x(2))
	f.VFMADD231PS(f.difference(x(0), x(2)), four, a)
	b := f.difference(x(5), x(3))
	f.VFMADD231PS(f.difference(x(1), x(3)), four, b)
	return a, b
}

// difference returns a new register with u - v.
func (f *x86) difference(u, v operand.Op) reg.VecVirtual {
	d := f.vector()
	if r, ok := u.(reg.VecVirtual); ok {
		f.VSUBPS(v, r, d)
		return d
	}
	f.VMOVUPS(u, d)
	f.VSUBPS(v, d, d)
	return d
}

// sum returns a new register with u + v.
func (f *x86) sum(u, v operand.Op) reg.VecVirtual {
	d := f.vector()
	if r, ok := u.(reg.VecVirtual); ok {
		f.VADDPS(v, r, d)
		return d
	}
	f.VMOVUPS(u, d)
	f.VADDPS(v, d, d)
	return d
}

// largeOutputs calls finish for each vector of cells before it is stored.
func (f *x86) largeOutputs(finish func(x reg.VecVirtual, cells operand.Mem)) {
	m, left, plane := f.base("m"), f.int("channels"), f.bytes("plane")
	step, step3 := f.GP64(), f.GP64()
	plane3, plane16 := f.planes(plane)
	f.IMUL3Q(operand.U32(4*lanes), left, step)
	f.LEAQ(operand.Mem{Base: step, Index: step, Scale: 2}, step3)
	rows := []reg.GPVirtual{f.GP64(), f.GP64(), f.GP64(), f.GP64()} // of the tile in the grid
	f.MOVQ(f.param(f.Param("grid").Base()), rows[3])
	for b := range 3 {
		f.LEAQ(operand.Mem{Base: rows[(b+3)%4], Index: plane, Scale: 4}, rows[b])
	}
	f.ADDQ(f.bytes("stride"), rows[3])
	four := f.table("four", repeat(f.width, 4))
	f.eachVector(left, func() {
		for g, pair := range cellPairs {
			var x [2][6]reg.VecVirtual
			half := [2]reg.GPVirtual{f.GP64(), f.GP64()} // of a row of panels
			f.MOVQ(m, half[0])
			for k := range 6 {
				f.LEAQ(operand.Mem{Base: half[0], Index: step3, Scale: 1}, half[1])
				x[0][k], x[1][k] = f.cellPair(g, four, func(l int) operand.Op {
					return tap(half[l/3], step, step3, l%3,
						0)
				})
				f.LEAQ(operand.Mem{Base: half[1], Index: step3, Scale: 1}, half[0])
			}
			for i, a := range pair {
				f.fetch(rows[2*g+i], plane, plane3, plane16)
				for g, pair := range cellPairs {
					first, second := f.cellPair(g, four, func(k int) operand.Op { return x[i][k] })
					for i, y := range []reg.VecVirtual{first, second} {
						cells := f.column(rows[pair[i]], plane, plane3, a+1)
						finish(y, cells)
						f.VMOVUPS(y, cells)
					}
				}
			}
		}
	}, func(n uint32) {
		for _, r := range append([]reg.GPVirtual{m}, rows...) {
			f.ADDQ(operand.U32(n), r)
		}
	}, func() { f.nextChannel(plane16, rows...) })
}

// cellPair computes a pair of results of the transform of six products.
func (f *x86) cellPair(pair int, four operand.Mem, x func(i int) operand.Op) (first, second reg.VecVirtual) {
	if pair == 0 {
		s, t := f.sum(x(1), x(2)), f.sum(x(3), x(4))
		first := f.vector()
		f.VADDPS(x(0), s, first)
		f.VADDPS(t, first, first)
		f.VFMADD231PS(four, t, s)
		return first, s
	}
	d, t := f.difference(x(1), x(2)), f.difference(x(3), x(4))
	f.VADDPS(t, t, t)
	second = f.vector()
	f.VADDPS(x(5), d, second)
	f.VFMADD231PS(four, t, second)
	f.VADDPS(t, d, d)
	return d, second
}
