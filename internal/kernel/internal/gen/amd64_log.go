package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	mantissaBits = 23
	exponentBias = 127
	one          = exponentBias << mantissaBits // the bits of 1
	roundDown    = 0b1001
	notLess      = 0x15 // or unordered
)

// table returns a constant in memory.
func (f *x86) table(name string, values []float32) operand.Mem {
	name += f.suffix
	if m, ok := f.tables[name]; ok {
		return m
	}
	m := f.StaticGlobal(name)
	f.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, v := range values {
		f.AddDatum(4*i, operand.U32(math.Float32bits(v)))
	}
	f.tables[name] = m
	return m
}

func repeat(n int, v float32) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = v
	}
	return s
}

func bitsOf(v float32) string { return fmt.Sprintf("c%08x", math.Float32bits(v)) }

// constant returns a value in memory, in all lanes. For AVX-512 it is stored once, because instructions can broadcast
// it.
func (f *x86) constant(v float32) operand.Mem {
	n := f.width
	if n == 16 {
		n = 1
	}
	return f.table(bitsOf(v), repeat(n, v))
}

// withConstant writes an instruction with a constant as its first operand.
func (f *x86) withConstant(plain, broadcast func(...operand.Op), v float32, ops ...operand.Op) {
	op := plain
	if f.width == 16 {
		op = broadcast
	}
	op(append([]operand.Op{f.constant(v)}, ops...)...)
}

func (f *x86) broadcast(v float32, dst reg.VecVirtual) { f.VBROADCASTSS(f.constant(v), dst) }

func (f *x86) like(v []reg.VecVirtual) []reg.VecVirtual {
	s := make([]reg.VecVirtual, len(v))
	for i := range s {
		if v[i].Size() == 64 {
			s[i] = f.ZMM()
		} else {
			s[i] = f.YMM()
		}
	}
	return s
}

// polynomial computes s, so that s t + c[n] is the polynomial c[0] t^n + ... + c[n].
func (f *x86) polynomial(s, t []reg.VecVirtual, c []float32) {
	for i := range s {
		f.broadcast(c[0], s[i])
	}
	for _, v := range c[1 : len(c)-1] {
		for i := range s {
			f.withConstant(f.VFMADD213PS, f.VFMADD213PS_BCST, v, t[i], s[i])
		}
	}
}

// log replaces vectors by their logarithms as the plain Go version does.
func (f *x86) log(x []reg.VecVirtual) {
	s, t, e := f.like(x), f.like(x), f.like(x)
	last := logCoefficients[len(logCoefficients)-1]
	for i, x := range x {
		if f.width == 16 { // which keep NaN and infinity
			f.VGETEXPPS(x, e[i])
			f.VGETMANTPS(operand.Imm(0), x, t[i])
		} else {
			f.VPSRLD(operand.Imm(mantissaBits), x, e[i])
			f.VPSUBD(f.constant(math.Float32frombits(exponentBias)), e[i], e[i])
			f.VCVTDQ2PS(e[i], e[i])
			f.VANDPS(f.constant(math.Float32frombits(1<<mantissaBits-1)), x, t[i])
			f.VORPS(f.constant(1), t[i], t[i])
		}
		f.withConstant(f.VADDPS, f.VADDPS_BCST, -1.5, t[i], t[i])
		f.withConstant(f.VADDPS, f.VADDPS_BCST, last, e[i], e[i])
	}
	f.polynomial(s, t, logCoefficients)
	for i, x := range x {
		if f.width == 16 {
			f.VFMADD213PS(e[i], t[i], s[i])
			f.VMOVAPS(s[i], x)
			continue
		}
		f.VFMADD213PS(e[i], t[i], s[i])
		f.VCMPPS(operand.Imm(notLess), f.constant(float32(math.Inf(1))), x, t[i])
		f.VBLENDVPS(t[i], x, s[i], x)
	}
}

// power replaces vectors by powers of 2 as the plain Go version does.
func (f *x86) power(x []reg.VecVirtual) {
	s, t := f.like(x), f.like(x)
	low, high := f.like(x[:1])[0], f.like(x[:1])[0]
	f.broadcast(lowestPower, low)
	f.broadcast(highestPower, high)
	for i, x := range x {
		f.VMAXPS(x, low, x)
		f.VMINPS(x, high, x)
		if f.width == 16 {
			f.VREDUCEPS(operand.Imm(roundDown), x, t[i])
		} else {
			f.VROUNDPS(operand.Imm(roundDown), x, s[i])
			f.VSUBPS(s[i], x, t[i])
			f.VCVTPS2DQ(s[i], x)
			f.VPSLLD(operand.Imm(mantissaBits), x, x)
			f.VPADDD(f.constant(1), x, x)
		}
	}
	f.polynomial(s, t, powerCoefficients)
	last := powerCoefficients[len(powerCoefficients)-1]
	for i, x := range x {
		f.withConstant(f.VFMADD213PS, f.VFMADD213PS_BCST, last, t[i], s[i])
		if f.width == 16 {
			f.VSCALEFPS(x, s[i], x)
		} else {
			f.VMULPS(s[i], x, x)
		}
	}
}
