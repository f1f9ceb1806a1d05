package denoise

import (
	"context"
	goimage "image"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/level"
	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// placesNoise is stronger in some places of an image than in others. Samples are divided by its strength, so that it is
// the same everywhere before it is removed, and multiplied afterwards.
type placesNoise struct {
	foundNoise // after the division
	places     *noisecurve.Places
	origin     goimage.Point // of the places in the image
	about      float32       // the level that stays as it is
}

const (
	// maxByLevel is by how much white noise may seem to depend on the brightness: there are few spots.
	maxByLevel = 1.35
	// evenTile is the side of tiles that are divided by one number where the noise is measured, so that flat areas stay
	// flat.
	evenTile = 64
)

// findPlaces looks for fine noise that is stronger in some places. Found is the noise if it is not.
func (s evidence) findPlaces(found foundNoise) (placesNoise, bool) {
	o := s.o
	if r := found.result(); r.Noise == None || r.Scale > 0 {
		return placesNoise{}, false
	}
	fine, independent := s.leastTextured()
	if o.ended() {
		return placesNoise{}, false
	}
	p, ok := fine.FindPlaces()
	// larger steps take more of weak noise than of strong
	if !ok || o.ended() || o.stepsOf(s.stretched).Largest() > 255*p.Sigma || s.isEvenAfter(found) {
		return placesNoise{}, false
	}
	n := placesNoise{places: p}
	white := p.ByLevel < maxByLevel
	if white { // else there may be photons, and no light has to stay 0
		n.about = s.middle()
	}
	if white && (len(s.planes) == 1 || independent) {
		n.foundNoise = newGaussian(p.Sigma*s.unit, s.unit, true)
	} else {
		o.steps = level.Steps{} // the division changes their unit
		img := image{s.unstretched(), s.width, s.height}
		n.divideTiles(img, o.crew(o.context()))
		if o.ended() {
			return placesNoise{}, false
		}
		even := img.stretch(o.crew(o.context()))
		divided := noisecurve.Measure(even.planes, even.width, even.height, o.Workers)
		_, strongest := p.Range()
		divided.Step = max(divided.Step, s.curve.Step/strongest*s.unit/even.unit) // the samples are as coarse as before
		n.foundNoise = o.evidenceOf(even, divided).findAlike()
	}
	return n, !isNone(n.foundNoise)
}

// leastTextured returns the curve that has least texture: that of differences of red, green and blue if their noise is
// independent.
func (s evidence) leastTextured() (c noisecurve.Curve, independent bool) {
	if len(s.planes) == 3 && s.colours().Broad() <= maxIndependent {
		return s.colours(), true
	}
	return s.curve, false
}

// isEvenAfter reports whether noise that depends on the brightness is the same in all places once it was made even.
func (s evidence) isEvenAfter(found foundNoise) bool {
	n, ok := found.(evenedNoise)
	if !ok {
		return false
	}
	even := stretched{image: image{s.unstretched(), s.width, s.height}, unit: 1}
	n.of(even.planes).stabilize(even.planes, s.o, s.o.crew(s.o.context()))
	if s.o.ended() {
		return false
	}
	curve := noisecurve.Measure(even.planes, s.width, s.height, s.o.Workers)
	fine, _ := s.o.evidenceOf(even, curve).leastTextured()
	_, differ := fine.FindPlaces()
	return !differ
}

// unstretched returns a copy of the planes on the scale of the image.
func (s stretched) unstretched() (planes [][]float32) {
	for _, p := range s.planes {
		q := slices.Clone(p)
		if s.unit != 1 {
			for i, v := range q {
				q[i] = float32(s.low + float64(v)*s.unit)
			}
		}
		planes = append(planes, q)
	}
	return planes
}

// middle returns the median of the samples, on the scale of the image.
func (s stretched) middle() float32 {
	sample := someSamples(s.planes)
	return float32(s.low + float64(sample[len(sample)/2])*s.unit)
}

func (img image) clone() image {
	out := image{nil, img.width, img.height}
	for _, p := range img.planes {
		out.planes = append(out.planes, slices.Clone(p))
	}
	return out
}

// divideTiles divides the samples of an image by the strength of the noise in the middle of their tile.
func (n placesNoise) divideTiles(img image, by crew) {
	middle := func(i int) int { return i/evenTile*evenTile + evenTile/2 }
	n.eachRow(img, by, func(factors []float32, y int) {
		row := make([]float32, len(factors)+evenTile)
		n.places.Row(row, -n.origin.X, middle(y)-n.origin.Y)
		for x := range factors {
			factors[x] = 1 / row[middle(x)]
		}
	})
}

// divide divides the samples of an image by the strength of the noise. The image begins at a point of the whole one.
func (n placesNoise) divide(img image, at goimage.Point, by crew) {
	n.eachRow(img, by, func(factors []float32, y int) {
		n.places.Row(factors, at.X-n.origin.X, at.Y-n.origin.Y+y)
		for x, f := range factors {
			factors[x] = 1 / f
		}
	})
}

// multiply undoes divide.
func (n placesNoise) multiply(img image, at goimage.Point, by crew) {
	n.eachRow(img, by, func(factors []float32, y int) {
		n.places.Row(factors, at.X-n.origin.X, at.Y-n.origin.Y+y)
	})
}

// eachRow multiplies the rows of an image by factors, about the level that stays.
func (n placesNoise) eachRow(img image, by crew, factorsOf func(factors []float32, y int)) {
	by.each(img.height, func(y int) {
		factors := make([]float32, img.width)
		factorsOf(factors, y)
		for _, p := range img.planes {
			row := p[y*img.width:][:img.width]
			for x, f := range factors {
				row[x] = n.about + (row[x]-n.about)*f
			}
		}
	})
}

// moved returns the noise of an image that has the one it was found in at a point.
func (n placesNoise) moved(by goimage.Point) placesNoise {
	n.origin = n.origin.Add(by)
	return n
}

func (n placesNoise) ofWhole(img image, o Options) foundNoise {
	if e, ok := n.foundNoise.(evenedNoise); ok {
		even := img.clone()
		n.divideTiles(even, o.crew(o.context()))
		n.foundNoise = e.of(even.planes)
	}
	return n
}

func (placesNoise) deviation(int) (func(int, float64) float64, bool) { return nil, false }

func (placesNoise) isFine(noisecurve.Curve) bool { return false }

func (n placesNoise) result() Result {
	r := n.foundNoise.result()
	r.Places[0], r.Places[1] = n.places.Range()
	return r
}

func (n placesNoise) remove(ctx context.Context, img image, o Options) (string, error) {
	n.divide(img, o.within.at, o.crew(ctx))
	if err := ctx.Err(); err != nil {
		return "", err
	}
	name, err := n.foundNoise.remove(ctx, img, o)
	if err != nil {
		return "", err
	}
	n.multiply(img, o.within.at, o.crew(ctx))
	return name, nil
}

func (n placesNoise) wholeChroma(ctx context.Context, img image, o Options) (*wholeChroma, error) {
	whole := img.clone()
	n.divide(whole, goimage.Point{}, o.crew(ctx))
	return n.foundNoise.wholeChroma(ctx, whole, o)
}
