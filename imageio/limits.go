package imageio

import (
	"math"
	"os"
)

// Limits that hold where ReadOptions sets none.
const (
	// DefaultMaxPixels bounds width times height.
	DefaultMaxPixels = 100_000_000
	// DefaultMaxBytes bounds the size of a file.
	DefaultMaxBytes = 4 << 30
)

// ReadOptions are the limits and the scale of reading; the zero value is fit for use.
type ReadOptions struct {
	// MaxPixels bounds width times height; 0 stands for DefaultMaxPixels.
	MaxPixels int64
	// MaxBytes bounds the file's size; 0 stands for DefaultMaxBytes.
	MaxBytes int64
	// White is the float sample that counts as full scale, and is mapped to 1; 0 stands for 1.
	// Integer samples have their own full scale, and alpha is not scaled.
	White float64
	// Root, if not nil, is an open folder that the path given to Open or Read is relative to. Links in the path are
	// followed only if they stay inside it.
	Root *os.Root `json:"-"`
}

func (o ReadOptions) maxPixels() int64 {
	if o.MaxPixels > 0 {
		return o.MaxPixels
	}
	return DefaultMaxPixels
}

func (o ReadOptions) maxBytes() int64 {
	if o.MaxBytes > 0 {
		return o.MaxBytes
	}
	return DefaultMaxBytes
}

// gate refuses a size before anything is allocated for it. Sides come from 32-bit header fields,
// so their product fits in an int64 only after the division below has been looked at.
func (o ReadOptions) gate(f Format, w, h int64) error {
	if w <= 0 || h <= 0 {
		return damagedf(f, "%d x %d pixels", w, h)
	}
	// 16 bytes of float32 per pixel must be addressable as well, which matters on 32-bit systems.
	limit := min(o.maxPixels(), math.MaxInt/16)
	if w > limit/h {
		return failf(ErrLimit, "%d x %d pixels, limit is %d (see --max-pixels)", w, h, limit)
	}
	return nil
}

// Most that one byte of a file can stand for, rounded up. Decoders allocate the whole image before
// they look at its data, so a file that cannot possibly fill the image is refused first, and
// memory stays in proportion to the file.
const (
	deflateRatio  = 1032 // bytes: a match of 258 bytes in 2 bits (RFC 1951)
	lzwRatio      = 4096 // bytes: a 12-bit code for the longest string of a full table
	packBitsRatio = 64   // bytes: 128 bytes in 2
	jpegRatio     = 1024 // pixels: 64 of them in one bit, twice over
)

// canFill refuses a file of have bytes that cannot expand to need units.
func canFill(f Format, need, have, ratio int64) error {
	if need/ratio > have {
		return damagedf(f, "%d bytes of data are too few for its size", have)
	}
	return nil
}
