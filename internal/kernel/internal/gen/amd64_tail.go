package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func (f *productX86) vec(v vec) reg.VecVirtual {
	if v < 0 {
		return f.temps[-1-v]
	}
	return f.sums[v]
}

// at returns the address of a vector in a panel.
func (f *productX86) at(panel string, p place) operand.Mem {
	return operand.Mem{Base: f.addresses[panel], Disp: f.tile.offset(p)}
}

// rowValue returns the address of the value for the row of p.
func (f *productX86) rowValue(p place) operand.Mem {
	return operand.Mem{Base: f.addresses[f.perRow], Disp: p.i * 4}
}

func (f *productX86) store(panel string, p place, v vec) { f.VMOVUPS(f.vec(v), f.at(panel, p)) }

func (f *productX86) zero(dst vec) { f.VXORPS(f.vec(dst), f.vec(dst), f.vec(dst)) }

func (f *productX86) move(dst, v vec) { f.VMOVAPS(f.vec(v), f.vec(dst)) }

func (f *productX86) scale(dst vec, constant string) {
	f.VMULPS(f.constants[constant], f.vec(dst), f.vec(dst))
}

func (f *productX86) add(dst, v vec) { f.VADDPS(f.vec(v), f.vec(dst), f.vec(dst)) }

func (f *productX86) sub(dst, v vec) { f.VSUBPS(f.vec(v), f.vec(dst), f.vec(dst)) }

func (f *productX86) addPanel(dst, v vec, panel string, p place) {
	f.VADDPS(f.at(panel, p), f.vec(v), f.vec(dst))
}

func (f *productX86) addScaled(dst vec, constant string, v vec) {
	f.VFMADD231PS(f.constants[constant], f.vec(v), f.vec(dst))
}

func (f *productX86) subScaled(dst, v vec, constant, panel string, p place) {
	f.VMOVUPS(f.at(panel, p), f.vec(dst))
	f.VFNMADD132PS(f.constants[constant], f.vec(v), f.vec(dst))
}

func (f *productX86) negScaledSub(dst vec, constant string, v vec) {
	f.VFNMSUB132PS(f.constants[constant], f.vec(v), f.vec(dst))
}

func (f *productX86) mulRow(dst vec, p place) {
	f.withRow(f.VMULPS, f.VMULPS_BCST, f.vec(dst), p)
}

func (f *productX86) addRow(dst vec, p place) {
	f.withRow(f.VADDPS, f.VADDPS_BCST, f.vec(dst), p)
}

// withRow writes an instruction that combines a vector and the value of the row.
func (f *productX86) withRow(plain, broadcast func(...operand.Op), dst reg.VecVirtual, p place) {
	if f.width == 16 {
		broadcast(f.rowValue(p), dst, dst)
		return
	}
	f.VBROADCASTSS(f.rowValue(p), f.temps[0])
	plain(f.temps[0], dst, dst)
}

// cut relies on the same rule as clipNaN.
func (f *productX86) cut(dst vec) {
	zero := f.temps[0]
	f.clear(zero)
	f.VMAXPS(f.vec(dst), zero, f.vec(dst))
}

func (f *productX86) clip(dst, v vec, bounds string, p place) {
	// the smaller magnitude with the sign of the second operand
	const clip = operand.U8(0b00_10)
	switch {
	case f.width != 16:
		f.clipNaN(dst, v, bounds, p)
	case f.perRow == bounds:
		f.VRANGEPS_BCST(clip, f.rowValue(p), f.vec(v), f.vec(dst))
	default:
		f.VRANGEPS(clip, f.at(bounds, p), f.vec(v), f.vec(dst))
	}
}

// clipNaN relies on the rule that VMINPS and VMAXPS return their first operand (the last in Intel's order) if one is
// NaN.
func (f *productX86) clipNaN(dst, v vec, bounds string, p place) {
	hi, lo := f.temps[0], f.temps[1]
	if f.perRow == bounds {
		f.VBROADCASTSS(f.rowValue(p), hi)
	} else {
		f.VMOVUPS(f.at(bounds, p), hi)
	}
	f.VXORPS(f.signs, hi, lo)
	f.VMINPS(f.vec(v), hi, f.vec(dst))
	f.VMAXPS(f.vec(dst), lo, f.vec(dst))
}
