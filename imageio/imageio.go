// Package imageio reads and writes PNG, JPEG and TIFF files as planes of float32 samples, together with their
// metadata.
//
//	img, err := imageio.Read("photo.jpg", imageio.ReadOptions{})
//	if err != nil {
//		return err
//	}
//	for i, v := range img.Planes[0] {
//		img.Planes[0][i] = v * v
//	}
//	return imageio.Write("dark.png", img, imageio.WriteOptions{Format: imageio.PNG})
//
// Samples are float32, whatever the depth of the file: 0 is black and 1 is full scale. Integer samples of 8 and 16
// bits survive Decode and Encode exactly.
//
// # Formats
//
// The content of a file decides its format, not its name. A file is either read completely or refused with an error
// that says why; a part of a picture is never returned.
//
//	PNG   1 to 16 bits, gray, RGB, palette, transparency, alpha, interlaced. Written as gray or RGB with 8 or 16 bits,
//	      not interlaced, because denoised pixels fit neither a palette nor fewer bits. Animations are refused.
//	JPEG  baseline and progressive, gray, RGB, YCbCr, and Adobe's CMYK and YCCK. The samples equal those of libjpeg-turbo.
//	      Written as baseline, with the subsampling of the source and its quality, but at least 90, or with a given
//	      quality. 12 bits, lossless and arithmetic coding are refused.
//	TIFF  and BigTIFF: integers of 1, 2, 4, 8 and 16 bits, floats of 32 bits; gray, palette, RGB and CMYK, with
//	      unassociated alpha; strips and tiles, chunky and planar; LZW, Deflate, PackBits or no compression;
//	      predictors 1, 2 and 3; both byte orders; many pages, and ImageJ stacks. Written with chunky samples and with the
//	      compression, predictor and tiles of the source. Pyramid levels are made again. Other sub-images, associated alpha, JPEG and fax inside TIFF, and other
//	      sample types are refused.
//
// [Metadata] says what is kept of the metadata. [Reader] and [WritePages] handle files of several pages.
//
// # Safety
//
// Files may come from anywhere. [ReadOptions] limits the size of a file and of its picture. Both are checked before
// memory is allocated in proportion to them. No function panics on bad input; see [ErrFormat] for the kinds of error.
//
// A new file is written beside its final name, flushed to the disk and then renamed, so that no reader ever sees a part
// of one.
package imageio

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
)

// Format is a kind of image file.
type Format int

// The formats. The zero Format is none of them.
const (
	PNG Format = iota + 1
	JPEG
	TIFF
)

// String returns the usual name, such as "PNG".
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

// FormatOf returns the format that the extension of a file name stands for: .png, .jpg, .jpeg, .tif or .tiff, in upper
// or lower case. It returns false for other names. Use it for files to be written; Decode looks at the content.
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

// Depth is the type of the samples in a file. Its value is the number of bits.
type Depth int

// The depths. The zero Depth is none of them.
const (
	Depth8       Depth = 8
	Depth16      Depth = 16
	DepthFloat32 Depth = 32
)

// String returns "8-bit", "16-bit" or "float32".
func (d Depth) String() string {
	if d == DepthFloat32 {
		return "float32"
	}
	return fmt.Sprintf("%d-bit", int(d))
}

// max returns the integer of full scale in the file. It is 0 for floats, which have none.
func (d Depth) max() float64 {
	switch d {
	case Depth8:
		return math.MaxUint8
	case Depth16:
		return math.MaxUint16
	}
	return 0
}

// Image is a decoded image. It is upright: an orientation in the file has been applied to the pixels.
type Image struct {
	Width, Height int
	// Planes holds the colour planes, each with Width*Height samples row by row: one for gray, three for red, green
	// and blue, or four for cyan, magenta, yellow and black. 0 is black (full ink) and 1 is full scale (no ink).
	// Samples of float files may lie outside 0 to 1.
	Planes [][]float32
	// Alpha is the opacity, 0 to 1, or nil if the file has none. Colours are not multiplied by it, and are kept where
	// it is 0.
	Alpha  []float32
	Depth  Depth
	Format Format
	// Meta is the metadata of the file, or nil if there is none.
	Meta *Metadata
}

// newImage allocates an image. The caller has checked the size.
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

// channels returns the planes in the order of the file, alpha last.
func (m *Image) channels() [][]float32 {
	c := append([][]float32(nil), m.Planes...)
	if m.Alpha != nil {
		c = append(c, m.Alpha)
	}
	return c
}

// checkWhite returns the full scale of float samples. The default for 0 is 1.
func checkWhite(white float64) (float64, error) {
	if white == 0 {
		return 1, nil
	}
	if !(white > 0) || math.IsInf(white, 1) {
		return 0, failf(ErrUnsupported, "white level %g, must be positive and finite", white)
	}
	return white, nil
}
