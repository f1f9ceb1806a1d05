package imageio

import (
	"encoding/binary"
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/half"
)

func unit8(v uint8) float32   { return float32(v) / math.MaxUint8 }
func unit16(v uint16) float32 { return float32(v) / math.MaxUint16 }

// quantise maps a finite sample to an integer of the file: it rounds half up and clips to [0, top]. It is the exact
// inverse of unit8 and unit16.
func quantise(v float32, top float64) uint16 {
	q := float64(v)*top + 0.5
	if q < 1 {
		return 0
	}
	return uint16(min(q, top)) // the conversion drops the fraction
}

// finite reports whether the sample is neither NaN nor infinite.
func finite(v float32) bool {
	return v-v == 0 // NaN for NaN and Inf
}

// unit returns the sample of a plane for a level of the file. Floats are divided by white.
func (d Depth) unit(level, white float64) float32 {
	top := d.Max()
	switch {
	case top == 0 && white == 1:
		return float32(level)
	case top == 0:
		return float32(level / white)
	case d.exact():
		return float32(level) / float32(top)
	}
	return float32(level / top)
}

// level returns the level of the file for a sample of a plane, which is finite or that of a float. Integers are rounded
// half up and clipped.
func (d Depth) level(v float32, white float64) float64 {
	top := d.Max()
	if top > 0 {
		return min(max(math.Floor(float64(v)*top+0.5), d.least()), top)
	}
	level := float64(v) * white
	if d == DepthFloat16 && finite(v) {
		return min(max(level, -half.Max), half.Max)
	}
	return level
}

// put stores a level in a whole number of bytes.
func (d Depth) put(dst []byte, level float64, order binary.ByteOrder) {
	switch {
	case d == DepthFloat16:
		order.PutUint16(dst, half.Of(float32(level)))
	case d == DepthFloat32:
		order.PutUint32(dst, math.Float32bits(float32(level)))
	case d == DepthFloat64:
		order.PutUint64(dst, math.Float64bits(level))
	case d.bits() == 8:
		dst[0] = byte(int64(level))
	case d.bits() == 16:
		order.PutUint16(dst, uint16(int64(level)))
	case d.bits() == 24:
		v := uint32(level)
		first, last := byte(v>>16), byte(v)
		if order == binary.ByteOrder(binary.LittleEndian) {
			first, last = last, first
		}
		dst[0], dst[1], dst[2] = first, byte(v>>8), last
	case d.bits() == 32:
		order.PutUint32(dst, uint32(int64(level)))
	}
}

// get reads a level that put has stored.
func (d Depth) get(src []byte, order binary.ByteOrder) float64 {
	signed := d.kind() == kindInt
	switch {
	case d == DepthFloat16:
		return float64(half.Value(order.Uint16(src)))
	case d == DepthFloat32:
		return float64(math.Float32frombits(order.Uint32(src)))
	case d == DepthFloat64:
		return math.Float64frombits(order.Uint64(src))
	case d.bits() == 8 && signed:
		return float64(int8(src[0]))
	case d.bits() == 8:
		return float64(src[0])
	case d.bits() == 16 && signed:
		return float64(int16(order.Uint16(src)))
	case d.bits() == 16:
		return float64(order.Uint16(src))
	case d.bits() == 24:
		first, last := src[0], src[2]
		if order == binary.ByteOrder(binary.LittleEndian) {
			first, last = last, first
		}
		return float64(uint32(first)<<16 | uint32(src[1])<<8 | uint32(last))
	case signed:
		return float64(int32(order.Uint32(src)))
	}
	return float64(order.Uint32(src))
}
