package denoise

import (
	goimage "image"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/drawn"
)

// A file may have three planes and yet no colour photograph in them: a gray picture stored as RGB, fluorescence shown
// in red, or one stain of a sample in each channel. Models for colour would mix planes that have nothing in common, and
// they were not trained on equal planes.

// groups says which planes of an image are denoised together, as colour, and which each by itself.
type groups struct {
	groups [][]int // planes in no group stay as they are, or are copies
	from   []int   // for each plane the one that it is a copy of, or its own number
	tint   *tint   // how planes follow from the one that is denoised; nil for most pictures
	drawn  drawn.Map
}

// groupsOf finds the planes that belong together: red, green and blue if each has samples of its own and they show the
// same things, and else each plane by itself. JPEG mixes the noise of red, green and blue, so those of a JPEG file
// belong together. Planes with two values, such as scanned text and masks, have no noise; neither has synthetic
// content. Raw planes are gray, or red, green and blue unless some are equal.
func (j job) groupsOf(img image, raw bool) (g groups, err error) {
	var own []int
	if !raw {
		g.drawn = j.drawn(img)
	}
	for i, p := range img.planes {
		if err := j.err(); err != nil {
			return g, err
		}
		from := slices.IndexFunc(img.planes[:i], func(q []float32) bool { return slices.Equal(p, q) })
		if from < 0 {
			from = i
			if raw || !g.drawn.All() && !twoValues(p) {
				own = append(own, i)
			}
		}
		g.from = append(g.from, from)
	}
	if len(own) > 1 && j.Profile == nil && !raw {
		if tint, ok := tintOf(img.planes); ok {
			return groups{[][]int{{tint.lead}}, []int{tint.lead, tint.lead, tint.lead}, &tint, g.drawn}, nil
		}
	}
	profile := j.Profile != nil && (raw || len(j.Profile.Channels) == 3) // which has noise for each channel
	if len(img.planes) == 3 && (profile && len(own) > 0 ||
		len(own) == 3 && (raw || j.file.steps.Known() || img.related())) {
		g.groups, g.from = [][]int{{0, 1, 2}}, []int{0, 1, 2}
		return g, nil
	}
	for _, i := range own {
		g.groups = append(g.groups, []int{i})
	}
	return g, nil
}

// pick returns the planes of a group.
func pick(planes [][]float32, group []int) (some [][]float32) {
	for _, i := range group {
		some = append(some, planes[i])
	}
	return some
}

// remember returns what complete needs of the planes before they are denoised.
func (g groups) remember(planes [][]float32) (before [][]float32) {
	if g.tint == nil && !g.drawn.Some() {
		return nil
	}
	for _, p := range planes {
		before = append(before, slices.Clone(p))
	}
	return before
}

// complete changes planes of an area of the image after some were denoised: it computes copies and tinted planes, and
// restores synthetic content.
func (g groups) complete(planes, before [][]float32, area goimage.Rectangle) {
	g.copyEqual(planes, before)
	g.drawn.Restore(planes, before, area)
}

// copyEqual writes the samples of planes into their copies, and computes the planes of a tinted picture from the
// denoised one.
func (g groups) copyEqual(planes, before [][]float32) {
	if g.tint != nil {
		g.tint.follow(planes, before[g.tint.lead])
		return
	}
	for i, from := range g.from {
		if from != i {
			copy(planes[i], planes[from])
		}
	}
}

// result describes the noise of all groups by that of the first that has some. If red, green and blue were denoised one
// by one and all have photon noise, it has that of each.
func (g groups) result(each []Result) Result {
	all := Result{Noise: None, Estimated: true}
	for _, r := range each {
		if all.Noise == None {
			all = r
		}
	}
	if len(each) < 2 || len(g.from) != 3 {
		return all
	}
	var photons [3]PhotonNoise
	for i, from := range g.from {
		at := slices.IndexFunc(g.groups, func(planes []int) bool { return planes[0] == from })
		if at < 0 || each[at].Noise != Poisson {
			return all
		}
		photons[i] = each[at].Photons
	}
	all.Photons, all.Channels = photons[1], photons
	return all
}

// twoValues reports whether a plane has at most two different samples.
func twoValues(plane []float32) bool {
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
