package denoise

import (
	"github.com/blorc-denoise/blorc-denoise/internal/mosaic"
	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
	"github.com/blorc-denoise/blorc-denoise/models"
)

// A transform for each colour stabilises the variance of the noise of a mosaic. Then the network for mosaics denoises
// it. The mean over turned mosaics is better than the result of each.

// mosaicTurns is how many turns of a mosaic the network denoises, by quality.
var mosaicTurns = [...]int{Fast: 1, Balanced: 2, Best: 8}

// removeFromColours denoises a mosaic in place. Black is its black level.
func (j job) removeFromColours(raw mosaic.Mosaic, black float64) (Result, error) {
	n, _ := j.given(image{})
	r := n.result()
	if n.isNone() {
		return r, nil
	}
	var input []float32
	if j.mixes(3) {
		input = j.pool().clone(raw.Pix)
	}
	t := n.forMosaic(black)
	t.each(j, raw, func(s *noisecurve.Stabilizer, black float64, v float32) float32 {
		return float32((s.Forward(float64(v)) - black) * t.unit)
	})
	network := models.NetworkForMosaics()
	if err := j.denoiseTurns(network, raw, float32(n.afterCurve().sigma*t.unit)); err != nil {
		return Result{}, err
	}
	t.each(j, raw, func(s *noisecurve.Stabilizer, black float64, v float32) float32 {
		return float32(s.Inverse(float64(v)/t.unit + black))
	})
	if input != nil {
		j.mixMosaic(raw, input)
	}
	r.Model = network.Name
	return r, j.err()
}

// denoiseTurns replaces samples with noise of a level by the mean over turned mosaics.
func (j job) denoiseTurns(network models.NetworkEntry, raw mosaic.Mosaic, sigma float32) error {
	turns := mosaic.Turns(mosaicTurns[j.Quality])
	sum := raw
	sum.Pix = make([]float32, len(raw.Pix))
	for i, t := range turns {
		pix, width, height := raw.Turned(j.ctx, j.Workers, t)
		err := network.Run(j.ctx, [][]float32{pix}, nil, width, height, sigma, j.Workers,
			j.share(i, len(turns)).Progress)
		if err != nil {
			return err
		}
		sum.AddTurned(j.ctx, j.Workers, t, pix)
	}
	for i, v := range sum.Pix {
		raw.Pix[i] = v / float32(len(turns))
	}
	return j.err()
}

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

// mixMosaic gives back what the options keep of the removed noise: of the brightness, of the colours, and grain. It
// overwrites the input.
func (j job) mixMosaic(raw mosaic.Mosaic, input []float32) {
	removed := raw
	removed.Pix = input
	for i, v := range raw.Pix {
		removed.Pix[i] -= v
	}
	luma := removed.Brightness()
	for i, l := range luma {
		raw.Pix[i] += (1-j.strength(0))*l + (1-j.strength(1))*(removed.Pix[i]-l)
		luma[i] = raw.Pix[i] + j.strength(0)*l
	}
	if j.Grain > 0 {
		giveGrainBack(raw.Pix, luma, raw.Width, j.Grain)
	}
}
