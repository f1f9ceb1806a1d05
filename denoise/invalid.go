package denoise

import (
	goimage "image"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/mask"
)

// invalidSamples are the samples of an image without image content (see package mask). Holes, and areas of one value in
// a noisy picture, are filled in before any measurement, so that no other code needs to handle them. A drawing keeps
// its areas of one value, because they are what identifies it. In the end, all invalid samples get their values back.
type invalidSamples struct {
	planes        [][]float32
	width, height int
	holes         []*mask.Mask // of each plane
	kept          []*mask.Mask // of each plane: samples that keep their value
	values        []mask.Values
	noData        [][]float32 // of each plane: the values of missing samples
	step          float32     // between integer samples; 0 for floats
	hot           int         // samples that get new values
	masked        int         // samples that keep their values
}

// findInvalid finds the invalid samples of an image. The planes of a group share their areas of one value. Missing are
// samples that a damaged file lacks. NoData returns the values of missing samples in a plane; it counts the planes of
// all groups.
func (j job) findInvalid(groups [][][]float32, width int, missing *mask.Mask,
	noData func(plane int) []float32) (*invalidSamples, error) {
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
		given, found := make([]*mask.Mask, len(planes)), make([]*mask.Mask, len(planes))
		for i, p := range planes {
			given[i] = invalid[i].Union(missing)
			values := noData(len(e.noData))
			for _, v := range values {
				given[i] = given[i].Union(mask.Equal(p, v))
			}
			if put {
				given[i] = given[i].Union(flat)
			}
			e.noData = append(e.noData, values)
			found[i] = mask.Find(valid[i], width, given[i], j.Workers)
		}
		known := slices.Clone(given)
		for i, m := range found {
			known[i] = known[i].Union(m)
		}
		lost := mask.Lost(valid, width, known, j.Workers)
		for i, p := range planes {
			e.add(p, given[i], found[i].Union(lost), flat, j.Options)
		}
	}
	return e, j.err()
}

// valid returns planes without samples that are NaN or infinite, and masks of those, which may be nil. The planes stay
// as they are: one that has some is copied. Without Options.KeepInvalid it looks for none, and such samples are an
// error later.
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

// fill fills in the samples of a mask. A plane without other samples becomes black.
func fill(p []float32, m *mask.Mask, width int) {
	if m.Len() == len(p) {
		clear(p)
	}
	m.Fill(p, width, len(p)/width)
}

// add adds a plane with its holes, given and found. It remembers the values of holes and of all flat areas.
func (e *invalidSamples) add(p []float32, given, found, flat *mask.Mask, o Options) {
	holes := given.Union(found)
	kept := holes.Union(flat)
	if o.RemoveHot {
		hot := holes.Single(e.width, e.height, func(i int) bool {
			return found.Has(i) && (o.Crop.Empty() || goimage.Pt(i%e.width, i/e.width).In(o.Crop))
		})
		e.hot += hot.Len()
		kept = kept.Without(hot)
	}
	e.masked += kept.Len()
	e.planes = append(e.planes, p)
	e.holes = append(e.holes, holes)
	e.kept = append(e.kept, kept)
	e.values = append(e.values, kept.Values(p))
}

// ofChannel returns the places where at least one of some planes, given by their numbers, has an invalid sample.
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

// restore gives the invalid samples of an area their values back. Afterwards no valid sample has the value of missing
// ones. Begin is the place of the first sample of e in the image. The source, if there is one, has the planes of the
// image as they were, times a scale: a part then needs no look at the samples outside.
func (e *invalidSamples) restore(planes [][]float32, area goimage.Rectangle, begin goimage.Point, source [][]float32,
	width int, scale float64) {
	there := goimage.Rect(0, 0, e.width, e.height).Add(begin)
	inside := area.Intersect(there)
	for i, p := range planes {
		e.leaveNoData(p, i, inside.Sub(area.Min), area.Dx())
		switch {
		case area == there:
			e.kept[i].Restore(p, e.values[i])
		case source == nil:
			for k, v := range e.kept[i].With(e.values[i]) {
				if at := goimage.Pt(k%e.width, k/e.width).Add(begin); at.In(area) {
					p[(at.Y-area.Min.Y)*area.Dx()+at.X-area.Min.X] = v
				}
			}
		case e.kept[i].Len() > 0:
			for y := inside.Min.Y; y < inside.Max.Y; y++ {
				for x := inside.Min.X; x < inside.Max.X; x++ {
					if e.kept[i].Has((y-begin.Y)*e.width + x - begin.X) {
						v := float64(source[i][y*width+x]) / scale
						p[(y-area.Min.Y)*area.Dx()+x-area.Min.X] = float32(v)
					}
				}
			}
		}
	}
}

// leaveNoData changes samples of an area by a few steps that would be rounded to a value of missing samples.
func (e *invalidSamples) leaveNoData(p []float32, plane int, area goimage.Rectangle, width int) {
	if e.step == 0 {
		return
	}
	for _, value := range e.noData[plane] {
		other := e.besideNoData(plane, value)
		for y := area.Min.Y; y < area.Max.Y; y++ {
			row := p[y*width:][:width]
			for x := area.Min.X; x < area.Max.X; x++ {
				if v := row[x]; v >= value-e.step/2 && v <= value+e.step/2 {
					row[x] = other
				}
			}
		}
	}
}

// besideNoData returns the nearest value towards the middle of the range that is none of missing samples.
func (e *invalidSamples) besideNoData(plane int, value float32) float32 {
	step := e.step
	if value > 0.5 {
		step = -step
	}
	for {
		value += step
		if !slices.ContainsFunc(e.noData[plane], func(v float32) bool { return max(v-value, value-v) < e.step/2 }) {
			return value
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
		func(plane int) []float32 { return img.NoDataSamples(plane, white) })
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
		out = cloneImage(img)
		e.planes = slices.Concat(areaOf(out, out.Planes, area), areaOf(out, out.Extra, area))
	}
	for i, p := range e.planes {
		fill(p, e.holes[i], e.width)
	}
	putBack(out.Planes, e.planes[:len(out.Planes)], out.Width, area)
	putBack(out.Extra, e.planes[len(out.Planes):], out.Width, area)
	return out
}
