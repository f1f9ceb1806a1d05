package denoise

import (
	goimage "image"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/mask"
)

// invalidSamples are the samples of an image that carry no picture (see package mask). Holes are filled in before
// anything is measured, so that nothing else needs to know of them. So are areas of one value in a noisy picture. A
// drawing is told by such areas, so it keeps them. All of them get their values back in the end.
type invalidSamples struct {
	planes        [][]float32
	width, height int
	holes         []*mask.Mask // of each plane
	kept          []*mask.Mask // of each plane: what keeps its value
	values        []mask.Values
	noData        []float32 // of each plane: the value of samples that were not measured, or NaN
	step          float32   // between levels of integers; 0 for floats
	hot           int       // samples that get new values
}

// findInvalid finds the samples of an image that carry no picture. The planes of a group have areas of one value
// together. Missing are samples that a damaged file lacks. NoData returns the value of samples of a plane, counted over
// all groups, that were not measured, or false.
func (j job) findInvalid(groups [][][]float32, width int, missing *mask.Mask,
	noData func(plane int) (float32, bool)) (*invalidSamples, error) {
	e := &invalidSamples{width: width}
	for _, planes := range groups {
		if len(planes) == 0 {
			continue
		}
		if err := j.err(); err != nil {
			return nil, err
		}
		e.height = len(planes[0]) / width
		valid, invalid := j.valid(planes, width)
		flat := mask.Flat(valid, width, e.height, j.Workers)
		put := flat.Len() > 0 && flat.InPicture(valid, width, e.height, j.Workers) &&
			!j.drawn(image{valid, width, e.height}).Some()
		for i, p := range planes {
			given := invalid[i]
			v, ok := noData(len(e.planes))
			if ok {
				given = given.Union(mask.Equal(p, v))
			} else {
				v = float32(math.NaN())
			}
			e.noData = append(e.noData, v)
			e.add(p, valid[i], given.Union(missing), flat, put, j.Options)
		}
	}
	return e, j.err()
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

// add finds the holes of a plane besides those that are given and flat areas that were put into it, and remembers their
// values and those of all flat areas. Valid is the plane without samples that are no numbers.
func (e *invalidSamples) add(p, valid []float32, given, flat *mask.Mask, put bool, o Options) {
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

// ofChannel returns the samples of planes, given by their numbers, of which one carries no picture.
func (e *invalidSamples) ofChannel(planes []int) (m *mask.Mask) {
	for _, i := range planes {
		m = m.Union(e.holes[i]).Union(e.kept[i])
	}
	return m
}

// haveHoles reports whether fill changes anything.
func (e *invalidSamples) haveHoles() bool {
	for _, h := range e.holes {
		if h.Len() > 0 {
			return true
		}
	}
	return false
}

// restore gives samples of an area that carry no picture their values back. No other sample has the value of those that
// were not measured then. The samples of e begin at a point.
func (e *invalidSamples) restore(planes [][]float32, area goimage.Rectangle, begin goimage.Point) {
	for i, p := range planes {
		e.leaveNoData(p, i)
		if area == (goimage.Rectangle{Min: begin, Max: begin.Add(goimage.Pt(e.width, e.height))}) {
			e.kept[i].Restore(p, e.values[i])
			continue
		}
		for k, v := range e.kept[i].With(e.values[i]) {
			if at := goimage.Pt(k%e.width, k/e.width).Add(begin); at.In(area) {
				p[(at.Y-area.Min.Y)*area.Dx()+at.X-area.Min.X] = v
			}
		}
	}
}

// leaveNoData moves samples that would be rounded to the value of those that were not measured by a level.
func (e *invalidSamples) leaveNoData(p []float32, plane int) {
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

// invalidOf is findInvalid for an area of an image, or all of it. White is the full scale of floats.
func (j job) invalidOf(img *imageio.Image, area goimage.Rectangle, white float64) (*invalidSamples, error) {
	groups := [][][]float32{areaOf(img, img.Planes, area)}
	for _, p := range areaOf(img, img.Extra, area) {
		groups = append(groups, [][]float32{p})
	}
	e, err := j.findInvalid(groups, area.Dx(), missingIn(img, area),
		func(plane int) (float32, bool) { return img.NoDataSample(plane, white) })
	if err != nil {
		return nil, err
	}
	if top := img.Depth.Max(); top > 0 {
		e.step = float32(1 / top)
	}
	return e, nil
}

// fillIn fills the holes of an area of an image in. If the image is not to be changed, it does so in a copy, unless
// there are none.
func (e *invalidSamples) fillIn(img *imageio.Image, area goimage.Rectangle, change bool) *imageio.Image {
	if !e.haveHoles() {
		return img
	}
	out := img
	if !change {
		copied := *img
		copied.Planes, copied.Extra = clonePlanes(img.Planes), clonePlanes(img.Extra)
		out = &copied
		e.planes = slices.Concat(areaOf(out, out.Planes, area), areaOf(out, out.Extra, area))
	}
	for i, p := range e.planes {
		fill(p, e.holes[i], e.width)
	}
	putBack(out.Planes, e.planes[:len(out.Planes)], out.Width, area)
	putBack(out.Extra, e.planes[len(out.Planes):], out.Width, area)
	return out
}
