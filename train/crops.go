package train

import (
	"math/rand/v2"

	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// drawCrops draws square crops of size x size samples from the groups, at random places and in random orientations. It
// adds noise to crops that have none. Of images smaller than a crop it takes all.
func drawCrops(groups [][]Pair, count, size int, sigma float64, seed uint64) []Pair {
	crops := make([]Pair, count)
	for i := range crops {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		group := groups[i%len(groups)]
		pair := group[rng.IntN(len(group))]
		w, h := min(size, pair.Clean.Width), min(size, pair.Clean.Height)
		x, y := rng.IntN(pair.Clean.Width-w+1), rng.IntN(pair.Clean.Height-h+1)
		n := rng.IntN(8)
		turn := orientation(n>>1 | n&1<<2) // the shipped models were trained with this order
		crops[i].Clean = turn.of(patchify.Crop(pair.Clean, x, y, w, h))
		if pair.Noisy.Pix != nil {
			crops[i].Noisy = turn.of(patchify.Crop(pair.Noisy, x, y, w, h))
			continue
		}
		crops[i].Noisy = patchify.NewPlane(crops[i].Clean.Width, crops[i].Clean.Height)
		noise.AddGaussian(crops[i].Noisy.Pix, crops[i].Clean.Pix, sigma, rng)
	}
	return crops
}
