package denoise

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// Some noise is simpler in another view of the picture: after a variance-stabilising transform, at a smaller size, or
// after a division by a map of its strength.

// over returns the noise of the picture, given that of another view. It is false if the noise of the other view does
// not fit.
func (n noiseModel) over(other noiseModel) (noiseModel, bool) {
	switch {
	case other.isNone():
		return n, false
	case n.scale > 0: // upsampling mixes brightnesses, so photon noise would be a coincidence
		other.scale = n.scale * max(other.scale, 1)
		return other, other.curve == nil || other.places != nil || other.even.correlated
	case n.places != nil:
		other.places = n.places
		return other, true
	}
	level, chroma, ok := other.oneLevel()
	if n.even.correlated && other.even.correlated { // two predictions of one level
		level = math.Sqrt(level * n.even.sigma)
	}
	n.even = evenNoise{sigma: level, chroma: chroma, unit: 1, correlated: other.result().Noise == Camera}
	return n, ok
}

// oneLevel returns the levels of noise, or false if it depends on the brightness or the place.
func (n noiseModel) oneLevel() (sigma, chroma float64, ok bool) {
	r := n.result()
	white := r.Noise == None || r.Noise == Gaussian
	one := white || r.Noise == Camera && n.curve == nil
	return r.Sigma / 255, r.SigmaChroma / 255, one && !n.dependsOnPlace()
}

// ofCurve finds noise that is stronger at some brightnesses than at others. Cameras have correlated noise of that kind:
// a variance-stabilising transform shares its level out over them. A render may have such noise in its bright parts,
// and a film in its picture but not in its holder. That noise is clearly uneven, and one level would leave its
// strongest part. So the detectors look at the picture again after the transform, where the noise may be white.
func (v view) ofCurve(found finding) (answer, error) {
	const enough = 2 // standard deviations of coarse noise; correlated noise needs a higher level than white noise
	level, chroma, one := found.noise.oneLevel()
	if v.j.Noise != Auto || !one || v.even {
		return answer{}, nil
	}
	correlated := found.noise.even.correlated
	uneven, ok := v.curve.Uneven(correlated)
	if !ok {
		return answer{}, nil
	}
	n, mean, strong := v.curveNoise(uneven), uneven.Mean*v.unit, enough*uneven.Strong*v.unit
	shared := evenNoise{sigma: level / mean, chroma: chroma / mean, unit: 1, correlated: true}
	if !uneven.Clear || level >= strong {
		if !correlated {
			return answer{}, nil
		}
		n.even, n.curve.camera = shared, mean
		n.even.unit = v.unit
		return answer{noise: n, sure: found.sure}, nil
	}
	if correlated {
		n.even = shared
	}
	other, err := v.afterCurve(n.curve)
	return answer{noise: n, sure: sureBelow(level, strong), other: &other}, err
}

// afterCurve returns the view after a variance-stabilising transform.
func (v view) afterCurve(b *brightness) (view, error) {
	img := image{v.unnormalised(), v.width, v.height}
	b.each(img.planes, v.j.pool(), func(c *noisecurve.Stabilizer, v float32) float32 {
		return float32(c.Forward(float64(v)))
	})
	after, err := v.j.noFile().measured(img) // the transform changes the unit of the steps
	after.even = true
	return after, err
}

// inversePhotons finds the noise of photons in a negative, or in a file in which 0 is white. Texture may look like that
// of the file and of its inverse, and clipping at white leaves less noise there.
func (v view) inversePhotons(finding) (answer, error) {
	if v.j.Noise != Auto || v.even || v.divided {
		return answer{}, nil
	}
	c, independent, err := v.leastTextured()
	if err != nil || c.Broad() >= noisecurve.MaxWhite || c.Fit().Kind == noisecurve.Photon {
		return answer{}, err
	}
	c = c.Inverse()
	f := c.Fit()
	if !isPhoton(c, f) || c.Clipped() > 10*noisecurve.MaxClipped || !independent && !v.evenColours(v.j.Workers) {
		return answer{}, nil
	}
	n := v.curveNoise(noisecurve.InversePhotons(c, f))
	return answer{noise: n, sure: sureBelow(c.Broad(), noisecurve.MaxWhite)}, v.j.err()
}

// curveNoise returns white noise whose strength by brightness is a measured curve.
func (s normalised) curveNoise(u noisecurve.Uneven) noiseModel {
	p := &Profile{Version: profileVersion, Kind: Curve, FullScale: 1, Channels: make([]ChannelNoise, 1)}
	for i, at := range u.Levels {
		p.Channels[0].Points = append(p.Channels[0].Points,
			NoisePoint{s.low + at*s.unit, math.Sqrt(u.Variances[i]) * s.unit})
	}
	n := p.noise()
	n.estimated = true
	return n
}

// maxFinest and maxFinestGray are the largest ratio, in an upsampled picture, of the detail between half and full size
// over that between an eighth and a quarter of the size, as mean squares. Colour pictures that were upsampled five
// times or more have 0.003 to 0.009, and four times 0.011 to 0.018, which the models for correlated noise were trained
// on. In gray they were trained on less. Gray pictures that were upsampled three times have 0.022 to 0.051. Cameras
// that are out of focus have 0.018 and more in colour.
const maxFinest, maxFinestGray = 0.01, 0.03

// upsampled finds noise of a picture that was upsampled a lot. Its spatial correlation is too long for all models. At
// half the size, or at a quarter and so on, the models fit.
func (v view) upsampled(found finding) (answer, error) {
	if v.j.Noise != Auto || v.even || v.divided || v.isFine(found.noise) {
		return answer{}, nil
	}
	finest := v.finest()
	if err := v.j.err(); err != nil || finest >= 1 {
		return answer{}, err
	}
	small, err := v.j.noFile().measured(v.reduced(2, v.j.pool())) // the smaller picture was never stored as JPEG
	return answer{noise: noiseModel{scale: 2}, sure: sureBelow(finest, 1), other: &small}, err
}

// isFine reports whether noise has fine detail beyond rounding. That of upsampled pictures has none.
func (v view) isFine(n noiseModel) bool {
	switch {
	case n.isNone() || n.even.correlated:
		return false
	case n.curve != nil:
		return true
	}
	return isWhite(v.curve, v.fit) && v.fit.Sigma > v.curve.Step
}

// finest returns the share of the finest detail (see maxFinest) over the largest share that an upsampled picture has.
func (v view) finest() float64 {
	if min(v.width, v.height) < windowSide {
		return math.Inf(1)
	}
	img := image{v.planes[len(v.planes)/2:][:1], v.width, v.height}
	areas := v.windowAreas()
	var detail [3]float64
	for _, w := range img.windows(areas) {
		for i := range detail {
			var d float64
			w, d = w.halved()
			detail[i] += d
		}
	}
	// Rounding makes white noise. Each reduction removes three quarters of its variance.
	for i := range detail {
		rounding := 0.75 * v.curve.Step * v.curve.Step / 12 * math.Pow(0.25, float64(i))
		detail[i] = max(0, detail[i]/float64(len(areas))-rounding)
	}
	most := maxFinest
	if len(v.planes) == 1 {
		most = maxFinestGray
	}
	if detail[2] == 0 {
		return math.Inf(1)
	}
	return detail[0] / (most * detail[2])
}

// maxByBrightness is the factor by which white noise may seem to depend on the brightness, since there are few spots.
const maxByBrightness = 1.35

// ofPlaces finds fine noise that is stronger in some places than in others.
func (v view) ofPlaces(found finding) (answer, error) {
	if v.j.Noise != Auto || v.even || v.divided || found.noise.isNone() || found.noise.scale > 0 {
		return answer{}, nil
	}
	fine, independent, err := v.leastTextured()
	if err != nil {
		return answer{}, err
	}
	p, ok := fine.FindPlaces()
	// larger steps remove more of weak noise than of strong noise
	if !ok || v.steps().Largest() > 255*p.Sigma {
		return answer{}, v.j.err()
	}
	if even, err := v.isEvenAfter(found.noise); err != nil || even {
		return answer{}, err
	}
	s := &strengths{Places: p}
	white := p.ByLevel < maxByBrightness
	if white { // else there may be photon noise, and black must stay 0
		s.about = v.middle()
	}
	least, most := p.Range()
	sure := sureBelow(least, most)
	if white && (len(v.planes) == 1 || independent) {
		n := newEven(p.Sigma*v.unit, v.unit, false, true)
		if n.places = s; n.isNone() {
			return answer{}, nil
		}
		return answer{noise: n, sure: sure}, nil
	}
	img := image{v.unnormalised(), v.width, v.height}
	s.divideTiles(img, v.j.pool())
	other, err := v.j.noFile().measured(img) // the division changes the unit of the steps
	if err != nil {
		return answer{}, err
	}
	c := other.curve // the samples are as coarse as before
	c.Step = max(c.Step, v.curve.Step/most*v.unit/other.unit)
	other = other.j.viewBy(other.normalised, c)
	other.divided = true
	return answer{noise: noiseModel{places: s}, sure: sure, other: &other}, nil
}

// leastTextured returns the noise curve with the least texture: that of the differences of red, green and blue if their
// noise is independent.
func (v view) leastTextured() (c noisecurve.Curve, independent bool, err error) {
	if len(v.planes) != 3 {
		return v.curve, false, nil
	}
	if c, err = v.colours(); err == nil && c.Broad() <= maxIndependent {
		return c, true, nil
	}
	return v.curve, false, err
}

// isEvenAfter reports whether noise that depends on the brightness is equally strong in all places after the
// variance-stabilising transform.
func (v view) isEvenAfter(n noiseModel) (bool, error) {
	if n.curve == nil {
		return false, nil
	}
	even := normalised{image: image{v.unnormalised(), v.width, v.height}, unit: 1}
	n.curve.of(even.planes).stabilise(even.planes, v.j.pool())
	if err := v.j.err(); err != nil {
		return false, err
	}
	c, err := v.j.noiseCurve(even.planes, v.width, v.height)
	if err != nil {
		return false, err
	}
	fine, _, err := v.j.viewBy(even, c).leastTextured()
	_, differ := fine.FindPlaces()
	return !differ, err
}

// unnormalised returns a copy of the planes on the scale of the image.
func (s normalised) unnormalised() (planes [][]float32) {
	for _, p := range clonePlanes(s.planes) {
		if s.unit != 1 || s.low != 0 {
			for i, v := range p {
				p[i] = float32(s.low + float64(v)*s.unit)
			}
		}
		planes = append(planes, p)
	}
	return planes
}

// middle returns the median of the samples, on the scale of the image.
func (s normalised) middle() float32 {
	sample := someSamples(s.planes)
	return float32(s.low + float64(sample[len(sample)/2])*s.unit)
}
