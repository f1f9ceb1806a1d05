package denoise

import (
	"context"
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// Analysis is the noise of a whole image. With it, a part of the image is denoised as it is within the whole.
type Analysis struct {
	sets   together
	noise  []foundNoise      // of each group
	there  goimage.Rectangle // what the file has of the image
	planes int               // of the image
	limit  bool              // no colour is to be above alpha
	result Result
	o      FileOptions
	empty  *emptySamples  // of what is there
	filled *imageio.Image // the image with its holes filled in, or nil if it has none
	inks   *inkAnalysis   // of the light that inks leave, which all of the noise is in; nil for other images

	turn   turn                 // to look at chroma
	chroma map[int]*wholeChroma // of groups, made when they are first needed
}

// Analyse measures the noise of an image that package imageio has read, or takes it from the options. It changes
// nothing. With o.Seen, it measures in that area alone; parts of the whole image can be denoised with the analysis.
func Analyse(ctx context.Context, img *imageio.Image, o FileOptions) (*Analysis, error) {
	run, full, err := o.forImage(ctx, img)
	if err != nil {
		return nil, err
	}
	there := present(img)
	area := there
	if o.Seen != (goimage.Rectangle{}) {
		area = o.Seen.Intersect(there)
	}
	if area.Empty() {
		return nil, badArgument("the area is no part of an image of %d x %d", img.Width, img.Height)
	}
	if light := run.inksOf(img); light != nil {
		return o.analyseInks(ctx, light, area)
	}
	limit, empty := belowAlpha(img), run.emptyOf(img, there, o.Read.White)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	img = empty.filled(img, there)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	planes := areaOf(img, img.Planes, there)
	seen := areaOf(img, img.Planes, area)
	a := &Analysis{sets: run.groupsOf(image{planes, there.Dx(), there.Dy()}), there: there, planes: len(planes),
		limit: limit, o: o, turn: newTurn(), chroma: map[int]*wholeChroma{}, empty: empty}
	if empty.haveHoles() {
		a.filled = img
	}
	var results []Result
	extra := areaOf(img, img.Extra, area)
	left := empty.ofJobs(a.sets, extra)
	for i, planes := range jobsOf(a.sets, seen, extra) {
		if err := o.Profile.fits(len(planes)); err != nil {
			return nil, err
		}
		if err := checkFinite(planes, area.Dx()); err != nil {
			return nil, err
		}
		var rule string
		run.decided = &rule
		if area == there {
			run.empty = left[i]
		}
		n := run.measureWhole(image{planes, area.Dx(), area.Dy()})
		if err := ctx.Err(); err != nil { // what was measured may be half of it
			return nil, err
		}
		r := n.result()
		r.Rule = rule
		results = append(results, r)
		if i < len(a.sets.groups) { // else it is an extra plane, which parts do not have
			if p, ok := n.(placesNoise); ok {
				n = p.moved(area.Min.Sub(there.Min))
			}
			a.noise = append(a.noise, n)
		}
	}
	a.result = a.sets.result(results).inFile(full)
	return a, nil
}

// Result returns the noise, without the name of a model.
func (a *Analysis) Result() Result { return a.result }

// Part returns the denoised samples of an area of the image that was analysed. The options say how. The analysis says
// what noise there is, and which samples carry no picture. Models look at samples up to margin around the area; with a
// margin of 0, as far as they would in the whole image. Then the samples equal those that Decoded gives. A smaller
// margin takes less time, and may change samples a little. Where the noise is white, a network needs a margin of at
// least 96.
//
// The part has no extra planes, and the metadata of the whole image.
func (a *Analysis) Part(ctx context.Context, img *imageio.Image, area goimage.Rectangle, margin int,
	o Options) (*imageio.Image, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	if err := checkImage(img); err != nil {
		return nil, err
	}
	o.Noise, o.Sigma, o.Photons, o.Profile = a.o.Noise, a.o.Sigma, a.o.Photons, a.o.Profile
	o.levels = a.o.levelsFor(img)
	switch bounds := goimage.Rect(0, 0, img.Width, img.Height); {
	case area.Empty() || !area.In(bounds):
		return nil, badArgument("the area %v is no part of an image of %d x %d", area, img.Width, img.Height)
	case margin < 0:
		return nil, badArgument("margin %d is negative", margin)
	case len(img.Planes) != a.planes || !a.there.In(bounds):
		return nil, badArgument("the analysis is of another image")
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	if a.inks != nil {
		return a.inks.part(ctx, img, area, margin, o)
	}
	with := img
	if a.filled != nil {
		with = a.filled
	}
	out := *with
	out.Extra = nil
	cropTo(&out, area)
	before := a.sets.remember(out.Planes)
	if inside := area.Intersect(a.there); !inside.Empty() {
		for i, g := range a.sets.groups {
			done, err := a.denoise(ctx, i, image{pick(with.Planes, g), img.Width, img.Height}, inside, margin,
				o.part(i, len(a.noise)))
			if err != nil {
				return nil, err
			}
			pasteAll(pick(out.Planes, g), out.Width, done, inside.Sub(area.Min))
		}
	}
	a.sets.complete(out.Planes, before, area.Sub(a.there.Min))
	a.empty.restorePart(out.Planes, area, img, a.there.Min)
	if a.changes(o) {
		if a.limit {
			keepBelowAlpha(&out)
		}
		out.Depth = max(out.Depth, imageio.Depth8)
	}
	return &out, nil
}

// changes reports whether the image changes where it is denoised.
func (a *Analysis) changes(o Options) bool {
	if a.empty.hot > 0 {
		return true
	}
	for i, n := range a.noise {
		if !isNone(n) && !o.keepsAll(len(a.sets.groups[i])) {
			return true
		}
	}
	return false
}

// wholeChroma returns the chroma of a group of planes, or nil if the noise and the options need none.
func (a *Analysis) wholeChroma(ctx context.Context, group int, img image, o Options) (*wholeChroma, error) {
	if err := a.turn.take(ctx); err != nil {
		return nil, err
	}
	defer a.turn.give()
	if c := a.chroma[group]; c != nil { // where it is needed, it does not depend on the options
		return c, nil
	}
	if a.there != goimage.Rect(0, 0, img.width, img.height) {
		img = image{cutAll(img.planes, img.width, a.there), a.there.Dx(), a.there.Dy()}
	}
	c, err := a.noise[group].wholeChroma(ctx, img, o)
	if c != nil {
		a.chroma[group] = c
	}
	return c, err
}

// denoise returns the denoised samples of an area of a group of planes.
func (a *Analysis) denoise(ctx context.Context, group int, img image, area goimage.Rectangle, margin int,
	o Options) ([][]float32, error) {
	n := a.noise[group]
	if isNone(n) || o.keepsAll(len(img.planes)) {
		return cutAll(img.planes, img.width, area), nil
	}
	m, err := n.margins(len(img.planes), o)
	if err != nil {
		return nil, err
	}
	if margin > 0 && (m.whole || margin < m.after) {
		after := margin
		if m.whole {
			after = max(margin, previewReach)
		}
		m = margins{align: previewAlign, after: after}
	} else if o.within.chroma, err = a.wholeChroma(ctx, group, img, o); err != nil {
		return nil, err
	}
	_, samples, err := removePart(ctx, n, img, a.there, area, m, o)
	return samples, err
}

// previewAlign is the alignment of parts with a smaller margin than models need. It keeps the patches of local stages
// where they are in the whole image at most strides.
const previewAlign = 48

// previewReach is the least margin for what looks at the whole image, such as a network.
const previewReach = 96
