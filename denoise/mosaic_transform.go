package denoise

import (
	"github.com/blorc-denoise/blorc-denoise/internal/mosaic"
	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// mosaicTransform makes the noise of a mosaic even, its range about 1 and its black 0, and takes that back.
type mosaicTransform struct {
	channels [3]*noisecurve.Stabilizer
	black    [3]float64 // after the transform of each colour
	unit     float64    // brings the samples to a range of about 1
}

// forMosaic returns the transform for a mosaic with a black level.
func (n noiseModel) forMosaic(black float64) (t mosaicTransform) {
	span := 0.0
	for c := range t.channels {
		t.channels[c] = noisecurve.Fit{Kind: noisecurve.White, Sigma: 1}.Stabilizer()
		if n.curve != nil {
			t.channels[c] = n.curve.channels[min(c, len(n.curve.channels)-1)]
		}
		t.black[c] = t.channels[c].Forward(black)
		span = max(span, t.channels[c].Forward(1)-t.black[c])
	}
	t.unit = 1 / max(span, 1e-9)
	return t
}

func (t mosaicTransform) forward(s *noisecurve.Stabilizer, black float64, v float32) float32 {
	return float32((s.Forward(float64(v)) - black) * t.unit)
}

func (t mosaicTransform) inverse(s *noisecurve.Stabilizer, black float64, v float32) float32 {
	return float32(s.Inverse(float64(v)/t.unit + black))
}

// each replaces all samples by what f makes of them.
func (t mosaicTransform) each(j job, m mosaic.Mosaic,
	f func(s *noisecurve.Stabilizer, black float64, v float32) float32) {
	j.pool().pieces(len(m.Pix), func(from, to int) {
		for i := from; i < to; i++ {
			c := m.Colours[i/m.Width%2][i%m.Width%2]
			m.Pix[i] = f(t.channels[c], t.black[c], m.Pix[i])
		}
	})
}
