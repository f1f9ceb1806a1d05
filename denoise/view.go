package denoise

import (
	goimage "image"
	"math"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/drawn"
	"github.com/blorc-denoise/blorc-denoise/internal/mask"
	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// view is a channel as the detectors get it, with measurements of it.
type view struct {
	normalised
	j       job
	drawn   drawn.Map
	at      goimage.Point           // where the view begins in the channel
	curve   noisecurve.Curve        // of all planes together
	fit     noisecurve.Fit          // of the curve
	opposed func() noisecurve.Curve // of differences of red, green and blue, computed once for several detectors
	even    bool                    // the variance is the same at all brightnesses
	divided bool                    // by the strength of the noise in each place
}

// viewOf returns the view of an image with some invalid samples. It leaves out frames around the picture, and text,
// drawings, labels and dithers beside it. It scales samples of a small or a very large range: the noise of a picture in
// the lowest bits of a 16-bit file is the noise of the same picture over the whole range.
func (j job) viewOf(img image, invalid *mask.Mask) (view, error) {
	m := j.drawn(img)
	if m.All() {
		return view{j: j, drawn: m}, j.err()
	}
	all := goimage.Rect(0, 0, img.width, img.height)
	area := invalid.Rest(img.width, img.height)
	if m.Some() {
		area = area.Intersect(m.Picture())
	}
	if area.Empty() {
		area = all
	}
	if area != all {
		img = image{cutAll(img.planes, img.width, area), area.Dx(), area.Dy()}
	}
	if err := j.err(); err != nil {
		return view{}, err
	}
	v, err := j.measured(img)
	v.at = area.Min
	return v, err
}

// measured returns the view of an image without synthetic content.
func (j job) measured(img image) (view, error) {
	s := img.normalise(j.pool())
	if err := j.err(); err != nil {
		return view{}, err
	}
	c, err := j.noiseCurve(s.planes, s.width, s.height)
	return j.viewBy(s, c), err
}

// viewBy returns the view of an image, given its noise curve.
func (j job) viewBy(s normalised, c noisecurve.Curve) view {
	return view{normalised: s, j: j, curve: c, fit: c.Fit(), opposed: sync.OnceValue(func() noisecurve.Curve {
		return c.MeasureColours(s.planes, noisecurve.Opponents(), s.width, s.height, j.Workers)
	})}
}

// colours measures the differences of red, green and blue.
func (v view) colours() (noisecurve.Curve, error) {
	c := v.opposed()
	return c, v.j.err()
}

// isFree reports whether the options specify nothing about the noise. Else synthetic content is denoised as the user
// specified.
func (o Options) isFree() bool { return o.Noise == Auto && o.Sigma == 0 && o.Profile == nil }

// drawn finds text, drawings, labels and dithers, which have no noise.
func (j job) drawn(img image) drawn.Map {
	if !j.isFree() {
		return drawn.Map{}
	}
	return drawn.Find(img.planes, img.width, img.height, j.Workers)
}

// finding is the result of the detectors so far.
type finding struct {
	noise    noiseModel
	detector string  // that found the noise; "" if the options gave it
	sure     float64 // above 0: near 0 if the deciding measurement is at its limit, 1 if it is far from it
}

// answer is the answer of a detector. The zero answer means that it does not know.
type answer struct {
	noise noiseModel
	sure  float64
	// Other, if it is not nil, is another view of the picture, in which the noise is simpler: the noise there belongs
	// to the answer.
	other *view
}

// sureBelow returns how far a measurement is below its limit, as a measure of sure.
func sureBelow(v, limit float64) float64 { return sure(1 - v/limit) }

// sure limits a measure of certainty to the range from the smallest number above 0 to 1.
func sure(s float64) float64 {
	if !(s > 0) { // also NaN, if nothing was measured
		return math.SmallestNonzeroFloat64
	}
	return min(s, 1)
}
