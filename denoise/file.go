package denoise

import (
	"context"
	"runtime/debug"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// File is the one job that everything else is built of: read, denoise, write. Nothing is written under the name out
// unless all of it worked. A file of several pages is worked through page by page, with one page in memory; the result
// is that of the first page.
func File(ctx context.Context, in, out string, o Options, read imageio.ReadOptions, write imageio.WriteOptions) (Result, error) {
	r, err := imageio.Open(in, read)
	if err != nil {
		return Result{}, err
	}
	return toFile(ctx, r, out, o, read, write)
}

// toFile denoises all pages of r into a file, and closes r.
func toFile(ctx context.Context, r *imageio.Reader, out string, o Options, read imageio.ReadOptions, write imageio.WriteOptions) (Result, error) {
	defer r.Close()
	job := pages{r, o, read.White, write, Result{}}
	err := imageio.WritePages(out, r.Pages(), write, func(i int) (*imageio.Image, error) { return job.page(ctx, i) })
	return job.first, err
}

// pages denoises the pages of a file in turn.
type pages struct {
	in    *imageio.Reader
	o     Options
	white float64 // of float files
	write imageio.WriteOptions
	first Result
}

func (p *pages) page(ctx context.Context, i int) (*imageio.Image, error) {
	img, err := p.in.Page(i)
	if err != nil {
		return nil, err
	}
	if err := p.write.Check(img, p.in.Pages()); err != nil { // before the work, not only after it
		return nil, err
	}
	if i == p.in.Pages()-1 {
		p.in.Close() // its bytes may be as many as the image's
	}
	if img.Width*img.Height > hugePixels {
		debug.FreeOSMemory() // what reading has left behind
	}
	r, err := colours(ctx, img, p.o.InUnitsOf(img, p.white))
	if i == 0 {
		p.first = r
	}
	return img, err
}

// hugePixels is where it counts that what reading leaves behind may be as large as the image.
const hugePixels = 4_000_000

// colours denoises the planes of an image. Inks have no common luma, so each plane of CMYK is taken for a gray image,
// with a noise level of its own if that is to be estimated; the result is that of the first.
func colours(ctx context.Context, img *imageio.Image, o Options) (Result, error) {
	if len(img.Planes) != 4 {
		return Planes(ctx, img.Planes, img.Width, img.Height, o)
	}
	var first Result
	for i := range img.Planes {
		r, err := Planes(ctx, img.Planes[i:i+1], img.Width, img.Height, o)
		if err != nil {
			return Result{}, err
		}
		if i == 0 {
			first = r
		}
	}
	return first, nil
}
