package denoise

import (
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/mosaic"
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
	t.each(j, raw, t.forward)
	network := models.NetworkForMosaics()
	remove := func(j job, raw mosaic.Mosaic, sigma float32) error { return j.denoiseTurns(network, raw, sigma) }
	sigma := float32(n.afterCurve().sigma * t.unit)
	var err error
	if j.shots != nil {
		err = j.removeFromShots(raw, black*imageio.Depth16.Max(), t, sigma, remove)
	} else {
		err = remove(j, raw, sigma)
	}
	if err != nil {
		return Result{}, err
	}
	t.each(j, raw, t.inverse)
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
