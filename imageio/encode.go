package imageio

import (
	"context"
	"io"
	"math"
	"os"
	"slices"
	"time"
)

// WriteOptions says how an image is written. The zero value keeps the image's own format.
type WriteOptions struct {
	// Format of the file. 0 means that of the first page, or for formats that are only read PNG, and TIFF for floats.
	Format Format `json:"format,omitzero"`
	// Quality of JPEG, 1 to 100. 0 means the quality of the source, but at least 90: each quantisation step is the
	// smaller one of the source's and that of quality 90. If the source was not a JPEG, 0 means 95.
	Quality int `json:"quality,omitzero"`
	// Subsampling of the chroma of JPEG.
	Subsampling Subsampling `json:"subsampling,omitzero"`
	// White is the float sample that 1 is written as. 0 means 1. Alpha is not scaled.
	White float64 `json:"white,omitzero"`
	// Depth is 0 for the depth of the image, or Depth16, which integers of fewer bits are written with, or
	// DepthFloat32, which integers are written with as they are, not rounded: 255 in a file of 8 bits is 255. JPEG
	// holds none of them, and PNG no floats.
	Depth Depth `json:"depth,omitzero"`
	// Strip leaves out the metadata, except what decides how the picture looks: colour profile, gamma and resolution.
	Strip bool `json:"strip,omitzero"`
	// Note, if not empty, is added to the history of the file, as Metadata.WithNote does.
	Note string `json:"note,omitzero"`
	// KeepInvalid writes float samples that are NaN or infinite. Without it such an image is refused. Only TIFF holds
	// them.
	KeepInvalid bool `json:"keep_invalid,omitzero"`
	// Workers is the number of goroutines; 0 means one for each processor. The bytes do not depend on it.
	Workers int `json:"workers,omitzero"`
	// Overwrite allows Write and WritePages to replace an existing file.
	Overwrite bool `json:"overwrite,omitzero"`

	// Context, if it is not nil, ends the writing when it is done, with its error. Then there is no file.
	Context context.Context `json:"-"`
	// Root, if not nil, is an open folder that the path given to Write is relative to. Links in the path are followed
	// only if they stay inside it.
	Root *os.Root `json:"-"`
	// ModTime is given to the file before it has its name; zero means now.
	ModTime time.Time `json:"-"`
	// BeforeRename is called by Write with the finished and flushed file, before it gets its name. An error leaves
	// everything as it was and is returned as it is. It must flush what it changes, and must not close the file.
	BeforeRename func(*os.File) error `json:"-"`
}

// Encode writes the image to w as a file of the format that o asks for.
//
// TIFF holds samples of every depth, alpha and extra planes. PNG holds unsigned integers of up to 16 bits, with or
// without alpha: as gray of 1 bit, or with 8 or 16 bits, to which other depths are scaled. Integer samples are rounded
// half up and clipped. JPEG is written with 8 bits whatever the depth, as a baseline file, and without alpha, which
// must be 1 everywhere. TIFF and JPEG hold CMYK. Metadata says which metadata is written.
//
// The error is ErrUnsupported if the format cannot hold the image, ErrFormat if a sample is NaN or Inf or a plane has
// the wrong length, and ErrArgument if w or img is nil or an option is out of range. All of these are returned before
// the first byte is written. Other errors come from w. Equal images give equal bytes.
func Encode(w io.Writer, img *Image, o WriteOptions) error {
	if err := o.Check(img, 1); err != nil {
		return err
	}
	return EncodePages(w, 1, o, func(int) (*Image, error) { return img, nil })
}

// Check reports whether the image can be the first page of a file of the given number of pages. It writes nothing. Its
// errors come from Encode.
func (o WriteOptions) Check(img *Image, pages int) error { return o.settle(img, pages) }

// settle fills in the defaults and refuses what cannot be written.
func (o *WriteOptions) settle(img *Image, pages int) (err error) {
	if img == nil {
		return failf(ErrArgument, "no image")
	}
	if pages < 1 {
		return failf(ErrArgument, "a file of %d pages", pages)
	}
	if o.Format == 0 {
		o.Format = img.Format.written(img.Depth)
	}
	if o.White, err = checkWhite(o.White); err != nil {
		return err
	}
	if o.Quality < 0 || o.Quality > 100 {
		return failf(ErrArgument, "JPEG quality %d, must be 1 to 100", o.Quality)
	}
	if err := o.checkDepth(img); err != nil {
		return err
	}
	if o.Subsampling < SubsamplingSource || o.Subsampling > Subsampling420 {
		return failf(ErrArgument, "there is no chroma subsampling %d", o.Subsampling)
	}
	if err := img.check(); err != nil {
		return err
	}
	if !(o.KeepInvalid && o.Format == TIFF && img.Depth.kind() == kindFloat) {
		if err := checkFinite(img); err != nil {
			return o.asFormat(img, err)
		}
	}
	if pages > 1 && o.Format != TIFF {
		return failf(ErrUnsupported, "%v cannot hold %d pages, but TIFF can", o.Format, pages)
	}
	return o.checkFormat(img)
}

// asFormat says which format does not hold samples that are no numbers, if others do.
func (o *WriteOptions) asFormat(img *Image, err error) error {
	if !o.KeepInvalid || o.Format == TIFF {
		return err
	}
	return failf(ErrUnsupported, "%v; %v cannot hold it, write TIFF", err, o.Format)
}

// check reports whether the image is what the documentation of Image says.
func (m *Image) check() error {
	if m.Width <= 0 || m.Height <= 0 || m.Width > math.MaxInt32 || m.Height > math.MaxInt32 {
		return failf(ErrFormat, "image of %d x %d pixels", m.Width, m.Height)
	}
	if n := len(m.Planes); n != 1 && n != 3 && n != 4 {
		return failf(ErrFormat, "image of %d colour planes", len(m.Planes))
	}
	if len(m.Extra) > maxSamples {
		return failf(ErrLimit, "image of %d extra planes, limit is %d", len(m.Extra), maxSamples)
	}
	for _, p := range m.channels() {
		if int64(len(p)) != int64(m.Width)*int64(m.Height) {
			return failf(ErrFormat, "plane of %d samples for %d x %d pixels", len(p), m.Width, m.Height)
		}
	}
	if !m.Depth.valid() {
		return failf(ErrUnsupported, "depth of %v is not supported", m.Depth)
	}
	return nil
}

// checkFinite refuses an image with a NaN or Inf. It names the first one in reading order.
func checkFinite(img *Image) error {
	bad := -1
	for _, p := range img.channels() {
		if allFinite(p) {
			continue
		}
		for i, v := range p {
			if !finite(v) {
				if bad < 0 || i < bad {
					bad = i
				}
				break
			}
		}
	}
	if bad < 0 {
		return nil
	}
	return failf(ErrFormat, "NaN or Inf at pixel (%d, %d)", bad%img.Width, bad/img.Width)
}

// checkRead is checkFinite for an image that was read.
func checkRead(img *Image) error {
	err := checkFinite(img)
	if err == nil {
		return nil
	}
	return &refusal{ErrInvalid, err.Error()}
}

// allFinite reports whether no sample is NaN or Inf. Adding up is faster than comparing, and sums that do not depend on
// each other are faster still.
func allFinite(p []float32) bool {
	var a, b, c, d float32 // stay 0
	for ; len(p) >= 4; p = p[4:] {
		a, b, c, d = a+(p[0]-p[0]), b+(p[1]-p[1]), c+(p[2]-p[2]), d+(p[3]-p[3])
	}
	for _, v := range p {
		a += v - v
	}
	return a+b+c+d == 0
}

// checkFormat refuses an image that the format cannot hold.
func (o *WriteOptions) checkFormat(img *Image) error {
	if img.Mosaic != nil && o.Format != DNG {
		return failf(ErrUnsupported, "%v cannot hold a raw picture: write DNG, and develop that", o.Format)
	}
	switch o.Format {
	case PNG:
		if len(img.Planes) == 4 {
			return failf(ErrUnsupported, "PNG cannot hold CMYK colour")
		}
		return img.checkSimple(PNG)
	case JPEG:
		const side = math.MaxUint16
		switch {
		case !img.opaque():
			return failf(ErrUnsupported, "JPEG cannot hold alpha")
		case img.Width > side || img.Height > side:
			return failf(ErrUnsupported, "JPEG cannot hold %d x %d pixels, limit is %d a side", img.Width, img.Height,
				side)
		}
		return img.checkSimple(JPEG)
	case TIFF:
		return checkTIFF(img, o.White)
	case DNG:
		return o.checkDNG(img)
	default:
		return failf(ErrUnsupported, "no output format")
	}
}

// checkSimple refuses samples and planes that only TIFF can hold.
func (m *Image) checkSimple(f Format) error {
	switch {
	case m.Depth.isFloat():
		return failf(ErrUnsupported, "%v cannot hold float samples", f)
	case m.Depth.kind() != kindUint || m.Depth.bits() > 16:
		return failf(ErrUnsupported, "%v cannot hold %v samples", f, m.Depth)
	case len(m.Extra) > 0 && slices.Contains([]uint64{cieLab, iccLab, ituLab}, m.photometric()):
		return failf(ErrUnsupported, "%v cannot hold Lab colour", f)
	case len(m.Extra) > 0:
		return failf(ErrUnsupported, "%v cannot hold %d channels", f, len(m.channels()))
	}
	return nil
}
