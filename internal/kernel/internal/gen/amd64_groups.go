package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// patchSide is the side of the patches of a group. A row of a patch is one vector.
const patchSide = 8

// groupsX86 writes loops over the patches of a group, whose corners may be anywhere in an image.
type groupsX86 struct {
	*x86
	corners, left, stride reg.GPVirtual
	at                    reg.GPVirtual // offset of a row in the image, in bytes
}

func (f *x86) groups() {
	f.extractPatches()
	for _, write := range []func(*groupsX86){(*groupsX86).gather, (*groupsX86).sumPatches, (*groupsX86).addPatches,
		(*groupsX86).addTo} {
		write(&groupsX86{x86: f})
	}
}

func (f *groupsX86) function(name, signature string) {
	f.x86.function(name, signature, sameAs(name))
	f.corners, f.left, f.stride = f.base("corners"), f.load(f.Param("corners").Len()), f.bytes("stride")
}

// each writes the loop and ends the function. row is called
// for each row, with its offset in f.at, in bytes; end at the end of a patch and last after the loop.
func (f *groupsX86) each(end func(), row func(r int), last func()) {
	f.at = f.GP64()
	f.Label("patch")
	f.MOVLQSX(operand.Mem{Base: f.corners}, f.at)
	f.SHLQ(operand.Imm(2), f.at)
	for r := range patchSide {
		row(r)
		if r+1 < patchSide {
			f.ADDQ(f.stride, f.at)
		}
	}
	end()
	f.ADDQ(operand.Imm(4), f.corners)
	f.DECQ(f.left)
	f.JNZ(operand.LabelRef("patch"))
	last()
	f.VZEROUPPER()
	f.RET()
}

func nothing() {}

// image returns the address of the current row in an image.
func (f *groupsX86) image(base reg.Register) operand.Mem {
	return operand.Mem{Base: base, Index: f.at, Scale: 1}
}

// placed returns the address of row r of a patch in panels. It loads its place into a register.
func (f *groupsX86) placed(base, places, place reg.Register, r int) operand.Mem {
	f.MOVQ(operand.Mem{Base: places, Disp: 8 * r}, place)
	return operand.Mem{Base: base, Index: place, Scale: 4}
}

func (f *groupsX86) gather() {
	f.function("gather", "func(dst []float32, places []int, src []float32, corners []int32, stride int)")
	dst, src, places, place := f.base("dst"), f.base("src"), f.base("places"), f.GP64()
	f.each(func() { f.ADDQ(operand.Imm(lanes*4), dst) }, func(r int) {
		v := f.YMM()
		f.VMOVUPS(f.image(src), v)
		f.VMOVUPS(v, f.placed(dst, places, place, r))
	}, nothing)
}

func (f *groupsX86) sumPatches() {
	f.function("sumPatches", "func(sum, src []float32, corners []int32, stride int)")
	sum, src := f.base("sum"), f.base("src")
	sums := f.rows()
	f.clear(sums[:]...)
	f.each(nothing, func(r int) { f.VADDPS(f.image(src), sums[r], sums[r]) }, func() {
		for r, v := range sums {
			f.VMOVUPS(v, operand.Mem{Base: sum, Disp: 4 * patchSide * r})
		}
	})
}

func (f *groupsX86) addPatches() {
	f.function("addPatches",
		"func(num, den, x []float32, places []int, window []float32, corners []int32, stride int, w float32)")
	num, den, x, places, place := f.base("num"), f.base("den"), f.base("x"), f.base("places"), f.GP64()
	window, w := f.base("window"), f.YMM()
	f.VBROADCASTSS(f.param(f.Param("w")), w)
	factors := f.rows()
	for r, v := range factors {
		f.VMULPS(operand.Mem{Base: window, Disp: 4 * patchSide * r}, w, v)
	}
	f.each(func() { f.ADDQ(operand.Imm(lanes*4), x) }, func(r int) {
		v, d := f.YMM(), f.YMM()
		f.VMULPS(f.placed(x, places, place, r), factors[r], v)
		f.VADDPS(f.image(num), v, v)
		f.VADDPS(f.image(den), factors[r], d)
		f.VMOVUPS(v, f.image(num))
		f.VMOVUPS(d, f.image(den))
	}, nothing)
}

func (f *groupsX86) addTo() {
	f.function("addTo", "func(image, x []float32, places []int, corners []int32, stride int)")
	image, x, places, place := f.base("image"), f.base("x"), f.base("places"), f.GP64()
	f.each(func() { f.ADDQ(operand.Imm(lanes*4), x) }, func(r int) {
		v := f.YMM()
		f.VMOVUPS(f.placed(x, places, place, r), v)
		f.VADDPS(f.image(image), v, v)
		f.VMOVUPS(v, f.image(image))
	}, nothing)
}

func (f *groupsX86) rows() (v [patchSide]reg.VecVirtual) {
	for i := range v {
		v[i] = f.YMM()
	}
	return v
}
