package imageio

import (
	"io"
	"math"
	"os"
	"time"
)

// WriteOptions say how an image is written; the zero value keeps the image's own format.
type WriteOptions struct {
	// Format of the file; 0 stands for the image's own.
	Format Format
	// Quality of JPEG, 1 to 100; 0 stands for the quantisation tables of the source, or 95 if it was no JPEG.
	Quality int
	// Subsampling of the chroma of JPEG.
	Subsampling Subsampling
	// White is the float sample that 1 is written as; 0 stands for 1. Alpha is not scaled.
	White float64
	// Strip leaves metadata out, but for what decides how the picture looks: colour profile, gamma, resolution.
	Strip bool
	// Overwrite allows Write to replace an existing file.
	Overwrite bool

	// Root, if not nil, is an open folder that the path given to Write is relative to. Links in the path are followed only
	// if they stay inside it.
	Root *os.Root `json:"-"`
	// ModTime is given to the file before it has its name; zero stands for now.
	ModTime time.Time `json:"-"`
	// BeforeRename is called by Write with the finished and flushed file, before it gets its name. An error leaves
	// everything as it was and is returned as it is. It must flush what it changes, and must not close the file.
	BeforeRename func(*os.File) error `json:"-"`
}

// Encode writes the image as a file of the format asked for.
//
// PNG and TIFF hold 8-bit and 16-bit samples, TIFF holds floats too, all with or without alpha. PNG is
// written as gray or RGB even if the source had a palette or fewer bits. Integer samples are rounded half up
// and clipped. JPEG is written with 8 bits whatever the depth, as a baseline file, and holds no alpha. TIFF
// and JPEG hold CMYK. Metadata are written as Metadata says.
//
// What the format cannot hold is refused with ErrUnsupported, a NaN, Inf or plane of the wrong
// length with ErrFormat, both before the first byte is written; other errors are the writer's.
// Equal images give equal bytes.
func Encode(w io.Writer, img *Image, o WriteOptions) error {
	if err := o.Check(img, 1); err != nil {
		return err
	}
	return EncodePages(w, 1, o, func(int) (*Image, error) { return img, nil })
}

// Check says whether the image can be the first of so many pages of a file, without writing anything. The
// error is that of Encode.
func (o WriteOptions) Check(img *Image, pages int) error { return o.settle(img, pages) }

// settle fills in the defaults and refuses what cannot be written.
func (o *WriteOptions) settle(img *Image, pages int) (err error) {
	if o.Format == 0 {
		o.Format = img.Format
	}
	if o.White, err = checkWhite(o.White); err != nil {
		return err
	}
	if o.Quality < 0 || o.Quality > 100 {
		return failf(ErrUnsupported, "JPEG quality %d, must be 1 to 100", o.Quality)
	}
	if err := img.check(); err != nil {
		return err
	}
	if pages > 1 && o.Format != TIFF {
		return failf(ErrUnsupported, "%v cannot hold %d pages", o.Format, pages)
	}
	return o.checkFormat(img)
}

// check holds an image against what Image promises.
func (m *Image) check() error {
	if m.Width <= 0 || m.Height <= 0 || m.Width > math.MaxInt32 || m.Height > math.MaxInt32 {
		return failf(ErrFormat, "image of %d x %d pixels", m.Width, m.Height)
	}
	if n := len(m.Planes); n != 1 && n != 3 && n != 4 {
		return failf(ErrFormat, "image of %d colour planes", len(m.Planes))
	}
	for _, p := range m.channels() {
		if int64(len(p)) != int64(m.Width)*int64(m.Height) {
			return failf(ErrFormat, "plane of %d samples for %d x %d pixels", len(p), m.Width, m.Height)
		}
	}
	switch m.Depth {
	case Depth8, Depth16, DepthFloat32:
	default:
		return failf(ErrUnsupported, "depth of %v is not supported", m.Depth)
	}
	return checkFinite(m)
}

func (o *WriteOptions) checkFormat(img *Image) error {
	switch o.Format {
	case PNG:
		if len(img.Planes) == 4 {
			return failf(ErrUnsupported, "PNG cannot hold CMYK colour")
		}
		if img.Depth == DepthFloat32 {
			return failf(ErrUnsupported, "PNG cannot hold float samples")
		}
	case JPEG:
		const side = math.MaxUint16
		switch {
		case img.Alpha != nil:
			return failf(ErrUnsupported, "JPEG cannot hold alpha")
		case img.Depth == DepthFloat32:
			return failf(ErrUnsupported, "JPEG cannot hold float samples")
		case img.Width > side || img.Height > side:
			return failf(ErrUnsupported, "JPEG cannot hold %d x %d pixels, limit is %d a side", img.Width, img.Height, side)
		}
	case TIFF:
		if len(img.Planes) == 4 && (img.Depth == DepthFloat32 || img.Alpha != nil) {
			return failf(ErrUnsupported, "CMYK colour with float samples or alpha is not supported")
		}
		return checkTIFF(img, o.White)
	default:
		return failf(ErrUnsupported, "no output format")
	}
	return nil
}
