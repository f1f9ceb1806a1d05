package denoise

import (
	"cmp"
	"context"
	"fmt"
	goimage "image"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// Decoded denoises, in place, an image that package imageio has read. With o.Crop, only that part remains. Red, green
// and blue are denoised together if they show the same things, as in photographs. Else each plane is denoised as a gray
// image with its own noise: stains under a microscope, and all extra planes. Of a photograph in cyan, magenta, yellow
// and black, the light that the inks leave is denoised as red, green and blue, and the inks follow. Equal planes stay
// equal. Of a tinted gray picture one plane is denoised, and the others follow it. Planes whose samples have only two
// levels, such as scanned text and masks, have no noise and stay as they are. If o tells nothing of the noise, so does
// all that is no picture: text and windows on a screen, drawings, maps of labels, dithers. Rows and columns that a
// damaged file lacks stay as they are, too. The result describes the first plane that was denoised.
//
// Samples of 2 to 7 bits get 8 bits if they change, because denoised samples have levels in between. Metadata that does
// not suit o.Crop is left out, and the warnings of the image say so.
func Decoded(ctx context.Context, img *imageio.Image, o FileOptions) (Result, error) {
	run, full, err := o.forImage(ctx, img)
	if err != nil {
		return Result{}, err
	}
	img.Warnings = slices.Concat(img.Warnings, o.warnOfOffset(img, full), o.warnOfWhite(img, full))
	limit, crop := belowAlpha(img), run.Crop
	there := present(img)
	if !crop.Empty() {
		if run.Crop = crop.Intersect(there).Sub(there.Min); run.Crop.Empty() {
			o.cropWithMeta(img, crop)
			return Result{Noise: None, Estimated: true}, nil
		}
	}
	var r Result
	if light := run.inksOf(img); light != nil {
		r, err = run.denoiseInks(ctx, img, light, there, o.Read.White)
	} else {
		r, err = run.denoiseArea(ctx, img, there, o.Read.White)
	}
	if err != nil {
		return Result{}, err
	}
	if r.Model != "" || r.Hot > 0 {
		if limit {
			keepBelowAlpha(img)
		}
		img.Depth = max(img.Depth, imageio.Depth8)
	}
	o.cropWithMeta(img, crop)
	return r.inFile(full), nil
}

// forImage checks the options and an image, and returns the options with what the file says of the samples, which are
// on a scale of 0 to 1, and the full scale of the file.
func (o *FileOptions) forImage(ctx context.Context, img *imageio.Image) (run Options, full float64, err error) {
	if err := cmp.Or(o.check(ctx), checkImage(img)); err != nil {
		return run, 0, err
	}
	if err := o.checkCrop(img.Width, img.Height); err != nil {
		return run, 0, err
	}
	full = img.FullScale(o.Read.White)
	run = o.withFile(img)
	run.Photons, run.levels, run.ctx = run.Photons.over(full), o.levelsFor(img), ctx
	return run, full, run.Check()
}

// warnOfOffset warns of an offset that leaves nothing of a picture, as one that was given for files of another depth.
func (o Options) warnOfOffset(img *imageio.Image, full float64) []string {
	if o.Noise != Poisson || o.Photons.Gain == 0 || o.Photons.ReadNoise > 0 {
		return nil
	}
	most := float32(math.Inf(-1))
	for _, p := range img.Planes {
		for _, v := range p {
			if v > most { // which NaN is not
				most = v
			}
		}
	}
	if float64(most)*full >= o.Photons.Offset {
		return nil
	}
	return []string{fmt.Sprintf("all samples are below the offset, %g: without read noise there is no light in them",
		o.Photons.Offset)}
}

// warnOfWhite warns of a given level that is larger than the range of the samples, and of floats whose full scale seems
// to be another one, as of samples of 0 to 255 without ReadOptions.White. A level that was given is far too weak for
// them. One that is found suits samples of any range. Light brighter than white is usual in pictures of a high dynamic
// range, but it is the smaller part of them.
func (o Options) warnOfWhite(img *imageio.Image, full float64) []string {
	most := img.Depth.Max()
	if o.Sigma == 0 || most > 0 && most <= 255 { // of 8 bits, everybody knows the range
		return nil
	}
	if span, _ := dynamicRange(img.Planes); span > 0 && span < o.Sigma/255 {
		return []string{fmt.Sprintf("nearly all samples lie within %s, less than the given sigma, %s: it is meant "+
			"for another range", short(span*full), short(o.Sigma*full/255))}
	}
	if most > 0 {
		return nil
	}
	sample := someSamples(img.Planes)
	if len(sample) == 0 || sample[len(sample)/2] <= 1 {
		return nil
	}
	return []string{fmt.Sprintf("samples reach %.4g, but %g counts as white, and the given sigma as a share of it",
		float64(sample[len(sample)-1])*full, full)}
}

// cropWithMeta leaves only a part of an image, and metadata that suits the part.
func (o FileOptions) cropWithMeta(img *imageio.Image, crop goimage.Rectangle) {
	if crop.Empty() {
		return
	}
	cropTo(img, crop)
	meta, lost := img.Meta.Cropped(crop)
	if o.Write.Strip { // nothing is to be kept
		lost = nil
	}
	img.Meta, img.Warnings = meta, append(slices.Clip(img.Warnings), lost...)
}

// denoiseArea denoises all planes of an area of an image. White is the full scale of floats. The model of the result is
// empty if no noise was removed.
func (o Options) denoiseArea(ctx context.Context, img *imageio.Image, area goimage.Rectangle, white float64) (Result,
	error) {
	o.ctx = ctx
	e := o.emptyOf(img, area, white)
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	e.fill()
	planes, extra := e.planes[:len(img.Planes)], e.planes[len(img.Planes):]
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	sets := o.groupsOf(image{planes, area.Dx(), area.Dy()})
	jobs, empty := jobsOf(sets, planes, extra), e.ofJobs(sets, extra)
	before := sets.remember(planes)
	var results []Result
	name := ""
	for i, job := range jobs {
		if err := checkPlanes(ctx, job, area.Dx(), area.Dy()); err != nil {
			return Result{}, err
		}
		o.empty = empty[i]
		o.job = i
		r, err := o.part(i, len(jobs)).planes(ctx, job, area.Dx(), area.Dy())
		if err != nil {
			return Result{}, err
		}
		results = append(results, r)
		name = cmp.Or(name, r.Model)
	}
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	sets.complete(planes, before, goimage.Rect(0, 0, area.Dx(), area.Dy()))
	e.restore()
	putBack(img.Planes, planes, img.Width, area)
	putBack(img.Extra, extra, img.Width, area)
	r := sets.result(results)
	r.Model, r.Hot = name, e.hot
	return r, nil
}

// jobsOf returns what is denoised together: the planes of each group, and then the extra planes one by one.
func jobsOf(sets together, planes, extra [][]float32) (jobs [][][]float32) {
	for _, g := range sets.groups {
		jobs = append(jobs, pick(planes, g))
	}
	for _, p := range extra {
		if !twoLevels(p) {
			jobs = append(jobs, [][]float32{p})
		}
	}
	return jobs
}

// belowAlpha reports whether the colours are multiplied by alpha, so that none is above it.
func belowAlpha(img *imageio.Image) bool {
	if !img.Premultiplied || img.Alpha == nil {
		return false
	}
	for _, p := range img.Planes {
		for i, a := range img.Alpha {
			if !(p[i] >= 0 && p[i] <= a) {
				return false
			}
		}
	}
	return true
}

// keepBelowAlpha limits the colours to alpha.
func keepBelowAlpha(img *imageio.Image) {
	for _, p := range img.Planes {
		for i, a := range img.Alpha {
			p[i] = min(max(p[i], 0), a)
		}
	}
}
