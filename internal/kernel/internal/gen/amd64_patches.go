package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// countFree takes all lanes of a row at once.
func (f *x86) countFree() {
	f.function("countFree", "func(counts, q, r, d, e, p []float32, rows int, rho float32)",
		"computes", "", "\tcounts = number of rows with |q| >= d and |r - rho p| >= e")
	const greaterOrEqual = 0x1d
	at := map[string]reg.GPVirtual{}
	for _, p := range []string{"q", "r", "d", "e", "p"} {
		at[p] = f.base(p)
	}
	rows, offset := f.GP64(), f.GP64()
	f.MOVQ(f.param(f.Param("rows")), rows)
	f.XORQ(offset, offset)
	counts, constants := f.vectors(lanes/f.width), f.vectors(3)
	magnitude, one, rho := constants[0], constants[1], constants[2]
	f.broadcast(math.Float32frombits(1<<31-1), magnitude)
	f.broadcast(1, one)
	f.VBROADCASTSS(f.param(f.Param("rho")), rho)
	f.clear(counts...)
	f.Label("row")
	for j, c := range counts {
		vector := func(p string) operand.Mem {
			return operand.Mem{Base: at[p], Index: offset, Scale: 1, Disp: j * f.width * 4}
		}
		v := f.vectors(3)
		q, r, pull := v[0], v[1], v[2]
		f.VANDPS(vector("q"), magnitude, q)
		f.VMULPS(vector("p"), rho, pull)
		f.VMOVUPS(vector("r"), r)
		f.VSUBPS(pull, r, r)
		f.VANDPS(magnitude, r, r)
		if f.width == 16 {
			k := f.K()
			f.VCMPPS(operand.Imm(greaterOrEqual), vector("d"), q, k)
			f.VCMPPS(operand.Imm(greaterOrEqual), vector("e"), r, k, k)
			f.VADDPS(one, c, k, c)
			continue
		}
		f.VCMPPS(operand.Imm(greaterOrEqual), vector("d"), q, q)
		f.VCMPPS(operand.Imm(greaterOrEqual), vector("e"), r, r)
		f.VANDPS(q, r, r)
		f.VANDPS(one, r, r)
		f.VADDPS(r, c, c)
	}
	f.ADDQ(operand.U32(lanes*4), offset)
	f.DECQ(rows)
	f.JNZ(operand.LabelRef("row"))
	result := f.GP64()
	f.MOVQ(f.param(f.Param("counts").Base()), result)
	for j, c := range counts {
		f.VMOVUPS(c, operand.Mem{Base: result, Disp: j * f.width * 4})
	}
	f.VZEROUPPER()
	f.RET()
}

// transpose loads, for 4 columns of the source, vectors whose 128-bit parts come from rows 4 apart. The transpose of
// the 4 x 4 values in parts of 4 such vectors gives rows of the result, so no value moves between parts of registers.
func (f *x86) transpose() {
	f.function("transpose", "func(dst, src []float32, dstStride, srcStride int)",
		"sets dst[j*dstStride+i] = src[i*srcStride+j] for i, j < 16.")
	const part = 4
	var rows [part]reg.GPVirtual
	for i := range rows {
		rows[i] = f.GP64()
	}
	stride, stride4, stride12 := f.GP64(), f.GP64(), f.GP64()
	f.MOVQ(f.param(f.Param("src").Base()), rows[0])
	f.MOVQ(f.param(f.Param("srcStride")), stride)
	f.SHLQ(operand.Imm(2), stride)
	for i := range rows[1:] {
		f.LEAQ(operand.Mem{Base: rows[i], Index: stride, Scale: 1}, rows[i+1])
	}
	f.MOVQ(stride, stride4)
	f.SHLQ(operand.Imm(2), stride4)
	f.LEAQ(operand.Mem{Base: stride4, Index: stride4, Scale: 2}, stride12)
	row := func(i, c int) operand.Mem {
		m := operand.Mem{Base: rows[i%part], Disp: 4 * part * c}
		switch i / part {
		case 1, 2:
			m.Index, m.Scale = stride4, uint8(i/part)
		case 3:
			m.Index, m.Scale = stride12, 1
		}
		return m
	}
	dst, down, down3 := f.GP64(), f.GP64(), f.GP64()
	f.MOVQ(f.param(f.Param("dst").Base()), dst)
	f.MOVQ(f.param(f.Param("dstStride")), down)
	f.SHLQ(operand.Imm(2), down)
	f.LEAQ(operand.Mem{Base: down, Index: down, Scale: 2}, down3)
	for c := range 16 / part {
		for from := 0; from < 16; from += f.width {
			v := f.vectors(part)
			for i, v := range v {
				if f.width == 16 {
					f.VBROADCASTF32X4(row(from+i, c), v)
				} else {
					f.VBROADCASTF128(row(from+i, c), v)
				}
				for p := 1; p < f.width/part; p++ {
					m := row(from+part*p+i, c)
					if f.width == 16 {
						f.VINSERTF32X4(operand.Imm(uint64(p)), m, v, v)
					} else {
						f.VINSERTF128(operand.Imm(uint64(p)), m, v, v)
					}
				}
			}
			for j, v := range f.transpose4(v) {
				m := operand.Mem{Base: dst, Disp: 4 * from}
				switch j {
				case 1, 2:
					m.Index, m.Scale = down, uint8(j)
				case 3:
					m.Index, m.Scale = down3, 1
				}
				f.VMOVUPS(v, m)
			}
		}
		f.LEAQ(operand.Mem{Base: dst, Index: down, Scale: 4}, dst)
	}
	f.VZEROUPPER()
	f.RET()
}

// transpose4 transposes the 4 x 4 values in each 128-bit part of 4 vectors.
func (f *x86) transpose4(v []reg.VecVirtual) []reg.VecVirtual {
	u, w := f.vectors(4), f.vectors(4)
	f.VUNPCKLPS(v[1], v[0], u[0])
	f.VUNPCKHPS(v[1], v[0], u[1])
	f.VUNPCKLPS(v[3], v[2], u[2])
	f.VUNPCKHPS(v[3], v[2], u[3])
	f.VUNPCKLPD(u[2], u[0], w[0])
	f.VUNPCKHPD(u[2], u[0], w[1])
	f.VUNPCKLPD(u[3], u[1], w[2])
	f.VUNPCKHPD(u[3], u[1], w[3])
	return w
}
