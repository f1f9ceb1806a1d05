package denoise

import (
	"cmp"
	"context"
	goimage "image"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/crash"
)

// Decoded denoises, in place, an image that package imageio has read. With o.Crop, only that part remains. Red, green
// and blue are denoised together if they show the same things, as in photographs. Else each plane is denoised as a gray
// image with its own noise: stains under a microscope, and all extra planes. A photograph in cyan, magenta, yellow and
// black is converted to red, green and blue, denoised as such, and converted back. Equal planes stay equal. In a tinted
// gray picture one plane is denoised, and the others are computed from it. Planes with only two values, such as scanned
// text and masks, have no noise and stay as they are. If o does not specify the noise, synthetic content also stays as
// it is: text and windows on a screen, drawings, label maps, dithers. Rows and columns that a damaged file lacks stay
// as they are, too. The result describes the first plane that was denoised.
//
// Samples of 2 to 7 bits get 8 bits if they change, because denoised samples lie between those of the file. Metadata
// that does not suit o.Crop is left out, and the warnings of the image say so.
func Decoded(ctx context.Context, img *imageio.Image, o FileOptions) (r Result, err error) {
	defer crash.Catch(&err)
	j, full, err := o.forImage(ctx, img)
	if err != nil {
		return Result{}, err
	}
	img.Warnings = slices.Concat(img.Warnings, o.warnOfOffset(img, full), o.warnOfWhite(img, full))
	r, err = j.denoise(img, preparing{white: o.Read.White, change: true})
	if err != nil {
		return Result{}, err
	}
	if !o.Crop.Empty() {
		o.cropMeta(img)
	}
	return r.inFile(full), nil
}

// denoise denoises all of an image in place, or leaves only the crop of it, denoised.
func (j job) denoise(img *imageio.Image, how preparing) (Result, error) {
	if img.Mosaic != nil {
		return j.denoiseMosaic(img)
	}
	switch {
	case j.wraps(img):
		return j.wrapped(img, how)
	case j.splits(img):
		return j.fields(img, how)
	}
	area, cropped := bounds(img), !j.Crop.Empty()
	if cropped {
		area = j.Crop
		if j.Crop = j.Crop.Intersect(present(img)).Sub(present(img).Min); j.Crop.Empty() {
			cropTo(img, area)
			return Result{Noise: None, Estimated: true}, nil
		}
	}
	p, err := j.prepare(img, how)
	if err != nil {
		return Result{}, err
	}
	measured := p.there
	if !how.measured.Empty() {
		measured = how.measured
	}
	if err := p.find(measured); err != nil {
		if how.change { // a page of an unsupported kind may be copied
			multiply(slices.Concat(img.Planes, img.Extra), p.scale, j.Workers)
		}
		return Result{}, err
	}
	out := *p.img
	out.Meta, out.Warnings = img.Meta, img.Warnings
	if cropped {
		cropTo(&out, area)
	}
	r := p.result()
	r.Warnings = j.warnOfKind(r)
	if r.Margin, err = p.margin(); err != nil {
		return Result{}, err
	}
	if r.Model, err = p.remove(j, &out, area, 0); err != nil {
		return Result{}, err
	}
	*img = out
	return r, nil
}

// wrapMargin is how many samples of the other side surround a picture that repeats. Samples farther away hardly change
// the result: most of the difference between shifted pictures comes from the places of patches.
const wrapMargin = previewReach

// wraps reports whether the sides of an image go on at the other ones. Of a damaged file the other side may be missing.
func (j job) wraps(img *imageio.Image) bool { return j.Wrap && isWhole(img) }

// splits reports whether the fields of an image are denoised apart.
func (j job) splits(img *imageio.Image) bool { return j.Interlaced && isWhole(img) && img.Height > 1 }

// isWhole reports whether the file has all of an image.
func isWhole(img *imageio.Image) bool { return present(img) == bounds(img) && len(img.Holes) == 0 }

// wrapped denoises an image that repeats like tiles as a part of a larger one, which has what follows on each side.
func (j job) wrapped(img *imageio.Image, how preparing) (Result, error) {
	corner := goimage.Pt(wrapMargin, wrapMargin)
	how.measured = bounds(img).Add(corner)
	if j.Wrap = false; j.Crop.Empty() {
		j.Crop = bounds(img)
	}
	j.Crop = j.Crop.Add(corner)
	larger := repeated(img, wrapMargin)
	how.change = true // it is a copy
	r, err := j.denoise(larger, how)
	if err != nil {
		return Result{}, err
	}
	if crop := j.Crop.Sub(corner); crop != bounds(img) {
		cropTo(img, crop)
	}
	img.Planes, img.Extra, img.Depth = larger.Planes, larger.Extra, larger.Depth
	r.Margin = Margin{}
	return r, nil
}

// fields denoises the two fields of an image of interlaced video, which show two moments, each on its own.
func (j job) fields(img *imageio.Image, how preparing) (Result, error) {
	out, crop := img, j.Crop
	if !how.change {
		out = cloneImage(img)
	}
	j.Interlaced, j.Crop, how.change = false, goimage.Rectangle{}, true // what is changed is a copy
	var r Result
	for first := range 2 {
		part := field(img, first)
		found, err := j.share(first, 2).denoise(part, how)
		if err != nil {
			return Result{}, err
		}
		if first == 0 || r.Noise == None {
			r = found
		}
		putField(out, part, first)
	}
	cropTo(out, crop)
	*img = *out
	r.Margin = Margin{}
	return r, nil
}

// forImage checks the options and an image, and returns the job for it and the full scale of its file.
func (o *FileOptions) forImage(ctx context.Context, img *imageio.Image) (j job, full float64, err error) {
	if err := cmp.Or(o.check(ctx), checkImage(img)); err != nil {
		return j, 0, err
	}
	if err := o.checkCrop(img.Width, img.Height); err != nil {
		return j, 0, err
	}
	j = o.jobFor(ctx, img)
	return j, img.FullScale(o.Read.White), j.Check()
}

// bounds returns the area of a whole image.
func bounds(img *imageio.Image) goimage.Rectangle { return goimage.Rect(0, 0, img.Width, img.Height) }

// cropMeta leaves only metadata that suits the crop.
func (o FileOptions) cropMeta(img *imageio.Image) {
	meta, lost := img.Meta.Cropped(o.Crop)
	if o.Write.Strip { // then no metadata is written
		lost = nil
	}
	img.Meta, img.Warnings = meta, append(slices.Clip(img.Warnings), lost...)
}
