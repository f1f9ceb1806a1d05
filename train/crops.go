package train

import (
	"math/rand/v2"

	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// drawCrops draws square crops of size x size samples from the groups, at random places and in random orientations. It adds
// noise to crops that have none. Of images smaller than a crop it takes all.
func drawCrops(groups [][]Pair, count, size int, sigma float64, seed uint64) []Pair {
	crops := make([]Pair, count)
	for i := range crops {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		group := groups[i%len(groups)]
		pair := group[rng.IntN(len(group))]
		w, h := min(size, pair.Clean.Width), min(size, pair.Clean.Height)
		x, y := rng.IntN(pair.Clean.Width-w+1), rng.IntN(pair.Clean.Height-h+1)
		orientation := rng.IntN(8)
		crops[i].Clean = orient(patchify.Crop(pair.Clean, x, y, w, h), orientation)
		if pair.Noisy.Pix != nil {
			crops[i].Noisy = orient(patchify.Crop(pair.Noisy, x, y, w, h), orientation)
			continue
		}
		crops[i].Noisy = patchify.NewPlane(crops[i].Clean.Width, crops[i].Clean.Height)
		noise.AddGaussian(crops[i].Noisy.Pix, crops[i].Clean.Pix, sigma, rng)
	}
	return crops
}

// orient returns one of the eight flips and rotations of a plane: bit 0 transposes, bit 1 flips in x, bit 2 in y.
func orient(p patchify.Plane, orientation int) patchify.Plane {
	out := patchify.NewPlane(p.Width, p.Height)
	if orientation&1 != 0 {
		out = patchify.NewPlane(p.Height, p.Width)
	}
	for y := range p.Height {
		for x, v := range p.Row(y) {
			tx, ty := x, y
			if orientation&1 != 0 {
				tx, ty = y, x
			}
			if orientation&2 != 0 {
				tx = out.Width - 1 - tx
			}
			if orientation&4 != 0 {
				ty = out.Height - 1 - ty
			}
			out.Row(ty)[tx] = v
		}
	}
	return out
}
