package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// productX86 writes one kernel for AVX2 or AVX-512.
type productX86 struct {
	*x86
	tile
	kernel
	sums, temps []reg.VecVirtual
	constants   map[string]operand.Op    // in all lanes
	addresses   map[string]reg.GPVirtual // of the tile in the panels, and of its first value per row
	signs       operand.Mem              // a vector of -0
}

// amd64 returns the assembly and the Go declarations of package kernel for one instruction set.
func amd64(t tile) (asm, stubs []byte, err error) {
	f := newX86(t)
	signs := f.StaticGlobal("signs" + t.suffix)
	f.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range t.width {
		f.AddDatum(4*i, operand.U32(1<<31))
	}
	for _, k := range kernels {
		f.function(k.name, k.signature, k.comment(t)...)
		newProductX86(f, t.of(k), k, signs).body()
	}
	f.weights()
	f.countFree()
	f.transpose()
	f.gram()
	f.rightMultiply()
	f.jacobi()
	if t.width == 8 { // more lanes would not help rows of a patch
		f.groups()
	}
	f.problems()
	f.transforms()
	f.blocks()
	f.tiles()
	f.largeTiles()
	f.integers()
	f.fetchRows()
	return f.print("kernel")
}

func newProductX86(x *x86, t tile, k kernel, signs operand.Mem) *productX86 {
	f := &productX86{x86: x, tile: t, kernel: k, signs: signs, constants: map[string]operand.Op{},
		addresses: map[string]reg.GPVirtual{}}
	f.sums, f.temps = f.vectors(t.rows*tileVectors), f.vectors(tileVectors+1)
	f.placeConstants()
	return f
}

// placeConstants puts constants into free registers, of which AVX2 has none, and the others into vectors on the stack.
func (f *productX86) placeConstants() {
	left := 32 - len(f.sums) - len(f.temps)
	for i, c := range f.kernel.constants {
		if f.width == 16 && i < left {
			v := f.ZMM()
			f.VBROADCASTSS(f.param(f.Param(c)), v)
			f.constants[c] = v
			continue
		}
		m := f.AllocLocal(f.width * 4)
		f.VBROADCASTSS(f.param(f.Param(c)), f.temps[0])
		f.VMOVUPS(f.temps[0], m)
		f.constants[c] = m
	}
}

// body takes the panel in chunks as wide as the tile, and a chunk in tiles from top to bottom. So the chunk of b that
// all tiles read stays in the first-level cache, and the matrix is read in order.
func (f *productX86) body() {
	chunk := f.GP64()
	if f.chunks() > 1 {
		f.XORQ(chunk, chunk)
		f.Label("chunk")
	}
	a, left := f.GP64(), f.GP64()
	if !f.noProduct {
		f.MOVQ(f.param(f.Param("a").Base()), a)
	}
	f.MOVQ(f.param(f.Param("rows")), left)
	for _, p := range f.panels {
		f.addresses[p] = f.GP64()
		f.MOVQ(f.param(f.Param(p).Base()), f.addresses[p])
		if f.chunks() > 1 {
			f.ADDQ(chunk, f.addresses[p])
		}
	}
	if f.perRow != "" {
		f.addresses[f.perRow] = f.GP64()
		f.MOVQ(f.param(f.Param(f.perRow).Base()), f.addresses[f.perRow])
	}

	f.Label("tile")
	f.startSums(left)
	if !f.noProduct {
		b := f.GP64()
		f.MOVQ(f.param(f.Param("b").Base()), b)
		if f.chunks() > 1 {
			f.ADDQ(chunk, b)
		}
		f.multiply(a, b)
	}
	for i := range f.tile.rows { // the last tile may have fewer rows
		each(i, func(at place) { f.tail(f, at) })
		f.DECQ(left)
		f.JZ(operand.LabelRef("done"))
	}
	for _, p := range f.panels {
		f.ADDQ(operand.U32(uint32(f.tile.rows*lanes*4)), f.addresses[p])
	}
	if f.perRow != "" {
		f.ADDQ(operand.Imm(uint64(f.tile.rows*4)), f.addresses[f.perRow])
	}
	f.JMP(operand.LabelRef("tile"))

	f.Label("done")
	if f.chunks() > 1 {
		f.ADDQ(operand.U32(uint32(f.chunkBytes())), chunk)
		f.CMPQ(chunk, operand.U32(lanes*4))
		f.JNE(operand.LabelRef("chunk"))
	}
	f.VZEROUPPER()
	f.RET()
}

// startSums sets the sums to the start panel, and to zero for the rows that the matrix was padded with. These are never
// stored, but old values in the registers may be denormals, which are slow.
func (f *productX86) startSums(left reg.Register) {
	zero := func(from int) {
		for _, s := range f.sums[from:] {
			f.VXORPS(s, s, s)
		}
	}
	if f.start == "" {
		zero(0)
		return
	}
	load := func(at place) { f.VMOVUPS(f.at(f.start, at), f.sums[at.sum()]) }
	f.CMPQ(left, operand.Imm(uint64(f.tile.rows)))
	f.JGE(operand.LabelRef("full"))
	zero(tileVectors)
	each(0, load)
	for i := 1; i < f.tile.rows-1; i++ {
		f.CMPQ(left, operand.Imm(uint64(i)))
		f.JE(operand.LabelRef("started"))
		each(i, load)
	}
	f.JMP(operand.LabelRef("started"))
	f.Label("full")
	for i := range f.tile.rows {
		each(i, load)
	}
	f.Label("started")
}

// multiply adds the product to the sums, and advances a to the next tile.
func (f *productX86) multiply(a, b reg.Register) {
	left := f.GP64()
	f.MOVQ(f.param(f.Param("cols")), left)
	if f.width == 16 { // with AVX2 it does not help
		f.fetch(a, b, left)
	}
	if f.unroll > 1 {
		f.SUBQ(operand.Imm(uint64(f.unroll)), left)
		f.JL(operand.LabelRef("rest"))
		f.Label("unrolled")
		f.steps(f.unroll, a, b)
		f.SUBQ(operand.Imm(uint64(f.unroll)), left)
		f.JGE(operand.LabelRef("unrolled"))
		f.Label("rest")
		f.ADDQ(operand.Imm(uint64(f.unroll)), left)
		f.JZ(operand.LabelRef("multiplied"))
	}
	f.Label("step")
	f.steps(1, a, b)
	f.DECQ(left)
	f.JNZ(operand.LabelRef("step"))
	f.Label("multiplied")
}

// fetch does the first steps of a product and at the same time prefetches what the tail reads and writes. Otherwise the
// tail would wait for the second-level cache, which is idle during the multiplication. The panel that sums start from
// is prefetched for the next tile.
func (f *productX86) fetch(a, b, left reg.Register) {
	const line, tileBytes = 64, lanes * 4 * 8
	f.CMPQ(left, operand.Imm(tileBytes/line))
	f.JLE(operand.LabelRef("fetched"))
	f.SUBQ(operand.Imm(tileBytes/line), left)
	next := f.GP64()
	f.XORQ(next, next)
	f.Label("fetch")
	f.steps(1, a, b)
	for _, p := range f.panels {
		m := operand.Mem{Base: f.addresses[p], Index: next, Scale: 1}
		if p == f.start {
			m.Disp = tileBytes
		}
		f.PREFETCHT0(m)
	}
	f.ADDQ(operand.Imm(line), next)
	f.CMPQ(next, operand.U32(tileBytes))
	f.JNE(operand.LabelRef("fetch"))
	f.Label("fetched")
}

func (f *productX86) steps(n int, a, b reg.Register) {
	v, x := f.temps[:tileVectors], f.temps[tileVectors]
	for u := range n {
		for j := range v {
			f.VMOVUPS(operand.Mem{Base: b, Disp: f.tile.offset(place{u, j})}, v[j])
		}
		for i := range f.tile.rows {
			f.VBROADCASTSS(operand.Mem{Base: a, Disp: (u*f.tile.rows + i) * 4}, x)
			each(i, func(at place) { f.VFMADD231PS(v[at.j], x, f.sums[at.sum()]) })
		}
	}
	f.ADDQ(operand.U32(uint32(n*f.tile.rows*4)), a)
	f.ADDQ(operand.U32(uint32(n*lanes*4)), b)
}
