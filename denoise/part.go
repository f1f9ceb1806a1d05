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
	corner  goimage.Point     // of the image in the picture, which is larger if its sides wrap
	fields  []*Analysis       // of a frame of interlaced video, which has no picture of its own
	raw     *rawAnalysis      // of a raw picture, which has none either
	size    goimage.Rectangle // of the image
	planes  int               // of the image
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
		a = &Analysis{}
		a.raw, a.result, err = j.analyseMosaic(img)
	} else {
		a, err = j.analyse(img, preparing{white: o.Read.White}, area)
	}
	if err != nil {
		return nil, err
	}
	a.size, a.planes, a.result, a.o = bounds(img), len(img.Planes), a.result.inFile(full), o
	return a, nil
}

// analyse measures the noise in an area of an image.
func (j job) analyse(img *imageio.Image, how preparing, area goimage.Rectangle) (a *Analysis, err error) {
	if j.splits(img) {
		return j.analyseFields(img, how, area)
	}
	a = &Analysis{}
	if j.wraps(img) {
		a.corner = goimage.Pt(wrapMargin, wrapMargin)
		img, how.change = repeated(img, wrapMargin), true
	}
	if a.picture, err = j.prepare(img, how); err != nil {
		return nil, err
	}
	if err := a.picture.find(area.Add(a.corner)); err != nil {
		return nil, err
	}
	a.result = a.picture.result()
	a.result.Warnings = j.warnOfKind(a.result)
	a.result.Hot = 0 // Analyse removes none
	if a.corner == (goimage.Point{}) {
		a.result.Margin, err = a.picture.margin()
	}
	return a, err
}

// analyseFields measures the noise of both fields of a frame.
func (j job) analyseFields(img *imageio.Image, how preparing, area goimage.Rectangle) (*Analysis, error) {
	j.Interlaced, how.change = false, true // each field is a copy
	a := &Analysis{}
	for first := range 2 {
		rows := rowsOf(area, first)
		if rows.Empty() {
			return nil, badArgument("the area %v has rows of one field alone", area)
		}
		f, err := j.analyse(field(img, first), how, rows)
		if err != nil {
			return nil, err
		}
		if a.fields = append(a.fields, f); first == 0 || a.result.Noise == None {
			a.result = f.result
		}
	}
	a.result.Margin = Margin{}
	return a, nil
}

// Result returns the noise, without the name of a model.
func (a *Analysis) Result() Result { return a.result }

// Part returns the denoised samples of an area of the image that was analysed. The noise and the invalid samples are
// those of the analysis; all other options are o. Margin limits how far around the area models use samples; 0 means as
// far as in the whole image. Then the samples equal those that Decoded gives. A smaller margin takes less time, and may
// change samples a little. Where the noise is white, a network needs a margin of at least 96, and that for mosaics 48.
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
	j.page = nil
	return a.part(j, img, area, margin)
}

// part is Part without checks.
func (a *Analysis) part(j job, img *imageio.Image, area goimage.Rectangle, margin int) (*imageio.Image, error) {
	switch {
	case a.raw != nil:
		return a.raw.part(j, img, area, margin)
	case a.fields != nil:
		return a.partOfFields(j, img, area, margin)
	}
	j.file = a.picture.j.file
	area = area.Add(a.corner)
	out := *a.picture.img
	out.Meta, out.Warnings, out.Extra = img.Meta, img.Warnings, nil
	cropTo(&out, area)
	if _, err := a.picture.remove(j, &out, area, margin); err != nil {
		return nil, err
	}
	return &out, nil
}

// partOfFields joins the parts of both fields that an area has.
func (a *Analysis) partOfFields(j job, img *imageio.Image, area goimage.Rectangle, margin int) (*imageio.Image, error) {
	out := *img
	out.Extra = nil
	cropTo(&out, area)
	for first, f := range a.fields {
		rows := rowsOf(area, first)
		if rows.Empty() {
			continue
		}
		part, err := f.part(j.share(first, len(a.fields)), img, rows, margin)
		if err != nil {
			return nil, err
		}
		putField(&out, part, (area.Min.Y+first)%2)
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
	if len(img.Planes) != a.planes || bounds(img) != a.size || (img.Mosaic != nil) != (a.raw != nil) {
		return badArgument("the analysis is of another image")
	}
	return nil
}
