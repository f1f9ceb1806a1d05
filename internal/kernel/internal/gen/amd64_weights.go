package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// weightsX86 writes the kernel of WeightFunction. It takes the panel in groups of vectors that hold whole blocks.
//
// A first pass over the rows adds squares: for each lane, in registers, and for each row, over the members of each
// block. The logarithms of the latter are kept in d, which the second pass overwrites. Values that all rows of a lane
// have in common are on the stack.
type weightsX86 struct {
	*x86
	group        int // number of vectors in a group
	p, y, d, e   reg.GPVirtual
	chunk, stack reg.GPVirtual
	rows         reg.GPVirtual
	laneP, laneR []reg.VecVirtual
	members      reg.OpmaskVirtual
	f0, f3, f6   []reg.VecVirtual
	out0, out1   []reg.VecVirtual
	shared       int // offset on the stack of the values that lanes of a block share
}

func (f *x86) weights() {
	f.Function("weights" + f.suffix)
	f.Doc("weights" + f.suffix + " " + sameAs("weights"))
	f.SignatureExpr("func(d, e, p, y, bias, packed []float32, rows, hidden, block int, mean float32)")
	w := &weightsX86{x86: f, group: map[int]int{16: 3, 8: 2}[f.width]}
	w.body()
}

func (f *weightsX86) blocks() int { return f.group * f.width / blockLanes }

func (f *weightsX86) groupBytes() int { return f.group * f.width * 4 }

func (f *weightsX86) body() {
	const line = 64
	f.shared = maxHidden * f.groupBytes()
	f.stack = f.GP64()
	f.LEAQ(f.AllocLocal(f.shared+f.blocks()*maxHidden*4+line), f.stack)
	f.ADDQ(operand.Imm(line-1), f.stack)
	f.ANDQ(operand.I32(-line), f.stack)
	if f.width == 16 {
		all := f.GP32()
		f.MOVL(operand.U32(0xfffe), all)
		f.members = f.K()
		f.KMOVW(all, f.members)
	}
	f.chunk, f.rows = f.GP64(), f.GP64()
	f.p, f.y, f.d, f.e = f.GP64(), f.GP64(), f.GP64(), f.GP64()
	f.XORQ(f.chunk, f.chunk)
	f.Label("chunk")
	f.sumSquares()
	f.startUnits()
	f.eachRow()
	f.ADDQ(operand.U32(uint32(f.groupBytes())), f.chunk)
	f.CMPQ(f.chunk, operand.U32(lanes*4))
	f.JNE(operand.LabelRef("chunk"))
	f.VZEROUPPER()
	f.RET()
}

// top sets the addresses to the first row of the group.
func (f *weightsX86) top() {
	f.MOVQ(f.param(f.Param("rows")), f.rows)
	f.MOVQ(f.param(f.Param("p").Base()), f.p)
	f.MOVQ(f.param(f.Param("y").Base()), f.y)
	f.MOVQ(f.param(f.Param("d").Base()), f.d)
	f.MOVQ(f.param(f.Param("e").Base()), f.e)
	for _, r := range []reg.GPVirtual{f.p, f.y, f.d, f.e} {
		f.ADDQ(f.chunk, r)
	}
}

func (f *weightsX86) nextRow(label string) {
	for _, r := range []reg.GPVirtual{f.p, f.y, f.d, f.e} {
		f.ADDQ(operand.U32(lanes*4), r)
	}
	f.DECQ(f.rows)
	f.JNZ(operand.LabelRef(label))
}

func (f *weightsX86) at(base reg.Register, j int) operand.Mem {
	return operand.Mem{Base: base, Disp: j * f.width * 4}
}

// sumSquares leaves the logarithms of the root mean squares of the lanes in laneP and laneR.
func (f *weightsX86) sumSquares() {
	f.top()
	f.laneP, f.laneR = f.vectors(f.group), f.vectors(f.group)
	sums := append(append([]reg.VecVirtual{}, f.laneP...), f.laneR...)
	f.clear(sums...)
	f.Label("squares")
	p, r := f.vectors(f.group), f.vectors(f.group)
	for j := range p {
		f.VMOVUPS(f.at(f.p, j), p[j])
		f.VMOVUPS(f.at(f.y, j), r[j])
		f.VSUBPS(p[j], r[j], r[j])
		f.VFMADD231PS(p[j], p[j], f.laneP[j])
		f.VFMADD231PS(r[j], r[j], f.laneR[j])
	}
	f.CMPQ(f.param(f.Param("block")), operand.Imm(1))
	f.JE(operand.LabelRef("squared"))
	f.blockLogs(p, r)
	f.Label("squared")
	f.nextRow("squares")

	mean, floorP, floorR := f.vector(), f.vector(), f.vector()
	f.VBROADCASTSS(f.param(f.Param("mean")), mean)
	f.broadcast(pilotFloor, floorP)
	f.broadcast(restFloor, floorR)
	for i, v := range sums {
		floor := floorP
		if i >= f.group {
			floor = floorR
		}
		f.VMULPS(mean, v, v)
		f.VSQRTPS(v, v)
		f.VADDPS(floor, v, v)
	}
	f.log(f.laneP)
	f.log(f.laneR)
}

// blockLogs stores the logarithms of the root mean squares over the members of blocks in d: those of p at the start,
// those of r 4 values later. It overwrites p and r.
func (f *weightsX86) blockLogs(p, r []reg.VecVirtual) {
	halves := make([]reg.VecVirtual, f.blocks()) // of the sums: 4 values of p, then 4 of r
	for b := range halves {
		u, v := f.squareMembers(p, b), f.squareMembers(r, b)
		low := f.YMM()
		f.VINSERTF128(operand.Imm(1), v.AsX(), u, low)
		f.VPERM2F128(operand.Imm(0x31), v, u, u)
		f.VADDPS(u, low, low)
		halves[b] = low
	}
	fold := func(u, v reg.VecVirtual, first, second uint64) reg.VecVirtual {
		a, b := f.YMM(), f.YMM()
		f.VSHUFPS(operand.Imm(first), v, u, a)
		f.VSHUFPS(operand.Imm(second), v, u, b)
		f.VADDPS(a, b, a)
		return a
	}
	pair := fold(halves[0], halves[min(1, len(halves)-1)], 0x44, 0xee)
	last := pair
	if len(halves) > 2 {
		last = fold(halves[2], halves[2], 0x44, 0xee)
	}
	sums := fold(pair, last, 0x88, 0xdd)
	f.VMULPS(f.table("members", repeat(8, 1./(blockLanes-1))), sums, sums)
	f.VSQRTPS(sums, sums)
	f.VADDPS(f.table("floors", append(repeat(4, pilotFloor), repeat(4, restFloor)...)), sums, sums)
	f.log([]reg.VecVirtual{sums})
	f.VMOVUPS(sums, operand.Mem{Base: f.d})
}

// squareMembers returns the squares of block b without its first lane, with its two halves added.
func (f *weightsX86) squareMembers(v []reg.VecVirtual, b int) reg.VecVirtual {
	if f.width == 16 {
		f.VMULPS_Z(v[b], v[b], f.members, v[b])
		high := f.YMM()
		f.VEXTRACTF64X4(operand.Imm(1), v[b], high)
		f.VADDPS(v[b].(asY).AsY(), high, high)
		return high
	}
	low, high, zero := v[2*b], v[2*b+1], f.YMM()
	f.VXORPS(zero, zero, zero)
	f.VMULPS(low, low, low)
	f.VBLENDPS(operand.Imm(1), zero, low, low)
	f.VFMADD231PS(high, high, low)
	return low
}

type asY interface{ AsY() reg.Register }

// startUnits stores the bias of the hidden units plus the contribution of the root mean squares of lanes.
func (f *weightsX86) startUnits() {
	bias, unit, start, left := f.GP64(), f.GP64(), f.GP64(), f.GP64()
	f.MOVQ(f.param(f.Param("bias").Base()), bias)
	f.ADDQ(f.chunk, bias)
	f.firstUnit(unit)
	f.MOVQ(f.stack, start)
	f.MOVQ(f.param(f.Param("hidden")), left)
	f.Label("start")
	a1, a4 := f.vector(), f.vector()
	f.VBROADCASTSS(operand.Mem{Base: unit, Disp: 4 * unitA1}, a1)
	f.VBROADCASTSS(operand.Mem{Base: unit, Disp: 4 * unitA4}, a4)
	for j, v := range f.vectors(f.group) {
		f.VMOVUPS(f.at(bias, j), v)
		f.VFMADD231PS(a1, f.laneP[j], v)
		f.VFMADD231PS(a4, f.laneR[j], v)
		f.VMOVUPS(v, f.at(start, j))
	}
	f.ADDQ(operand.U32(lanes*4), bias)
	f.ADDQ(operand.U32(uint32(f.groupBytes())), start)
	f.ADDQ(operand.Imm(4*packedUnit), unit)
	f.DECQ(left)
	f.JNZ(operand.LabelRef("start"))

	zero := f.vector() // of blocks, if there are none
	f.VXORPS(zero, zero, zero)
	for at := 0; at < f.blocks()*maxHidden*4; at += f.width * 4 {
		f.VMOVUPS(zero, operand.Mem{Base: f.stack, Disp: f.shared + at})
	}
}

func (f *weightsX86) firstUnit(unit reg.Register) {
	f.MOVQ(f.param(f.Param("packed").Base()), unit)
	f.ADDQ(operand.Imm(4*packedUnits), unit)
}

func (f *weightsX86) eachRow() {
	f.top()
	f.Label("row")
	f.CMPQ(f.param(f.Param("block")), operand.Imm(1))
	f.JE(operand.LabelRef("alone"))
	f.share()
	f.Label("alone")
	f.rowLogs()
	f.hiddenUnits()
	f.power(f.out0)
	f.power(f.out1)
	for j := range f.group {
		f.VMOVUPS(f.out0[j], f.at(f.d, j))
		f.VMOVUPS(f.out1[j], f.at(f.e, j))
	}
	f.nextRow("row")
}

// share computes the contribution of the means of blocks to the hidden units.
func (f *weightsX86) share() {
	packed := f.GP64()
	f.MOVQ(f.param(f.Param("packed").Base()), packed)
	for b := range f.blocks() {
		p, r := f.vector(), f.vector()
		f.VBROADCASTSS(operand.Mem{Base: f.d, Disp: 4 * b}, p)
		f.VBROADCASTSS(operand.Mem{Base: f.d, Disp: 4 * (4 + b)}, r)
		for k := 0; k < maxHidden; k += f.width {
			v := f.vector()
			f.VMULPS(operand.Mem{Base: packed, Disp: 4 * (packedA2 + k)}, p, v)
			f.VFMADD231PS(operand.Mem{Base: packed, Disp: 4 * (packedA5 + k)}, r, v)
			f.VMOVUPS(v, operand.Mem{Base: f.stack, Disp: f.shared + 4*(b*maxHidden+k)})
		}
	}
}

// rowLogs computes the features of a row.
func (f *weightsX86) rowLogs() {
	f.f0, f.f3, f.f6 = f.vectors(f.group), f.vectors(f.group), f.vectors(f.group)
	magnitude := f.vector()
	f.broadcast(math.Float32frombits(1<<31-1), magnitude)
	for j := range f.group {
		f.VMOVUPS(f.at(f.p, j), f.f0[j])
		f.VMOVUPS(f.at(f.y, j), f.f6[j])
		f.VSUBPS(f.f0[j], f.f6[j], f.f3[j])
	}
	for _, feature := range []struct {
		v     []reg.VecVirtual
		floor float32
	}{{f.f0, pilotFloor}, {f.f3, restFloor}, {f.f6, noisyFloor}} {
		for _, v := range feature.v {
			f.VANDPS(magnitude, v, v)
			f.withConstant(f.VADDPS, f.VADDPS_BCST, feature.floor, v, v)
		}
		f.log(feature.v)
	}
}

func (f *weightsX86) hiddenUnits() {
	unit, start, shared, left := f.GP64(), f.GP64(), f.GP64(), f.GP64()
	f.MOVQ(f.param(f.Param("packed").Base()), unit)
	f.out0, f.out1 = f.vectors(f.group), f.vectors(f.group)
	a0 := f.vector()
	f.VBROADCASTSS(operand.Mem{Base: unit, Disp: 4 * packedA0}, a0)
	for j := range f.group {
		f.VBROADCASTSS(operand.Mem{Base: unit, Disp: 4 * packedB0}, f.out0[j])
		f.VFNMADD231PS(a0, f.f0[j], f.out0[j])
		f.VBROADCASTSS(operand.Mem{Base: unit, Disp: 4 * packedB1}, f.out1[j])
	}
	f.ADDQ(operand.Imm(4*packedUnits), unit)
	f.MOVQ(f.stack, start)
	f.MOVQ(f.stack, shared)
	f.MOVQ(f.param(f.Param("hidden")), left)
	zero := f.vector()
	f.VXORPS(zero, zero, zero)

	advance := func(n int) {
		f.ADDQ(operand.Imm(uint64(4*packedUnit*n)), unit)
		f.ADDQ(operand.U32(uint32(f.groupBytes()*n)), start)
		f.ADDQ(operand.Imm(uint64(4*n)), shared)
	}
	f.SUBQ(operand.Imm(unitsUnrolled), left)
	f.JL(operand.LabelRef("rest"))
	f.Label("hidden")
	for k := range unitsUnrolled {
		f.hiddenUnit(k, unit, start, shared, zero)
	}
	advance(unitsUnrolled)
	f.SUBQ(operand.Imm(unitsUnrolled), left)
	f.JGE(operand.LabelRef("hidden"))
	f.Label("rest")
	f.ADDQ(operand.Imm(unitsUnrolled), left)
	f.JZ(operand.LabelRef("hiddenDone"))
	f.Label("single")
	f.hiddenUnit(0, unit, start, shared, zero)
	advance(1)
	f.DECQ(left)
	f.JNZ(operand.LabelRef("single"))
	f.Label("hiddenDone")
}

const unitsUnrolled = 2

// hiddenUnit adds the contribution of unit k, counted from the given addresses, to the outputs.
func (f *weightsX86) hiddenUnit(k int, unit, start, shared reg.GPVirtual, zero reg.VecVirtual) {
	factor := func(i int) operand.Mem { return operand.Mem{Base: unit, Disp: 4 * (packedUnit*k + i)} }
	h, c := f.vectors(f.group), f.vector()
	for j := range h {
		block := j * f.width / blockLanes
		f.VBROADCASTSS(operand.Mem{Base: shared, Disp: f.shared + 4*(maxHidden*block+k)}, h[j])
		f.VADDPS(f.at(start, k*f.group+j), h[j], h[j])
	}
	for i, feature := range [][]reg.VecVirtual{f.f0, f.f3, f.f6} {
		f.VBROADCASTSS(factor([]int{unitA0, unitA3, unitA6}[i]), c)
		for j := range h {
			f.VFMADD231PS(feature[j], c, h[j])
		}
	}
	for j := range h {
		f.VMAXPS(h[j], zero, h[j]) // NaN stays
	}
	for i, out := range [][]reg.VecVirtual{f.out0, f.out1} {
		f.VBROADCASTSS(factor([]int{unitB0, unitB1}[i]), c)
		for j := range h {
			f.VFMADD231PS(h[j], c, out[j])
		}
	}
}
