package denoise

import (
	"context"
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/crash"
)

// Analysis is the noise of a whole image. With it, a part of the image is denoised as it is within the whole.
type Analysis struct {
	picture *picture
	planes  int // of the image
	result  Result
	o       FileOptions
}

// Analyse measures the noise of an image that package imageio has read, or takes it from the options. It does not
// change the image. With o.Seen, it measures in that area alone; the analysis is still for the whole image.
func Analyse(ctx context.Context, img *imageio.Image, o FileOptions) (a *Analysis, err error) {
	defer crash.Catch(&err)
	j, full, err := o.forImage(ctx, img)
	if err != nil {
		return nil, err
	}
	area := present(img)
	if o.Seen != (goimage.Rectangle{}) {
		area = o.Seen.Intersect(area)
	}
	if area.Empty() {
		return nil, badArgument("the area is no part of an image of %d x %d", img.Width, img.Height)
	}
	if img.Mosaic != nil {
		r, err := j.ofMosaic(img.Mosaic)
		return &Analysis{planes: len(img.Planes), result: r.inFile(full), o: o}, err
	}
	p, err := j.prepare(img, preparing{white: o.Read.White})
	if err != nil {
		return nil, err
	}
	if err := p.find(area); err != nil {
		return nil, err
	}
	r := p.result()
	r.Warnings = j.warnOfKind(r)
	r.Hot = 0 // Analyse removes none
	if r.Margin, err = p.margin(); err != nil {
		return nil, err
	}
	return &Analysis{picture: p, planes: len(img.Planes), result: r.inFile(full), o: o}, nil
}

// Result returns the noise, without the name of a model.
func (a *Analysis) Result() Result { return a.result }

// Part returns the denoised samples of an area of the image that was analysed. The noise and the invalid samples are
// those of the analysis; all other options are o. Margin limits how far around the area models use samples; 0 means as
// far as in the whole image. Then the samples equal those that Decoded gives. A smaller margin takes less time, and may
// change samples a little. Where the noise is white, a network needs a margin of at least 96.
//
// Part reads the samples of the image that Analyse got, so the caller must not change that image. The part has no extra
// planes, and the metadata of img.
func (a *Analysis) Part(ctx context.Context, img *imageio.Image, area goimage.Rectangle, margin int,
	o Options) (part *imageio.Image, err error) {
	defer crash.Catch(&err)
	if err := a.check(ctx, img); err != nil {
		return nil, err
	}
	o.Noise, o.Sigma, o.Photons, o.Profile = a.o.Noise, a.o.Sigma, a.o.Photons, a.o.Profile
	switch {
	case area.Empty() || !area.In(bounds(img)):
		return nil, badArgument("the area %v is no part of an image of %d x %d", area, img.Width, img.Height)
	case margin < 0:
		return nil, badArgument("margin %d is negative", margin)
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	j := newJob(ctx, o)
	j.page, j.file = nil, a.picture.j.file
	out := *a.picture.img
	out.Meta, out.Warnings, out.Extra = img.Meta, img.Warnings, nil
	cropTo(&out, area)
	if _, err := a.picture.remove(j, &out, area, margin); err != nil {
		return nil, err
	}
	return &out, nil
}

// check reports an image that is not the one that was analysed.
func (a *Analysis) check(ctx context.Context, img *imageio.Image) error {
	if err := checkContext(ctx); err != nil {
		return err
	}
	if err := checkImage(img); err != nil {
		return err
	}
	if img.Mosaic != nil {
		return unsupportedMosaic("seen in parts")
	}
	if len(img.Planes) != a.planes || bounds(img) != bounds(a.picture.img) {
		return badArgument("the analysis is of another image")
	}
	return nil
}
