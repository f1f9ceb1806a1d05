package estimate

import (
	"context"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// patch is one place in one plane.
type patch struct {
	samples []float32 // from its first sample on
	width   int       // of the plane
	order   int       // settles ties
	texture float64   // energy of the lower frequencies
	clipped int       // number of samples at 0 or 1
	flat    bool      // all samples are equal
}

// survey looks at the patches on a regular grid that is as dense as maxPatches
// allows.
func survey(basis *dct, planes [][]float32, width, height int) []patch {
	step := gridStep(len(planes), width-basis.side, height-basis.side)
	var patches []patch
	for _, plane := range planes {
		for y := 0; y+basis.side <= height; y += step {
			for x := 0; x+basis.side <= width; x += step {
				patches = append(patches, patch{samples: plane[y*width+x:], width: width, order: len(patches)})
			}
		}
	}
	finite := make([]bool, len(patches))
	const piece = 1024
	_ = parallel.For(context.Background(), 0, (len(patches)+piece-1)/piece, func(_, part int) { // too short to stop
		for i := part * piece; i < min((part+1)*piece, len(patches)); i++ {
			finite[i] = patches[i].measure(basis)
		}
	})
	return slices.DeleteFunc(patches, func(p patch) bool { return !finite[p.order] })
}

// gridStep is at least 2: a denser grid of patches adds next to nothing.
func gridStep(planes, spanX, spanY int) int {
	step := 2
	for planes*(spanX/step+1)*(spanY/step+1) > maxPatches {
		step++
	}
	return step
}

// measure fills in what the selection goes by and reports whether the patch has
// finite samples only.
func (p *patch) measure(basis *dct) bool {
	p.flat = true
	for y := range basis.side {
		for _, sample := range p.row(y, basis.side) {
			if sample == 0 || sample == 1 {
				p.clipped++
			}
			if sample != p.samples[0] {
				p.flat = false
			}
		}
	}
	coefficients := p.transform(basis)
	for _, f := range basis.low {
		c := coefficients[f.vertical][f.horizontal]
		p.texture += c * c
	}
	return !math.IsNaN(p.texture) && !math.IsInf(p.texture, 0)
}

// transform returns the patch's coefficients, but for the mean: taking the first
// sample off all of them makes a constant patch exactly zero.
func (p *patch) transform(basis *dct) *block {
	var values block
	for y := range basis.side {
		for x, sample := range p.row(y, basis.side) {
			values[y][x] = float64(sample) - float64(p.samples[0])
		}
	}
	return basis.forward(&values)
}

func (p *patch) row(y, side int) []float32 {
	return p.samples[y*p.width : y*p.width+side]
}

// usable leaves out the patches that say nothing of the noise: those where
// clipping cut it off, and those without any, like a border that was added later.
// Where most of what is left is without any, it is the image that has no noise.
func usable(patches []patch, side int) []patch {
	patches = leastClipped(patches, side)
	isFlat := func(p patch) bool { return p.flat }
	textured := slices.DeleteFunc(slices.Clone(patches), isFlat)
	if 2*len(textured) < len(patches) {
		return patches
	}
	return textured
}

// leastClipped keeps the patches with few clipped samples. How few depends on the
// image: under strong noise there may be no patch without, so the limit rises
// until a fifth of the patches is kept.
func leastClipped(patches []patch, side int) []patch {
	for allowed := 0; allowed < side*side; allowed = 2*allowed + 1 {
		isClipped := func(p patch) bool { return p.clipped > allowed }
		kept := slices.DeleteFunc(slices.Clone(patches), isClipped)
		if len(kept)*5 >= len(patches) {
			return kept
		}
	}
	return patches
}
