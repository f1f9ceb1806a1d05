package denoise

import (
	goimage "image"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/mask"
)

// emptySamples are the samples of an image that carry no picture (see package mask). Holes are filled in before
// anything is measured, so that nothing else needs to know of them. So are areas of one value in a noisy picture. A
// drawing is told by such areas, so it keeps them. All of them get their values back in the end.
type emptySamples struct {
	planes        [][]float32
	width, height int
	holes         []*mask.Mask // of each plane
	kept          []*mask.Mask // of each plane: what keeps its value
	values        []mask.Values
	noData        []float32 // of each plane: the value of samples that were not measured, or NaN
	step          float32   // between levels of integers; 0 for floats
	hot           int       // samples that get new values
}

// findEmpty finds the samples of an image that carry no picture. The planes of a group have areas of one value
// together. Missing are samples that a damaged file lacks. NoData returns the value of samples of a plane, counted over
// all groups, that were not measured, or false.
func (o Options) findEmpty(groups [][][]float32, width int, missing *mask.Mask,
	noData func(plane int) (float32, bool)) *emptySamples {
	e := &emptySamples{width: width}
	for _, planes := range groups {
		if len(planes) == 0 || o.ended() {
			continue
		}
		e.height = len(planes[0]) / width
		valid, invalid := o.valid(planes, width)
		flat := mask.Flat(valid, width, e.height, o.Workers)
		put := flat.Len() > 0 && flat.InPicture(valid, width, e.height, o.Workers) &&
			!o.drawn(image{valid, width, e.height}).Some()
		for i, p := range planes {
			given := invalid[i]
			v, ok := noData(len(e.planes))
			if ok {
				given = given.Union(mask.Equal(p, v))
			} else {
				v = float32(math.NaN())
			}
			e.noData = append(e.noData, v)
			e.add(p, valid[i], given.Union(missing), flat, put, o)
		}
	}
	return e
}

// valid returns planes without samples that are NaN or infinite, and masks of those, which may be nil. The planes stay
// as they are: one that has some is copied. Without Options.KeepInvalid nothing is looked for, and such samples will be
// an error.
func (o Options) valid(planes [][]float32, width int) (valid [][]float32, invalid []*mask.Mask) {
	valid, invalid = slices.Clone(planes), make([]*mask.Mask, len(planes))
	if !o.KeepInvalid {
		return valid, invalid
	}
	for i, p := range planes {
		if invalid[i] = mask.Invalid(p); invalid[i].Len() > 0 {
			valid[i] = slices.Clone(p)
			fill(valid[i], invalid[i], width)
		}
	}
	return valid, invalid
}

// fill fills in what a mask marks. A plane of nothing else becomes black.
func fill(p []float32, m *mask.Mask, width int) {
	if m.Len() == len(p) {
		clear(p)
	}
	m.Fill(p, width, len(p)/width)
}

// noNoData says that all samples of a plane were measured.
func noNoData(int) (float32, bool) { return 0, false }

// add finds the holes of a plane besides those that are given and flat areas that were put into it, and remembers their
// values and those of all flat areas. Valid is the plane without samples that are no numbers.
func (e *emptySamples) add(p, valid []float32, given, flat *mask.Mask, put bool, o Options) {
	if put {
		given = given.Union(flat)
	}
	found := mask.Find(valid, e.width, given, o.Workers)
	holes := given.Union(found)
	kept := holes.Union(flat)
	if o.RemoveHot {
		hot := holes.Single(e.width, e.height, func(i int) bool {
			return found.Has(i) && (o.Crop.Empty() || goimage.Pt(i%e.width, i/e.width).In(o.Crop))
		})
		e.hot += hot.Len()
		kept = kept.Without(hot)
	}
	e.planes = append(e.planes, p)
	e.holes = append(e.holes, holes)
	e.kept = append(e.kept, kept)
	e.values = append(e.values, kept.Values(p))
}

// ofGroup returns the samples of planes, given by their numbers, of which one carries no picture.
func (e *emptySamples) ofGroup(planes ...int) (m *mask.Mask) {
	for _, i := range planes {
		m = m.Union(e.holes[i]).Union(e.kept[i])
	}
	return m
}

// ofJobs returns ofGroup for each of the jobs that jobsOf returns.
func (e *emptySamples) ofJobs(sets together, extra [][]float32) (masks []*mask.Mask) {
	for _, g := range sets.groups {
		masks = append(masks, e.ofGroup(g...))
	}
	for i, p := range extra {
		if !twoLevels(p) {
			masks = append(masks, e.ofGroup(len(e.planes)-len(extra)+i))
		}
	}
	return masks
}

// haveHoles reports whether fill changes anything.
func (e *emptySamples) haveHoles() bool {
	for _, h := range e.holes {
		if h.Len() > 0 {
			return true
		}
	}
	return false
}

// fill fills the holes in.
func (e *emptySamples) fill() {
	for i, p := range e.planes {
		fill(p, e.holes[i], e.width)
	}
}

// restore gives samples that carry no picture their values back. No other sample has the value of those that were not
// measured then.
func (e *emptySamples) restore() {
	for i, p := range e.planes {
		e.leaveNoData(p, i)
		e.kept[i].Restore(p, e.values[i])
	}
}

// leaveNoData moves samples that would be rounded to the value of those that were not measured by a level.
func (e *emptySamples) leaveNoData(p []float32, plane int) {
	value, step := e.noData[plane], e.step
	if value-value != 0 || step == 0 {
		return
	}
	other := value + step
	if value > 0.5 {
		other = value - step
	}
	for i, v := range p {
		if v >= value-step/2 && v <= value+step/2 {
			p[i] = other
		}
	}
}

// emptyOf is findEmpty for an area of an image, or all of it. White is the full scale of floats.
func (o Options) emptyOf(img *imageio.Image, area goimage.Rectangle, white float64) *emptySamples {
	groups := [][][]float32{areaOf(img, img.Planes, area)}
	for _, p := range areaOf(img, img.Extra, area) {
		groups = append(groups, [][]float32{p})
	}
	e := o.findEmpty(groups, area.Dx(), missingIn(img, area),
		func(plane int) (float32, bool) { return img.NoDataSample(plane, white) })
	if top := img.Depth.Max(); top > 0 {
		e.step = float32(1 / top)
	}
	return e
}

// filled returns an image with the holes of an area filled in: a copy, or the image itself if there are none.
func (e *emptySamples) filled(img *imageio.Image, area goimage.Rectangle) *imageio.Image {
	if !e.haveHoles() {
		return img
	}
	out := *img
	out.Planes, out.Extra = clonePlanes(img.Planes), clonePlanes(img.Extra)
	e.planes = slices.Concat(areaOf(&out, out.Planes, area), areaOf(&out, out.Extra, area))
	e.fill()
	putBack(out.Planes, e.planes[:len(out.Planes)], out.Width, area)
	putBack(out.Extra, e.planes[len(out.Planes):], out.Width, area)
	return &out
}

func clonePlanes(planes [][]float32) (clones [][]float32) {
	for _, p := range planes {
		clones = append(clones, slices.Clone(p))
	}
	return clones
}

// restorePart copies the samples that keep their values from an image to a part of it. The samples of e belong to an
// area of the image that begins at a point.
func (e *emptySamples) restorePart(part [][]float32, at goimage.Rectangle, img *imageio.Image, begin goimage.Point) {
	inside := at.Intersect(goimage.Rect(0, 0, e.width, e.height).Add(begin))
	for i, p := range part {
		e.leaveNoData(p, i)
		if e.kept[i].Len() == 0 {
			continue
		}
		for y := inside.Min.Y; y < inside.Max.Y; y++ {
			for x := inside.Min.X; x < inside.Max.X; x++ {
				if e.kept[i].Has((y-begin.Y)*e.width + x - begin.X) {
					p[(y-at.Min.Y)*at.Dx()+x-at.Min.X] = img.Planes[i][y*img.Width+x]
				}
			}
		}
	}
}
