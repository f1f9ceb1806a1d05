package denoise

import (
	goimage "image"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/drawn"
)

// A file may have three planes and yet no colour photograph in them: a gray picture stored as RGB, fluorescence shown
// in red, or one stain of a sample in each channel. Models for colour would mix planes that have nothing in common, and
// the noise of equal planes is not what they expect.

// together says which planes of an image are denoised together, as colour, and which each by itself.
type together struct {
	groups [][]int // planes in no group stay as they are, or are copies
	from   []int   // for each plane the one that it is a copy of, or its own number
	tint   *tint   // how planes follow from the one that is denoised; nil for most pictures
	drawn  drawn.Map
}

// groupsOf finds out which planes belong together: red, green and blue if each has samples of its own and they show the
// same things, and else each plane by itself. A JPEG file has mixed their noise, so they belong together there. Planes
// of two levels, such as scanned text and masks, have no noise, and neither has what is drawn.
func (o Options) groupsOf(img image) together {
	var own []int
	t := together{drawn: o.drawn(img)}
	for i, p := range img.planes {
		if o.ended() {
			return t
		}
		from := slices.IndexFunc(img.planes[:i], func(q []float32) bool { return slices.Equal(p, q) })
		if from < 0 {
			from = i
			if !t.drawn.All() && !twoLevels(p) {
				own = append(own, i)
			}
		}
		t.from = append(t.from, from)
	}
	if len(own) > 1 && o.Profile == nil {
		if tint, ok := tintOf(img.planes); ok {
			t.groups, t.from, t.tint = [][]int{{tint.lead}}, []int{tint.lead, tint.lead, tint.lead}, &tint
			return t
		}
	}
	profile := o.Profile != nil && len(o.Profile.Channels) == 3 // it has noise for each of three channels
	if len(img.planes) == 3 && (profile && len(own) > 0 || len(own) == 3 && (o.steps.Known() || img.related())) {
		t.groups = [][]int{{0, 1, 2}}
		t.from = []int{0, 1, 2}
		return t
	}
	for _, i := range own {
		t.groups = append(t.groups, []int{i})
	}
	return t
}

// pick returns the planes of a group.
func pick(planes [][]float32, group []int) (some [][]float32) {
	for _, i := range group {
		some = append(some, planes[i])
	}
	return some
}

// remember returns what complete needs of the planes before they are denoised.
func (t together) remember(planes [][]float32) (before [][]float32) {
	if t.tint == nil && !t.drawn.Some() {
		return nil
	}
	for _, p := range planes {
		before = append(before, slices.Clone(p))
	}
	return before
}

// complete changes planes of an area of the image after some were denoised: copies and tinted planes follow, and what
// is drawn is as before.
func (t together) complete(planes, before [][]float32, area goimage.Rectangle) {
	t.copyEqual(planes, before)
	t.drawn.Restore(planes, before, area)
}

// copyEqual writes the samples of planes into their copies, and has the planes of a tinted picture follow the one that
// was denoised.
func (t together) copyEqual(planes, before [][]float32) {
	if t.tint != nil {
		t.tint.follow(planes, before[t.tint.lead])
		return
	}
	for i, from := range t.from {
		if from != i {
			copy(planes[i], planes[from])
		}
	}
}

// result describes the noise of all groups by that of the first that has some. If red, green and blue were denoised one
// by one and all have photon noise, it has that of each.
func (t together) result(each []Result) Result {
	all := Result{Noise: None, Estimated: true}
	for _, r := range each {
		if all.Noise == None {
			all = r
		}
	}
	if len(each) < 2 || len(t.from) != 3 {
		return all
	}
	var photons [3]PhotonNoise
	for i, from := range t.from {
		at := slices.IndexFunc(t.groups, func(g []int) bool { return g[0] == from })
		if at < 0 || each[at].Noise != Poisson {
			return all
		}
		photons[i] = each[at].Photons
	}
	all.Photons, all.Channels = photons[1], photons
	return all
}

// twoLevels reports whether a plane has at most two different samples.
func twoLevels(plane []float32) bool {
	if len(plane) == 0 {
		return true
	}
	one := plane[0]
	i := slices.IndexFunc(plane, func(v float32) bool { return v != one })
	if i < 0 {
		return true
	}
	other := plane[i]
	return !slices.ContainsFunc(plane[i:], func(v float32) bool { return v != one && v != other })
}
