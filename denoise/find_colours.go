package denoise

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// Noise that is independent in red, green and blue is measured in their differences. They have little texture, so even
// weak noise of textured pictures can be measured.

const (
	// maxIndependent is the ratio of coarse over fine noise of the differences up to which the noise of the channels is
	// independent. White noise has 0.8 to 0.9. That of cameras and under JPEG has 1.1 and more, with few exceptions.
	maxIndependent = 1.0
	// maxWhite is that ratio up to which such noise is white: it has 0.80 to 0.84, weak noise up to 0.86. In pictures
	// that were made a little smaller it has 0.85 to 1.
	maxWhite = 0.86
	// sureColours is the ratio of the noise levels of brightness and colours from which they count as different.
	sureColours = 1.5
	// weakWhite is the noise level, in gray levels, below which texture falsifies estimates from the brightness.
	weakWhite = 12
	// In a clipped image, the measured noise level of the brightness must be at least agreesClipped times the level
	// computed from the colours. Where clipping has reduced the noise of the differences, the ratio is about 0.6.
	agreesClipped = 0.7
	// maxOfColours is the largest ratio of the noise of the differences over that of the brightness, at fine and at
	// coarse frequencies, up to which the noise counts as noise of the brightness alone.
	maxOfColours = 0.15
)

// ofBrightness finds white noise that is the same in red, green and blue, as programs for photographs add it.
func (v view) ofBrightness(finding) (answer, error) {
	if v.j.Noise != Auto || len(v.planes) != 3 || v.steps().Known() { // JPEG removes the noise of colours
		return answer{}, nil
	}
	colours, err := v.colours()
	if err != nil || v.fit.Kind == noisecurve.White &&
		colours.Even.Variance > 4*maxOfColours*maxOfColours*v.fit.Sigma*v.fit.Sigma {
		return answer{}, err // before the brightness is measured, which takes time
	}
	gray, fit, err := v.brightness()
	most := maxOfColours * fit.Sigma
	if err != nil || !isWhite(gray, fit) || gray.Broad() > maxWhite || colours.Even.Variance > most*most ||
		colours.Even.Variance*colours.Broad() > most*most {
		return answer{}, err
	}
	n := v.twoLevels(math.Sqrt(3)*fit.Sigma, max(math.Sqrt(colours.Even.Seen), minSigma/255))
	return answer{noise: n, sure: sureBelow(colours.Even.Variance, most*most)}, nil
}

// twoLevels returns white noise with one level in the brightness and another in the colours.
func (v view) twoLevels(luma, chroma float64) noiseModel {
	return noiseModel{even: evenNoise{sigma: luma * v.unit, chroma: chroma * v.unit, unit: v.unit}, estimated: true}
}

// brightness measures the mean of red, green and blue.
func (v view) brightness() (noisecurve.Curve, noisecurve.Fit, error) {
	c, err := v.j.noiseCurve([][]float32{v.mean(v.j.pool())}, v.width, v.height)
	return c, c.Fit(), err
}

// independent returns the noise curve of the differences of the colours, and whether the noise is independent in red,
// green and blue.
func (v view) independent() (c noisecurve.Curve, ok bool, err error) {
	if len(v.planes) != 3 || v.j.Noise != Auto && v.j.Noise != Poisson {
		return c, false, nil
	}
	c, err = v.colours()
	return c, err == nil && c.Broad() <= maxIndependent, err
}

// ofChannels finds the noise of each channel, measured in its flat places, unless one noise fits all channels, or a
// channel has too few flat places. Filters, gains and white balance make channels differ.
func (v view) ofChannels(finding) (answer, error) {
	colours, ok, err := v.independent()
	if !ok {
		return answer{}, err
	}
	all := colours.Fit()
	var b brightness
	var factors [3]float64
	squares := 0.0
	for i, p := range v.planes {
		c, err := v.j.noiseCurve([][]float32{p}, v.width, v.height)
		if err != nil {
			return answer{}, err
		}
		fit := c.Fit()
		white := v.j.Noise == Auto && isWhite(c, fit) && 255*fit.Sigma > minSigma
		photons := fit.Kind == noisecurve.Photon && isPhoton(c, fit)
		if c.Broad() > noisecurve.MaxWhite || !white && !photons {
			return answer{}, nil
		}
		if b.photons[i] = photonsOf(fit, v.normalised); white {
			b.photons[i] = PhotonNoise{ReadNoise: fit.Sigma * v.unit}
			squares += fit.Sigma * v.unit * fit.Sigma * v.unit / 3
		}
		b.channels = append(b.channels, v.stabilizer(fit))
		factors[i] = ratioTo(c, all)
	}
	if b.photons[0].Gain+b.photons[1].Gain+b.photons[2].Gain == 0 {
		b.sigma = math.Sqrt(squares)
	}
	if !differ(factors) {
		return answer{}, nil
	}
	return answer{noise: byBrightness(b, true), sure: sureBelow(colours.Broad(), maxIndependent)}, nil
}

// photonsOfColours finds photon noise in the differences. Each channel gets its own if white balance made them differ.
func (v view) photonsOfColours(finding) (answer, error) {
	colours, ok, err := v.independent()
	fit := colours.Fit()
	if !ok || !isPhoton(colours, fit) {
		return answer{}, err
	}
	factors, err := v.channelFactors(fit)
	n := foundPhotons(fit, v.normalised)
	if b, ok := v.photonsBy(fit, factors); ok && differ(factors) {
		n = byBrightness(b, true)
	}
	return answer{noise: n, sure: sureBelow(colours.Broad(), maxIndependent)}, err
}

// photonsBy returns the photon noise of channels: the variance of a fit times the factor of each. It is false if a
// factor is not plausible.
func (v view) photonsBy(fit noisecurve.Fit, factors [3]float64) (b brightness, ok bool) {
	for i, f := range factors {
		if !(f > 1.0/maxGain && f < maxGain) {
			return b, false
		}
		own := stronger(fit, f)
		b.photons[i] = photonsOf(own, v.normalised)
		b.channels = append(b.channels, v.stabilizer(own))
	}
	return b, true
}

// channelFactors returns the ratio of the variance of each channel over that of a fit. The difference of two channels
// has the mean of their variances, so three differences give all three.
func (v view) channelFactors(fit noisecurve.Fit) (f [3]float64, err error) {
	var pairs [3]float64
	for i, d := range [3]noisecurve.Opponent{{1, -1, 0}, {0, 1, -1}, {1, 0, -1}} {
		c := noisecurve.MeasureColours(v.planes, []noisecurve.Opponent{d}, v.width, v.height, v.j.Workers)
		pairs[i] = ratioTo(c, fit)
		if err := v.j.err(); err != nil {
			return f, err
		}
	}
	rg, gb, rb := pairs[0], pairs[1], pairs[2]
	return [3]float64{rg + rb - gb, rg + gb - rb, rb + gb - rg}, nil
}

// correlatedColours finds noise that is independent in the channels but spatially correlated, as in a picture that was
// reduced a little.
func (v view) correlatedColours(found finding) (answer, error) {
	colours, ok, err := v.independent()
	if !ok || v.j.Noise != Auto || !isWhite(colours, colours.Fit()) || colours.Broad() <= maxWhite {
		return answer{}, err
	}
	return v.correlated(found)
}

// whiteOfColours finds white noise with a level for the brightness and one for the colours, if they differ. Where the
// brightness has more, that may be texture: weak noise has the level of the colours. It gives no answer where the
// planes themselves give the level as well.
func (v view) whiteOfColours(finding) (answer, error) {
	colours, ok, err := v.independent()
	chroma := colours.Fit().Sigma
	if !ok || v.j.Noise != Auto || !isWhite(colours, colours.Fit()) {
		return answer{}, err
	}
	all := v.whiteLevel(v.curve, v.fit)
	// since all is the root mean square over one luma and two colours
	luma := math.Sqrt(max(0, 3*all*all-2*chroma*chroma))
	clipped := v.curve.Clipped() > noisecurve.MaxClipped // then differences may have less noise than there is
	// JPEG removes more noise from the colours than from the brightness.
	if 255*min(luma, chroma) < minSigma || luma > sureColours*chroma && v.steps().Known() {
		return answer{}, nil
	}
	weaker, stronger := chroma > sureColours*luma, luma > sureColours*chroma && isWhite(v.curve, v.fit)
	if weaker || stronger {
		_, own, err := v.brightness() // more accurate, but takes time
		if err != nil {
			return answer{}, err
		}
		if own.Kind == noisecurve.White {
			measured := max(math.Sqrt(3)*own.Sigma, minSigma/255)
			clipped = clipped && measured < agreesClipped*luma // else clipping did no harm
			luma = measured
		}
	}
	sure := sureBelow(colours.Broad(), maxIndependent)
	switch {
	case weaker && chroma > sureColours*luma, stronger && luma > sureColours*chroma && !clipped:
		return answer{noise: v.twoLevels(luma, chroma), sure: sure}, nil
	case stronger && !clipped:
		return v.correlatedFrom(all)
	case weaker, 255*chroma < weakWhite && !clipped:
		return answer{noise: v.oneLevel(chroma, false), sure: sure}, nil
	}
	return answer{}, nil
}
