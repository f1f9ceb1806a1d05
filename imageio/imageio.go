// Package imageio reads and writes image files as planes of float32, with everything else the files carry.
//
// Files are told apart by content and either give back everything that is promised, or are refused by name:
// never a part of the picture.
//
//	PNG   1 to 16 bits, gray, RGB, palette, transparency, alpha, interlaced. Written as gray or RGB of 8 or
//	      16 bits, not interlaced, since denoised pixels fit no palette and no fewer bits. Not animations.
//	JPEG  baseline and progressive, gray, RGB, YCbCr, and the CMYK and YCCK of Adobe. Written as baseline with
//	      the quantisation and subsampling of the source, or of a quality asked for. Not 12 bits, lossless or
//	      arithmetic coding.
//	TIFF  and BigTIFF: integers of 1, 2, 4, 8 and 16 bits, floats of 32; gray, palette, RGB and CMYK, with
//	      unassociated alpha; strips and tiles, chunky and planar; LZW, Deflate, PackBits or no compression;
//	      predictors 1, 2, 3; both byte orders; many pages, and the stacks of ImageJ. Written in strips of
//	      chunky samples, with Deflate if the source was compressed. Not sub-images, associated alpha, JPEG
//	      or fax in TIFF, nor other sample types.
//
// What becomes of metadata is said at Metadata, and of several pages at Reader and WritePages. Sizes are checked
// on the header, before anything is allocated in proportion to them.
//
// Samples are float32 with 0 for black and 1 for full scale, whatever the file's depth. Integer
// files come back bit for bit: 8-bit and 16-bit samples survive Decode and Encode exactly.
//
// Files are written beside their final name, flushed to the disk and then renamed, so a reader
// never sees a part of one.
package imageio

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
)

// Format is a kind of image file.
type Format int

// The kinds of file. The zero Format is none of them.
const (
	PNG Format = iota + 1
	JPEG
	TIFF
)

// String gives the usual name, such as "PNG".
func (f Format) String() string {
	switch f {
	case PNG:
		return "PNG"
	case JPEG:
		return "JPEG"
	case TIFF:
		return "TIFF"
	}
	return fmt.Sprintf("Format(%d)", int(f))
}

// FormatOf tells the format that a file name asks for by its extension: .png, .jpg, .jpeg, .tif
// or .tiff in any case. It is for names of files to be written; Decode looks at the content.
func FormatOf(name string) (Format, bool) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".png":
		return PNG, true
	case ".jpg", ".jpeg":
		return JPEG, true
	case ".tif", ".tiff":
		return TIFF, true
	}
	return 0, false
}

// Depth is the kind of sample in a file; its value is the number of bits.
type Depth int

// The depths. The zero Depth is none of them.
const (
	Depth8       Depth = 8
	Depth16      Depth = 16
	DepthFloat32 Depth = 32
)

// String gives "8-bit", "16-bit" or "float32".
func (d Depth) String() string {
	if d == DepthFloat32 {
		return "float32"
	}
	return fmt.Sprintf("%d-bit", int(d))
}

// max is full scale in the integers of the file; 0 for floats, which have none.
func (d Depth) max() float64 {
	switch d {
	case Depth8:
		return math.MaxUint8
	case Depth16:
		return math.MaxUint16
	}
	return 0
}

// Image is a decoded file, upright: an orientation in the file has been applied to the pixels.
type Image struct {
	Width, Height int
	// Planes are the colour planes, each of Width*Height samples row by row: one for gray, three for red,
	// green and blue, or four for cyan, magenta, yellow and black. 0 is black (or full ink) and 1 is full
	// scale (or no ink); samples of float files may lie outside and are kept as they are.
	Planes [][]float32
	// Alpha is the opacity, 0 to 1, or nil if the file has none. It is straight: colours are
	// never multiplied by it, and are kept where it is 0.
	Alpha  []float32
	Depth  Depth
	Format Format
	// Meta is what else the file carries; nil if it came from none.
	Meta *Metadata
}

// newImage allocates the planes: size has passed the gate by now.
func newImage(w, h, planes int, alpha bool, d Depth, f Format) *Image {
	img := &Image{Width: w, Height: h, Depth: d, Format: f}
	for range planes {
		img.Planes = append(img.Planes, make([]float32, w*h))
	}
	if alpha {
		img.Alpha = make([]float32, w*h)
	}
	return img
}

// channels lists the planes in file order, alpha last.
func (m *Image) channels() [][]float32 {
	c := append([][]float32(nil), m.Planes...)
	if m.Alpha != nil {
		c = append(c, m.Alpha)
	}
	return c
}

// checkWhite settles the full scale of float samples; 0 stands for 1.
func checkWhite(white float64) (float64, error) {
	if white == 0 {
		return 1, nil
	}
	if !(white > 0) || math.IsInf(white, 1) {
		return 0, failf(ErrUnsupported, "white level %g, must be positive and finite", white)
	}
	return white, nil
}
