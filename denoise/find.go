package denoise

import (
	goimage "image"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/drawn"
	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// detectors are all that may tell the noise of a picture, in the order in which they are asked. docs/noise.md has the
// same list. Until one knows the noise, all are asked that look for noise which is alike in all places; "correlated"
// always knows. After that those are asked that revise what is known.
func detectors() []detector {
	return []detector{
		{name: "synthetic", find: view.synthetic},
		{name: "brightness", find: view.ofBrightness},
		{name: "channels", find: view.ofChannels},
		{name: "colour photons", find: view.photonsOfColours},
		{name: "colour grain", find: view.correlatedColours},
		{name: "colours", find: view.whiteOfColours},
		{name: "photons", find: view.photons},
		{name: "white", find: view.white},
		{name: "correlated", find: view.correlated},
		{name: "curve", find: view.ofCurve, revises: true},
		{name: "steps", find: view.underSteps, revises: true},
		{name: "upsampled", find: view.upsampled, revises: true},
		{name: "places", find: view.ofPlaces, revises: true},
	}
}

// detector tells one kind of noise. It gets what was found so far.
type detector struct {
	name    string
	find    func(view, finding) (answer, error)
	revises bool
}

// finding is what was found.
type finding struct {
	noise    noiseModel
	detector string  // that found it; "" if the noise was given
	sure     float64 // above 0: near 0 if the measurement that decided is at its limit, 1 if it is far from it
}

// answer is that of a detector. The zero answer is that it does not know.
type answer struct {
	noise noiseModel
	sure  float64
	// Other, if it is not nil, is another view of the picture, in which the noise is simpler: the noise there belongs
	// to the answer.
	other *view
}

// sureBelow says how sure it is that a measurement is below its limit, which it is.
func sureBelow(v, limit float64) float64 { return max(1-v/limit, 1e-9) }

// noiseOf returns the noise that the options give, or finds what they do not give.
func (j job) noiseOf(c channel) (f finding, err error) {
	if n, ok := j.given(c.image); ok {
		f.noise, err = n.of(j, c)
		return f, err
	}
	v, err := j.viewOf(c.image)
	if err != nil {
		return finding{}, err
	}
	if f, err = v.detect(); err != nil {
		return finding{}, err
	}
	f.noise.places = f.noise.places.moved(v.at.Div(max(f.noise.scale, 1)))
	f.noise, err = f.noise.of(j, c)
	return f, err
}

// detect asks the detectors.
func (v view) detect() (f finding, err error) {
	for _, d := range detectors() {
		if d.revises != (f.sure > 0) {
			continue
		}
		a, err := d.find(v, f)
		if err != nil {
			return finding{}, err
		}
		if a.other != nil {
			inner, err := a.other.detect()
			if err != nil {
				return finding{}, err
			}
			var fits bool
			if a.noise, fits = a.noise.over(inner.noise); !fits {
				continue
			}
			a.sure = min(a.sure, inner.sure)
		}
		if a.sure > 0 {
			f = finding{a.noise, d.name, a.sure}
		}
	}
	return f, nil
}

// view is a picture as the detectors look at it, and what was measured of it.
type view struct {
	normalised
	j       job
	drawn   drawn.Map
	at      goimage.Point           // where the view begins in the channel
	curve   noisecurve.Curve        // of all planes together
	fit     noisecurve.Fit          // of the curve
	opposed func() noisecurve.Curve // of differences of red, green and blue; several detectors need it, so it is kept
	even    bool                    // the variance is the same at all brightnesses
	divided bool                    // by the strength of the noise in each place
}

// viewOf returns the view of an image. Text, drawings, labels and dithers beside pictures are left out. Samples of a
// small or a very large range are stretched: the noise of a picture in the lowest bits of a 16-bit file is the noise of
// the same picture over the whole range.
func (j job) viewOf(img image) (view, error) {
	m := j.drawn(img)
	if m.All() {
		return view{j: j, drawn: m}, j.err()
	}
	var at goimage.Point
	if m.Some() {
		area := m.Picture()
		img, at = image{cutAll(img.planes, img.width, area), area.Dx(), area.Dy()}, area.Min
	}
	if err := j.err(); err != nil {
		return view{}, err
	}
	v, err := j.measured(img)
	v.at = at
	return v, err
}

// measured returns the view of an image that is all picture.
func (j job) measured(img image) (view, error) {
	s := img.normalise(j.pool())
	if err := j.err(); err != nil {
		return view{}, err
	}
	c, err := j.noiseCurve(s.planes, s.width, s.height)
	return j.viewBy(s, c), err
}

// viewBy returns the view of an image of which a curve was measured.
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

// isFree reports whether the options tell nothing of the noise. Else what is drawn is denoised as the user wants it.
func (o Options) isFree() bool { return o.Noise == Auto && o.Sigma == 0 && o.Profile == nil }

// drawn looks for text, drawings, labels and dithers, which have no noise.
func (j job) drawn(img image) drawn.Map {
	if !j.isFree() {
		return drawn.Map{}
	}
	return drawn.Find(img.planes, img.width, img.height, j.Workers)
}

func (v view) synthetic(finding) (answer, error) {
	if !v.drawn.All() {
		return answer{}, nil
	}
	return answer{noise: noiseModel{estimated: true}, sure: 1}, nil
}

// given returns the noise that the options give, if they do.
func (j job) given(img image) (n noiseModel, ok bool) {
	switch {
	case j.Noise == None:
		return n, true
	case j.Noise == Poisson && j.Photons != (PhotonNoise{}):
		return givenPhotons(j.Photons, j.Photons.Offset, false), true
	case j.Profile != nil:
		return j.Profile.found(img), true
	case j.Sigma > 0:
		return newEven(j.Sigma/255, img.unit(), j.Noise == Camera, false), true
	}
	return n, false
}
