package denoise

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

const (
	// Noise counts as dependent on the brightness if at least minUnevenShare of the blocks have minUneven times the
	// variance of even noise. White noise, and texture that looks like it, have fewer.
	minUneven      = 2.0
	minUnevenShare = 0.04
	// minUnevenSigma is the least standard deviation of the noise in those blocks: fainter differences may be texture,
	// and matter little.
	minUnevenSigma = 3.0 / 255
	// minFalling is the least share of pairs of levels of which the brighter one has less noise. Texture is somewhere
	// in between.
	minFalling = 0.85
)

// findCurve looks for fine noise that is stronger in the dark parts, where a tone curve has raised it. Noise of photons
// is stronger in the bright parts.
func (s stretched) findCurve(c noisecurve.Curve, f noisecurve.Fit, workers int) (foundNoise, bool) {
	if f.Kind != noisecurve.White || c.Broad() >= whiteBroad {
		return nil, false
	}
	var levels, variances []float64
	uneven, all := 0, 0
	for _, p := range c.Points {
		all += p.Blocks
		if p.Variance <= 0 || p.Coarse >= whiteBroad*p.Variance { // texture
			continue
		}
		levels, variances = append(levels, p.Level), append(variances, p.Variance)
		if p.Settled() && p.Variance > max(minUneven*c.Even.Variance, minUnevenSigma*minUnevenSigma) {
			uneven += p.Blocks
		}
	}
	if uneven == 0 || falling(variances) < minFalling || float64(uneven) < minUnevenShare*float64(all) ||
		!s.evenAfter(noisecurve.NewCurveStabilizer(levels, variances), workers) {
		return nil, false
	}
	p := &Profile{Version: profileVersion, Kind: Curve, FullScale: 1, Channels: make([]ChannelNoise, 1)}
	for i, level := range levels {
		p.Channels[0].Points = append(p.Channels[0].Points,
			NoisePoint{s.low + level*s.unit, math.Sqrt(variances[i]) * s.unit})
	}
	n := p.noise()
	n.estimated = true
	return n, true
}

// falling returns the share of pairs of numbers of which the second is smaller.
func falling(v []float64) float64 {
	fall, pairs := 0, 0
	for i, a := range v {
		for _, b := range v[i+1:] {
			pairs++
			if b < a {
				fall++
			}
		}
	}
	return float64(fall) / float64(max(1, pairs))
}

// evenAfter reports whether the colours have even noise after a transform.
func (s stretched) evenAfter(t *noisecurve.Stabilizer, workers int) bool {
	middle := s.crop(evenSide)
	for _, p := range middle.planes {
		for i, v := range p {
			p[i] = float32(t.Forward(float64(v)))
		}
	}
	return middle.evenColours(workers)
}
