package denoise

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// FileOptions say how to denoise a file. The zero value reads and writes as the program does without flags; see
// imageio.ReadOptions and imageio.WriteOptions.
//
// Reading the JSON form gives the same options again. Fingerprint is a digest of it.
type FileOptions struct {
	Options
	Read  imageio.ReadOptions  `json:"read"`
	Write imageio.WriteOptions `json:"write"`
}

// File reads the file in, denoises it, and writes the result to the file out. Nothing appears under the name out unless all of
// it worked. The output has the format of the input unless o.Write.Format says otherwise, whatever its name. Pages are denoised
// one after the other, with one page in memory at a time; the result describes the first page.
func File(ctx context.Context, in, out string, o FileOptions) (Result, error) {
	if err := o.check(ctx); err != nil {
		return Result{}, err
	}
	r, err := imageio.Open(in, o.Read)
	if err != nil {
		return Result{}, err
	}
	return toFile(ctx, r, out, o)
}

// FileFromBytes is File for an input that has been read already.
func FileFromBytes(ctx context.Context, data []byte, out string, o FileOptions) (Result, error) {
	if err := o.check(ctx); err != nil {
		return Result{}, err
	}
	r, err := imageio.NewReader(data, o.Read)
	if err != nil {
		return Result{}, err
	}
	return toFile(ctx, r, out, o)
}

// Stream reads one image file from r to its end, denoises it, and writes the result to w as one file. Nothing is written if the
// first page cannot be decoded or denoised.
func Stream(ctx context.Context, w io.Writer, r io.Reader, o FileOptions) (Result, error) {
	if r == nil {
		return Result{}, badArgument("no reader")
	}
	limit := o.Read.MaxBytes
	if limit <= 0 {
		limit = imageio.DefaultMaxBytes
	}
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return Result{}, err
	}
	if int64(len(data)) > limit {
		return Result{}, fmt.Errorf("%w: more than %d bytes", imageio.ErrLimit, limit)
	}
	return Bytes(ctx, w, data, o)
}

// Bytes is Stream for a file that has been read already.
func Bytes(ctx context.Context, w io.Writer, data []byte, o FileOptions) (Result, error) {
	if err := o.check(ctx); err != nil {
		return Result{}, err
	}
	if w == nil {
		return Result{}, badArgument("no writer")
	}
	r, err := imageio.NewReader(data, o.Read)
	if err != nil {
		return Result{}, err
	}
	defer r.Close()
	job := newPages(r, o)
	err = imageio.EncodePages(w, r.Pages(), o.Write, func(i int) (*imageio.Image, error) { return job.page(ctx, i) })
	return job.first, err
}

func (o *FileOptions) check(ctx context.Context) error {
	if ctx == nil {
		return badArgument("no context")
	}
	if o.Read.Workers == 0 {
		o.Read.Workers = o.Workers
	}
	return o.Options.Check()
}

// toFile denoises all pages of r into a file, and closes r.
func toFile(ctx context.Context, r *imageio.Reader, out string, o FileOptions) (Result, error) {
	defer r.Close()
	before := o.Write.BeforeRename
	o.Write.BeforeRename = func(f *os.File) error { // what was ended leaves no output
		if err := ctx.Err(); err != nil || before == nil {
			return err
		}
		return before(f)
	}
	job := newPages(r, o)
	err := imageio.WritePages(out, r.Pages(), o.Write, func(i int) (*imageio.Image, error) { return job.page(ctx, i) })
	return job.first, err
}

// pages denoises the pages of a file one after the other.
type pages struct {
	in    *imageio.Reader
	o     FileOptions
	first Result
}

// newPages prepares to denoise the pages of a reader. Unless told otherwise, float samples are written on the scale on which
// they were read.
func newPages(r *imageio.Reader, o FileOptions) *pages {
	if o.Write.White == 0 {
		o.Write.White = o.Read.White
	}
	if o.Write.Workers == 0 {
		o.Write.Workers = o.Workers
	}
	return &pages{in: r, o: o}
}

func (p *pages) page(ctx context.Context, i int) (*imageio.Image, error) {
	img, err := p.in.Page(i)
	if err == nil {
		err = ctx.Err() // reading may have taken seconds
	}
	if err != nil {
		return nil, err
	}
	if err := p.o.Write.Check(img, p.in.Pages()); err != nil { // before the work, not only after it
		return nil, err
	}
	if i == p.in.Pages()-1 {
		p.in.Close() // its bytes may be as many as the image's
	}
	if img.Width*img.Height > hugePixels {
		debug.FreeOSMemory() // what reading has left behind
	}
	o := p.o
	o.Options = o.part(i, p.in.Pages())
	r, err := Decoded(ctx, img, o)
	if i == 0 {
		p.first = r
	}
	return img, err
}

// hugePixels is the size of images for which the garbage of reading matters: it may be as large as the image.
const hugePixels = 4_000_000

// Decoded denoises an image in place that package imageio has read, and leaves only o.Crop of it. Inks have no common luma: each plane of a CMYK image is
// denoised as a gray image with its own noise level; the result describes the first.
func Decoded(ctx context.Context, img *imageio.Image, o FileOptions) (Result, error) {
	if img == nil {
		return Result{}, badArgument("no image")
	}
	full := FullScale(img, o.Read.White)
	run := o.Options
	run.Photons = run.Photons.Over(full)
	if len(img.Planes) != 4 {
		r, err := Planes(ctx, img.Planes, img.Width, img.Height, run)
		r.Photons = r.Photons.Over(1 / full)
		if err == nil {
			cropTo(img, run.Crop)
		}
		return r, err
	}
	var first Result
	for i := range img.Planes {
		r, err := Planes(ctx, img.Planes[i:i+1], img.Width, img.Height, run.part(i, len(img.Planes)))
		if err != nil {
			return Result{}, err
		}
		if i == 0 {
			first = r
			first.Photons = r.Photons.Over(1 / full)
		}
	}
	cropTo(img, run.Crop)
	return first, nil
}

// Measure returns the noise of an image that package imageio has read, as Decoded would find it. It changes nothing. Of a CMYK
// image it measures the first ink.
func Measure(ctx context.Context, img *imageio.Image, o FileOptions) (Result, error) {
	if img == nil {
		return Result{}, badArgument("no image")
	}
	planes := img.Planes
	if len(planes) == 4 {
		planes = planes[:1]
	}
	if err := checkPlanes(ctx, planes, img.Width, img.Height); err != nil {
		return Result{}, err
	}
	full := FullScale(img, o.Read.White)
	o.Photons = o.Photons.Over(full)
	if err := o.Options.Check(); err != nil {
		return Result{}, err
	}
	r := o.measure(image{planes, img.Width, img.Height}).result()
	r.Photons = r.Photons.Over(1 / full)
	return r, nil
}

// FullScale is the largest sample of the image's file, in the unit of the file. White is the full scale of float files; 0 means 1.
func FullScale(img *imageio.Image, white float64) float64 {
	switch {
	case img.Depth != imageio.DepthFloat32:
		return float64(uint64(1)<<img.Depth - 1)
	case white == 0:
		return 1
	}
	return white
}
