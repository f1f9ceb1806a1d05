// Package imageio reads and writes PNG, JPEG, TIFF and DNG files as planes of float32 samples, together with their
// metadata. It also reads WebP, BMP and PNM files.
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
// Samples are float32, whatever the depth of the file: 0 is black and 1 is full scale. Samples that nobody changes
// survive Decode and Encode exactly, also those that float32 cannot hold. Those of 16 bits or fewer survive as float32.
//
// # Formats
//
// The content of a file decides its format, not its name. A file is either read completely or refused with an error
// that says why; a part of a picture is returned only with [ReadOptions].KeepDamaged. Faults of a file
// that do no harm to the picture are in [Image].Warnings.
//
//	PNG   1 to 16 bits, gray, RGB, palette, transparency, alpha, interlaced. Written as gray or RGB with 8 or 16 bits,
//	      not interlaced, because denoised pixels fit neither a palette nor fewer bits; or as gray of 1 bit. Animations
//	      are refused.
//	JPEG  baseline and progressive, Huffman and arithmetic coding, gray, RGB, YCbCr, and Adobe's CMYK and YCCK. The
//	      samples equal those of libjpeg-turbo. Written as baseline, with the subsampling of the source and its quality,
//	      but at least 90, or with a given quality. 12 bits and lossless coding are refused.
//	TIFF  and BigTIFF: integers of 1 to 32 bits, signed ones of 8, 16 and 32, floats of 16, 32 and 64; gray, palette, RGB,
//	      CMYK and other inks, Lab, YCbCr, LogLuv; alpha, also premultiplied, and any other samples; strips and tiles,
//	      chunky and planar; LZW, Deflate, PackBits, Zstandard, LZMA, fax (RLE, Group 3 and 4), JPEG or no compression;
//	      predictors 1, 2 and 3; both byte and bit orders; many pages, and ImageJ stacks. Written with chunky samples of
//	      the same type and meaning, except that palettes, YCbCr and LogLuv become RGB, and with the compression,
//	      predictor and tiles of the source. Pyramid levels (SubIFDs) are made again, other sub-images are refused.
//	DNG   the raw picture of a sensor, as it is: integers of 8 to 16 bits, with a mosaic of red, green and blue or none;
//	      plain, packed, Deflate, lossless JPEG; see [Mosaic]. Written as the same file with other samples, in lossless
//	      JPEG. Other mosaics, developed pictures, floats, lossy compression and JPEG XL are refused.
//	WebP  lossy and lossless, with alpha. The samples equal those of libwebp. Animations are refused.
//	BMP   1 to 32 bits, with palettes, run lengths and bit fields.
//	PNM   PBM, PGM, PPM and PAM of 1 to 16 bits, PFM.
//
// WebP, BMP and PNM are written as PNG, or as TIFF if their samples are floats, unless WriteOptions chooses another
// format. Files of other kinds are refused by name.
//
// [Metadata] lists which metadata is kept. [Reader] and [WritePages] handle files of several pages.
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
	"image"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/internal/hugepage"
)

// Format is a kind of image file.
type Format int

// The formats. The zero Format is none of them.
const (
	PNG Format = iota + 1
	JPEG
	TIFF
	WebP // read only, as BMP and PNM are
	BMP
	PNM // PBM, PGM, PPM, PAM and PFM
	DNG // written from files of this format only
)

var formatNames = [...]string{PNG: "PNG", JPEG: "JPEG", TIFF: "TIFF", WebP: "WebP", BMP: "BMP", PNM: "PNM", DNG: "DNG"}

// String returns the usual name, such as "PNG".
func (f Format) String() string {
	if f < PNG || f > DNG {
		return fmt.Sprintf("Format(%d)", int(f))
	}
	return formatNames[f]
}

// MarshalText returns the name in lower case. The zero Format has the empty name.
func (f Format) MarshalText() ([]byte, error) {
	if f < 0 || f > DNG {
		return nil, failf(ErrArgument, "there is no format %d", int(f))
	}
	return []byte(strings.ToLower(formatNames[f])), nil
}

// UnmarshalText sets the format by its name, in upper or lower case.
func (f *Format) UnmarshalText(text []byte) error {
	i := slices.IndexFunc(formatNames[:], func(name string) bool { return strings.EqualFold(name, string(text)) })
	if i < 0 {
		return failf(ErrArgument, "%q is no format", text)
	}
	*f = Format(i)
	return nil
}

// OutputFormatOf returns the format that the extension of a file name stands for: .png, .jpg, .jpeg, .tif, .tiff or
// .dng, in upper or lower case. It returns false for other names. Use it for files to be written; Decode looks at the
// content. For files to be read there is InputFormatOf.
func OutputFormatOf(name string) (Format, bool) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".png":
		return PNG, true
	case ".jpg", ".jpeg":
		return JPEG, true
	case ".tif", ".tiff":
		return TIFF, true
	case ".dng":
		return DNG, true
	}
	return 0, false
}

// InputFormatOf is OutputFormatOf with the extensions of formats that are only read: .webp, .bmp, .dib, .pbm, .pgm,
// .ppm, .pnm, .pam and .pfm.
func InputFormatOf(name string) (Format, bool) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".webp":
		return WebP, true
	case ".bmp", ".dib":
		return BMP, true
	case ".pbm", ".pgm", ".ppm", ".pnm", ".pam", ".pfm":
		return PNM, true
	}
	return OutputFormatOf(name)
}

// Image is a decoded image. It is upright: an orientation in the file has been applied to the pixels.
type Image struct {
	Width, Height int
	// Planes holds the colour planes, each with Width*Height samples row by row: one for gray, three for red, green
	// and blue, or four for cyan, magenta, yellow and black. 0 is black (full ink) and 1 is full scale (no ink).
	// Samples of float files may lie outside 0 to 1.
	Planes [][]float32
	// Alpha is the opacity, 0 to 1, or nil if the file has none. Colours are kept where it is 0. They are not
	// multiplied by it unless Premultiplied is set.
	Alpha []float32
	// Premultiplied says that the file stores colours that are multiplied by alpha, and so does Planes.
	Premultiplied bool
	// Extra holds further samples of each pixel: channels of a microscope, masks, spot colours, or the second and third
	// coordinate of Lab colour. They have no common meaning. Only TIFF has them.
	Extra  [][]float32
	Depth  Depth
	Format Format
	// Meta is the metadata of the file, or nil if there is none.
	Meta *Metadata
	// Warnings lists the faults of a file that was read nevertheless, a line for each, and the lines of Metadata.Lost.
	Warnings []string
	// MissingBottom is the number of rows at the bottom that are not in a damaged file. Their samples are gray if it is
	// a JPEG, and else black. If the picture had to be turned upright, they are at another edge: one of the other
	// fields counts their rows or columns then, and MissingBottom is 0.
	MissingBottom, MissingTop, MissingLeft, MissingRight int
	// Holes are parts of the picture that are not in a damaged file, besides those at an edge. Their samples are black.
	Holes []image.Rectangle
	// Steps is how coarsely a JPEG file stores the samples, turned upright with them. The denoiser uses it to estimate
	// how much noise the compression has removed. Clear it after you change samples.
	Steps Steps
	// NoData is the gray levels, in the unit of the file, of missing values. GDAL writes one into a tag of TIFF files,
	// and ReadOptions.NoData gives them for any file. See NoDataSamples.
	NoData []float64
	// Mosaic says what the samples of a DNG file are, which has one plane. It is nil for all other files. Such a
	// picture is not turned upright, and it can be written as DNG only.
	Mosaic *Mosaic

	stored storedAs
}

// storedAs is how a TIFF file stores the samples, as far as the planes do not show it. A TIFF file is written in the
// same way.
type storedAs struct {
	photometric uint32 // value of the tag plus 1; 0 if the number of planes decides it
	inks        int    // samples of a colour, if photometric is set
	alphaAt     int    // number of Extra planes that come before alpha
	// wide holds the samples of all channels if float32 cannot hold them exactly. A sample that nobody changed is
	// written as it was. white is the scale at which they were read.
	wide   [][]float64
	white  float64
	sum    uint64 // of a page stored as JPEG, and of a DNG file: digest of the samples
	jpeg   *jpegBlocks
	dng    *dngFile
	source []byte // the bytes of the DNG file
}

// What newImage is asked for.
const (
	noAlpha   = false
	withAlpha = true
)

// newImage allocates an image. The caller has checked the size.
func newImage(w, h, planes int, alpha bool, d Depth, f Format) *Image {
	img := &Image{Width: w, Height: h, Depth: d, Format: f}
	for range planes {
		img.Planes = append(img.Planes, hugepage.Make[float32](w*h))
	}
	if alpha {
		img.Alpha = hugepage.Make[float32](w * h)
	}
	return img
}

// channels returns the planes in the order of a file.
func (m *Image) channels() [][]float32 {
	c := append([][]float32(nil), m.Planes...)
	if m.Alpha == nil {
		return append(c, m.Extra...)
	}
	before := min(m.stored.alphaAt, len(m.Extra))
	c = append(c, m.Extra[:before]...)
	c = append(c, m.Alpha)
	return append(c, m.Extra[before:]...)
}

// Mapped returns an image of another size, without metadata. The function of makes each plane from the old one and its
// number. It counts planes as NoDataSamples does; alpha has -1.
func (m *Image) Mapped(w, h int, of func(number int, p []float32) []float32) *Image {
	out := *m
	out.Width, out.Height, out.Planes, out.Extra, out.stored.wide, out.Meta = w, h, nil, nil, nil, nil
	for i, p := range m.Planes {
		out.Planes = append(out.Planes, of(i, p))
	}
	for i, p := range m.Extra {
		out.Extra = append(out.Extra, of(len(m.Planes)+i, p))
	}
	if m.Alpha != nil {
		out.Alpha = of(-1, m.Alpha)
	}
	return &out
}

// alphaChannel returns the place of alpha among the channels, or -1 if there is none.
func (m *Image) alphaChannel() int {
	if m.Alpha == nil {
		return -1
	}
	return len(m.Planes) + min(m.stored.alphaAt, len(m.Extra))
}

// checkWhite returns the full scale of float samples. The default for 0 is 1.
func checkWhite(white float64) (float64, error) {
	if white == 0 {
		return 1, nil
	}
	if !(white > 0) || math.IsInf(white, 1) {
		return 0, failf(ErrArgument, "white level %g, must be positive and finite", white)
	}
	return white, nil
}
