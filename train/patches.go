package train

import (
	"fmt"
	"math/rand/v2"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Pair is a clean plane with a noisy plane of the same size. If Noisy has no samples, white Gaussian noise is added to
// Clean in training.
type Pair struct {
	Clean, Noisy patchify.Plane
}

// Patches is a Source that draws patches at random places of images: first a group, then an image of the group, then a
// place. With groups, a few large images can weigh as much as many small ones.
type Patches struct {
	Groups    [][]Pair
	Sigma     float64 // standard deviation of the noise, in the unit of the planes
	PatchSize int     // side of the patches in samples; images must be at least this large
	Seed      uint64

	basis solve.Transform // if basis.K > 0, Sample writes the coefficients of the patches in this basis
	step  uint64
}

func (p *Patches) check(n int) error {
	switch coefficients := p.basis.K; {
	case !positive(p.Sigma):
		return fmt.Errorf("%w: sigma %g is not positive", ErrData, p.Sigma)
	case p.PatchSize < 1:
		return fmt.Errorf("%w: patches of side %d", ErrSettings, p.PatchSize)
	case coefficients > 0 && n != coefficients || coefficients == 0 && n != p.PatchSize*p.PatchSize:
		return fmt.Errorf("%w: patches of side %d for signals of %d samples", ErrSettings, p.PatchSize, n)
	}
	return checkGroups(p.Groups, p.PatchSize)
}

// Begin implements Source.
func (p *Patches) Begin(step, _ int) { p.step = uint64(step) }

// Sample implements Source. Transforms.Gradient checks the images before.
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
	toBasis(clean, c, p.basis)
	toBasis(noisy, n, p.basis)
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

// toBasis writes the coefficients of a patch, or the patch itself without a basis.
func toBasis(dst, patch []float64, basis solve.Transform) {
	if basis.K == 0 {
		copy(dst, patch)
		return
	}
	basis.Analyze(dst, patch)
}
