package denoise

import "slices"

// A file may have three planes and yet no colour photograph in them: a gray picture stored as RGB, fluorescence shown in red, or one
// stain of a sample in each channel. Models for colour would mix planes that have nothing in common, and the noise of equal planes
// is not what they expect.

// together says which planes of an image are denoised together, as colour, and which each by itself.
type together struct {
	groups [][]int // planes in no group stay as they are, or are copies
	from   []int   // for each plane the one that it is a copy of, or its own number
	tint   *tint   // how planes follow from the one that is denoised; nil for most pictures
}

// groupsOf finds out which planes belong together: red, green and blue if each has samples of its own and they show the same things,
// and else each plane by itself. Planes of two levels, such as scanned text and masks, have no noise (see twoLevels).
func (o Options) groupsOf(img image) together {
	var own []int
	t := together{}
	for i, p := range img.planes {
		from := slices.IndexFunc(img.planes[:i], func(q []float32) bool { return slices.Equal(p, q) })
		if from < 0 {
			from = i
			if !twoLevels(p) {
				own = append(own, i)
			}
		}
		t.from = append(t.from, from)
	}
	if len(own) > 1 && o.Profile == nil {
		if tint, ok := tintOf(img.planes); ok {
			return together{groups: [][]int{{tint.lead}}, from: []int{tint.lead, tint.lead, tint.lead}, tint: &tint}
		}
	}
	profile := o.Profile != nil && len(o.Profile.Channels) == 3 // it has noise for each of three channels
	if len(img.planes) == 3 && (profile && len(own) > 0 || len(own) == 3 && img.related()) {
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

// remember returns what copyEqual needs of the planes before they are denoised.
func (t together) remember(planes [][]float32) (before []float32) {
	if t.tint == nil {
		return nil
	}
	return slices.Clone(planes[t.tint.lead])
}

// copyEqual writes the samples of planes into their copies, and has the planes of a tinted picture follow the one that was denoised.
func (t together) copyEqual(planes [][]float32, before []float32) {
	if t.tint != nil {
		t.tint.follow(planes, before)
		return
	}
	for i, from := range t.from {
		if from != i {
			copy(planes[i], planes[from])
		}
	}
}

// result describes the noise of all groups by that of the first that has some. If red, green and blue were denoised one by one and
// all have photon noise, it has that of each.
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

const (
	// mostlyTwo is the share of samples at the ends of the range from which a plane counts as one of two levels: a scanned page of text may have
	// a coloured stamp. Each end has at least leastEnd of the samples, since frames of few photons are mostly 0 as well.
	mostlyTwo, leastEnd = 0.95, 0.01
)

// twoLevels reports whether a plane has two levels, but for a few samples between them, or one.
func twoLevels(plane []float32) bool {
	if len(plane) == 0 {
		return true
	}
	low, high := slices.Min(plane), slices.Max(plane)
	n := float64(len(plane))
	lows, highs, others := 0, 0, 0
	for _, v := range plane {
		switch v {
		case low:
			lows++
		case high:
			highs++
		default:
			if others++; float64(others) > (1-mostlyTwo)*n { // most pictures end here soon
				return false
			}
		}
	}
	return others == 0 || float64(min(lows, highs)) >= leastEnd*n
}
