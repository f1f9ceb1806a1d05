package imageio

import (
	"fmt"
	"math"
)

// Depth is the type of the samples in a file. The Depth of unsigned integers of up to 31 bits is the number of bits,
// such as Depth(12).
type Depth int

// The usual depths. The zero Depth is none of them.
const (
	Depth8       Depth = 8
	Depth16      Depth = 16
	DepthFloat32 Depth = 32

	DepthUint32  Depth = kindUint<<8 | 32
	DepthInt8    Depth = kindInt<<8 | 8
	DepthInt16   Depth = kindInt<<8 | 16
	DepthInt32   Depth = kindInt<<8 | 32
	DepthFloat16 Depth = kindFloat<<8 | 16
	DepthFloat64 Depth = kindFloat<<8 | 64
)

// The kinds of samples are the values of the tag SampleFormat of TIFF.
const (
	kindUint  = 1
	kindInt   = 2
	kindFloat = 3
)

// depthOf returns the depth of samples of a kind.
func depthOf(kind, bits int) Depth {
	switch {
	case kind == kindUint && bits < 32, kind == kindFloat && bits == 32:
		return Depth(bits)
	}
	return Depth(kind<<8 | bits)
}

// kind returns kindUint, kindInt or kindFloat.
func (d Depth) kind() int {
	switch {
	case d == DepthFloat32:
		return kindFloat
	case d < 1<<8:
		return kindUint
	}
	return int(d >> 8)
}

// bits returns the size of a sample.
func (d Depth) bits() int { return int(d & 0xff) }

func (d Depth) isFloat() bool { return d.kind() == kindFloat }

// valid reports whether there are samples of this depth.
func (d Depth) valid() bool {
	switch d {
	case DepthUint32, DepthInt8, DepthInt16, DepthInt32, DepthFloat16, DepthFloat32, DepthFloat64:
		return true
	}
	return d >= 1 && d < 32
}

// String returns a name such as "8-bit", "signed 16-bit" or "float32".
func (d Depth) String() string {
	switch d.kind() {
	case kindFloat:
		return fmt.Sprintf("float%d", d.bits())
	case kindInt:
		return fmt.Sprintf("signed %d-bit", d.bits())
	}
	return fmt.Sprintf("%d-bit", d.bits())
}

// Max returns the integer of full scale in the file. It is 0 for floats, which have none.
func (d Depth) Max() float64 {
	switch d.kind() {
	case kindUint:
		return math.Ldexp(1, d.bits()) - 1
	case kindInt:
		return math.Ldexp(1, d.bits()-1) - 1
	}
	return 0
}

// FullScale is the largest sample of the image's file, in the unit of the file. White is the full scale of float files;
// 0 means 1. A nil image counts as one of a float file.
func (img *Image) FullScale(white float64) float64 {
	switch {
	case img != nil && img.Depth.Max() > 0:
		return img.Depth.Max()
	case white == 0:
		return 1
	}
	return white
}

// least returns the smallest integer in a file.
func (d Depth) least() float64 {
	if d.kind() == kindInt {
		return -d.Max() - 1
	}
	return 0
}

// exact reports whether a float32 holds every sample of this depth.
func (d Depth) exact() bool { return d.isFloat() && d.bits() <= 32 || !d.isFloat() && d.bits() <= 16 }
