package train

import (
	"math/rand/v2"

	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Source gives training pairs (x_t, y_t) in units of sigma. What it gives depends only on the step and the index in the
// minibatch, never on the order of calls, so that training can run on any number of workers and resume anywhere.
type Source interface {
	// Begin is called before the Samples of a step.
	Begin(step, batch int)
	// Sample writes pair i of the minibatch; several goroutines may call it at a time.
	Sample(i int, clean, noisy []float64)
}

// Signals is a fixed set of pairs that is shuffled at the start of each epoch, as in Algorithm 1. The last minibatch of
// an epoch runs on into the next one.
type Signals struct {
	Clean, Noisy [][]float64
	Seed         uint64

	first int
	order map[int][]int // by epoch; a minibatch sees at most a few
}

// Begin implements Source.
func (s *Signals) Begin(step, batch int) {
	s.first = step * batch
	from, to := s.first/len(s.Clean), (s.first+batch-1)/len(s.Clean)
	old := s.order
	s.order = map[int][]int{}
	for epoch := from; epoch <= to; epoch++ {
		if s.order[epoch] = old[epoch]; s.order[epoch] == nil {
			s.order[epoch] = rand.New(rand.NewPCG(s.Seed, uint64(epoch))).Perm(len(s.Clean))
		}
	}
}

// Sample implements Source.
func (s *Signals) Sample(i int, clean, noisy []float64) {
	i += s.first
	t := s.order[i/len(s.Clean)][i%len(s.Clean)]
	copy(clean, s.Clean[t])
	copy(noisy, s.Noisy[t])
}

// Pair is a clean plane, and the noisy one of the same size if there is one: without it, noise is made.
type Pair struct {
	Clean, Noisy patchify.Plane
}

// Patches draws patches at random places of images: first a group, then an image of the group, then a place. Groups let
// a few large images weigh as much as many small ones.
type Patches struct {
	Groups    [][]Pair
	Sigma     float64         // of the noise, in the unit of the planes
	PatchSize int             // images must be at least this large
	Basis     solve.Transform // pairs are given in these coordinates; none if Basis.K = 0
	Seed      uint64

	step uint64
}

// Begin implements Source.
func (p *Patches) Begin(step, _ int) { p.step = uint64(step) }

// Sample implements Source.
func (p *Patches) Sample(i int, clean, noisy []float64) {
	rng := rand.New(rand.NewPCG(p.Seed, p.step<<24|uint64(i)))
	group := p.Groups[rng.IntN(len(p.Groups))]
	pair := group[rng.IntN(len(group))]
	x := rng.IntN(pair.Clean.Width - p.PatchSize + 1)
	y := rng.IntN(pair.Clean.Height - p.PatchSize + 1)
	c := patchIn(pair.Clean, x, y, p.PatchSize, p.Sigma)
	var n []float64
	if pair.Noisy.Pix != nil {
		n = patchIn(pair.Noisy, x, y, p.PatchSize, p.Sigma)
	} else {
		n = make([]float64, len(c))
		for j := range n {
			n[j] = c[j] + rng.NormFloat64()
		}
	}
	toBasis(clean, c, p.Basis)
	toBasis(noisy, n, p.Basis)
}

// patchIn returns a patch in units of sigma.
func patchIn(p patchify.Plane, x, y, size int, sigma float64) []float64 {
	out := make([]float64, 0, size*size)
	for r := range size {
		for _, v := range p.Pix[(y+r)*p.Width+x:][:size] {
			out = append(out, float64(v)/sigma)
		}
	}
	return out
}

func toBasis(dst, patch []float64, basis solve.Transform) {
	if basis.K == 0 {
		copy(dst, patch)
		return
	}
	basis.Analyze(dst, patch)
}

// Crops draws square crops from the groups at random places and in random orientations, and makes the noise of those
// that have none. Images smaller than the crop are taken whole.
func Crops(groups [][]Pair, count, size int, sigma float64, seed uint64) []Pair {
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

// orient returns one of the eight flips and rotations: bit 0 transposes, bits 1 and 2 flip.
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
