package imageio

import (
	"encoding/binary"
	"math"
)

// numbers reads the first limit elements of an array of numbers of any type. It returns nil if the tag is absent. What
// is no number becomes 0.
func (d *ifd) numbers(tag uint16, limit uint64) ([]float64, error) {
	e := d.find(tag)
	if e == nil {
		return nil, nil
	}
	size := typeSizes[e.typ]
	if size == 0 || e.typ == typeASCII {
		return nil, damagedf(TIFF, "tag %d has a wrong type", tag)
	}
	raw, err := d.value(e, limit)
	if err != nil {
		return nil, err
	}
	v := make([]float64, min(e.count, limit))
	for i := range v {
		if n := number(raw[uint64(i)*size:], e.typ, d.order); n-n == 0 {
			v[i] = n
		}
	}
	return v, nil
}

// number returns the number at the beginning of bytes.
func number(b []byte, typ uint16, order binary.ByteOrder) float64 {
	switch typ {
	case typeByte, typeUndefined:
		return float64(b[0])
	case typeSignedByte:
		return float64(int8(b[0]))
	case typeShort:
		return float64(order.Uint16(b))
	case typeSignedShort:
		return float64(int16(order.Uint16(b)))
	case typeLong, typeIFD:
		return float64(order.Uint32(b))
	case typeSignedLong:
		return float64(int32(order.Uint32(b)))
	case typeRational:
		return float64(order.Uint32(b)) / float64(order.Uint32(b[4:]))
	case typeSignedRational:
		return float64(int32(order.Uint32(b))) / float64(int32(order.Uint32(b[4:])))
	case typeFloat:
		return float64(math.Float32frombits(order.Uint32(b)))
	case typeDouble:
		return math.Float64frombits(order.Uint64(b))
	case typeSignedLong8:
		return float64(int64(order.Uint64(b)))
	}
	return float64(order.Uint64(b))
}
