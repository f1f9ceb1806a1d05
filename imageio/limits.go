package imageio

import (
	"context"
	"math"
	"os"
)

// Limits that hold where ReadOptions sets none.
const (
	// DefaultMaxPixels limits width times height.
	DefaultMaxPixels = 100_000_000
	// DefaultMaxBytes is the limit that this module sets to files that it reads from a stream.
	DefaultMaxBytes = 4 << 30
)

// ReadOptions holds the limits and the scale of reading. The zero value is ready to use.
type ReadOptions struct {
	// MaxPixels limits width times height of each page. 0 means DefaultMaxPixels.
	MaxPixels int64 `json:"max_pixels,omitzero"`
	// MaxBytes limits the size of the file. 0 means no limit: a TIFF file is read in parts, and the headers of others
	// are checked before the rest is read.
	MaxBytes int64 `json:"max_bytes,omitzero"`
	// White is the float sample that counts as full scale and is mapped to 1. 0 means 1. Integer samples have their
	// own full scale, and alpha is not scaled.
	White float64 `json:"white,omitzero"`
	// NoData, if it is not empty, is the gray levels of missing values, in the unit of the file, whatever the file
	// gives. They must be finite. Image.NoData has them then.
	NoData []float64 `json:"no_data,omitempty"`
	// KeepDamaged reads the intact part of a JPEG, PNG or TIFF file that is cut short or damaged. The rest of a JPEG is
	// filled as libjpeg does, and that of others is black. The image has a warning then, and lists what is missing: see
	// Image.MissingBottom and Image.Holes. A PNG file needs a whole row, and a page of a TIFF file a part of its
	// pixels. Without it such a file is refused.
	KeepDamaged bool `json:"keep_damaged,omitzero"`
	// KeepInvalid reads float samples that are NaN or infinite, and warns of them. Without it such a file is refused.
	KeepInvalid bool `json:"keep_invalid,omitzero"`
	// SkipUnsupported leaves out the pages of a TIFF file whose kind is not supported, unless no page is supported. See
	// Reader.Skipped and Reader.CopySkipped.
	SkipUnsupported bool `json:"-"`
	// Workers is the number of goroutines; 0 means one for each processor. The result does not depend on it.
	Workers int `json:"workers,omitzero"`
	// Context, if it is not nil, ends the reading of pixels when it is done, with its error.
	Context context.Context `json:"-"`
	// Root, if not nil, is an open folder that the path given to Open or Read is relative to. Links in the path are
	// followed only if they stay inside it.
	Root *os.Root `json:"-"`
}

// maxPixels returns the limit of pixels. A pixel takes up to 16 bytes of float32. They must be addressable, which
// matters on 32-bit systems, and the bytes of all pixels must not overflow.
func (o ReadOptions) maxPixels() int64 {
	if o.MaxPixels > 0 {
		return min(o.MaxPixels, math.MaxInt/16)
	}
	return min(DefaultMaxPixels, math.MaxInt/16)
}

func (o ReadOptions) maxBytes() int64 {
	if o.MaxBytes > 0 {
		return o.MaxBytes
	}
	return math.MaxInt64
}

// checkSize refuses a size before anything is allocated for it. The sides come from 32-bit fields of a header, so their
// product may overflow an int64. The division avoids that.
func (o ReadOptions) checkSize(f Format, w, h int64) error {
	if w <= 0 || h <= 0 {
		return damagedf(f, "%d x %d pixels", w, h)
	}
	limit := o.maxPixels()
	if w > limit/h {
		return failf(ErrPixels, "%d x %d pixels, limit is %d", w, h, limit)
	}
	return nil
}

// Limits of metadata.
const (
	maxMetadata = 64 << 20   // bytes of one page
	maxItems    = 10_000     // chunks, segments or tags of one page
	maxAllPages = 1 << 30    // bytes of all pages of a file together
	maxShared   = 64 << 20   // bytes by which those are more than the file, because pages share them
	maxAllItems = 10_000_000 // tags of all pages of a file together
)

func tooMuchMetadata() error {
	return failf(ErrLimit, "more than %d MiB of metadata", maxMetadata>>20)
}

func tooManyItems(f Format) error {
	what := map[Format]string{PNG: "chunks", JPEG: "segments", TIFF: "tags"}[f]
	return failf(ErrLimit, "%v with more than %d %s of metadata", f, maxItems, what)
}

// The most that one byte of a file can expand to, rounded up. Decoders allocate the whole image before they look at its
// data. A file that is too small to fill its image is refused before that, so that memory stays in proportion to the
// file.
const (
	deflateRatio  = 1032    // bytes: a match of 258 bytes in 2 bits (RFC 1951)
	lzwRatio      = 4096    // bytes: a 12-bit code for the longest string of a full table
	packBitsRatio = 64      // bytes: 128 bytes in 2
	jpegRatio     = 1024    // pixels: twice the 64 of a block that takes one bit
	zstdRatio     = 1 << 16 // bytes: a block of 128 KB that repeats one byte, in 4
	// bytes of floats: a run of 129 equal bytes in 2, of the 4 bytes that 3 floats are stored in
	logRatio  = 256
	lzmaRatio = 1 << 14 // bytes: twice what one of the cheapest matches expands to
	bmpRatio  = 1 << 16 // pixels: skipped ones, which are not in the data
	faxRatio  = 8       // rows: one of Group 4 takes a bit
)

// checkFill refuses a file whose have bytes of data cannot expand to need units.
func checkFill(f Format, need, have, ratio int64) error {
	if need/ratio > have {
		return damagedf(f, "%d bytes of data are too few for its size", have)
	}
	return nil
}
