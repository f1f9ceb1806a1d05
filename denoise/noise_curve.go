package denoise

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/level"
	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// ofCurve tells noise that is much stronger at some brightnesses than at others, if one level for all, which the other
// rules have found, leaves the strongest: in dark parts, which a tone curve has raised, in the picture of a film and
// not in its holder, in light parts of rendered pictures. The noise is made even first. What it is then tells how it is
// removed.
func (s evidence) ofCurve(found foundNoise) (foundNoise, bool) {
	const enough = 2 // times the standard deviation of coarse noise; broad noise needs a higher level than white
	told, one := oneLevel(found)
	if s.o.Noise != Auto || !one {
		return nil, false
	}
	uneven, ok := s.curve.Uneven()
	if !ok || told >= enough*uneven.Strong*s.unit {
		return nil, false
	}
	n := s.curveNoise(uneven)
	even := s.evenBy(n)
	if n.level, ok = oneLevel(even); !ok || isNone(even) {
		return nil, false
	}
	n.chroma, n.broad = even.result().SigmaChroma/255, even.result().Noise == Camera
	return n, true
}

// oneLevel returns the level of noise that is the same at all brightnesses and places.
func oneLevel(found foundNoise) (sigma float64, ok bool) {
	r := found.result()
	white := r.Noise == None || r.Noise == Gaussian
	return r.Sigma / 255, (white || r.Noise == Camera) && !dependsOnPlace(found)
}

// curveNoise returns white noise of a curve.
func (s stretched) curveNoise(u noisecurve.Uneven) evenedNoise {
	p := &Profile{Version: profileVersion, Kind: Curve, FullScale: 1, Channels: make([]ChannelNoise, 1)}
	for i, level := range u.Levels {
		p.Channels[0].Points = append(p.Channels[0].Points,
			NoisePoint{s.low + level*s.unit, math.Sqrt(u.Variances[i]) * s.unit})
	}
	n := p.noise()
	n.estimated = true
	return n
}

// evenBy returns what noise there is after a transform.
func (s evidence) evenBy(n evenedNoise) foundNoise {
	img, o := image{s.unstretched(), s.width, s.height}, s.o
	by := o.crew(o.context())
	stabilized{channels: n.channels, by: by}.each(img.planes, func(c *noisecurve.Stabilizer, v float32) float32 {
		return float32(c.Forward(float64(v)))
	})
	even := img.stretch(by)
	if o.ended() {
		return noNoise{}
	}
	o.steps = level.Steps{} // the transform changes their unit
	o.decided = nil         // this rule decides
	return o.evidenceOf(even, noisecurve.Measure(even.planes, even.width, even.height, o.Workers)).findFirst()
}
