package model

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/internal/safetensors"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

const coarseKind = "coarse"

// Coarse corrects the low frequencies of the pilot, where patches see too little of the plane to tell noise from a slope.
// The stages before it denoise the plane at half its size as well, at which its noise is half as strong while what is
// smooth is as it was. Of the difference of both results at half the size, what passes Smoothing binomial filters is
// added to the pilot. Leaving the high frequencies of the coarse scale alone follows N. Pierazzo, J.-M. Morel,
// G. Facciolo: Multi-scale DCT denoising, Image Processing On Line, 2017.
type Coarse struct {
	Smoothing int // times that the difference is filtered by (1, 2, 1) / 4 in both directions
}

// coarseStages counts them. A model may have one, and it needs others before it.
func coarseStages(stages []Stage) (n int) {
	for _, s := range stages {
		if _, ok := s.(*Coarse); ok {
			n++
		}
	}
	return n
}

// maxSmoothing bounds what a model file may ask for.
const maxSmoothing = 16

// Denoise implements Stage.
func (c *Coarse) Denoise(_ context.Context, dst patchify.Plane, in Input, _ Options) error {
	change := Halve(in.Pilot)
	for i, v := range in.Half.Pix {
		change.Pix[i] = v - change.Pix[i]
	}
	memory := patchify.NewPlane(change.Width, change.Height)
	for range c.Smoothing {
		binomial(change, memory)
	}
	addInterpolated(dst, in.Pilot, change)
	return nil
}

// binomial filters a plane by (1, 2, 1) / 4 in both directions; beyond the edges samples are repeated.
func binomial(p, memory patchify.Plane) {
	for y := range p.Height {
		src, dst := p.Row(y), memory.Row(y)
		last := len(src) - 1
		for x := range dst {
			dst[x] = 0.5*src[x] + 0.25*(src[max(x-1, 0)]+src[min(x+1, last)])
		}
	}
	for y := range p.Height {
		above, here, below, dst := memory.Row(max(y-1, 0)), memory.Row(y), memory.Row(min(y+1, p.Height-1)), p.Row(y)
		for x := range dst {
			dst[x] = 0.5*here[x] + 0.25*(above[x]+below[x])
		}
	}
}

// Kind is "coarse".
func (c *Coarse) Kind() string { return coarseKind }

// PatchSide is that of the smallest plane that it takes.
func (c *Coarse) PatchSide() int { return 1 }

// Filters returns none: its transforms are those of the stages before it.
func (c *Coarse) Filters() []Transform { return nil }

// Reach is that of Halve, of the filters and of the interpolation, besides what the stages before it reach.
func (c *Coarse) Reach() int { return 2 * (c.Smoothing + 3) }

// Alignment implements Stage.
func (c *Coarse) Alignment(Options) int { return 2 }

type coarseParams struct {
	Smoothing int `json:"smoothing"`
}

func (c *Coarse) encode(map[string]safetensors.Tensor, string) any { return coarseParams{c.Smoothing} }

func decodeCoarse(params json.RawMessage, _ map[string]safetensors.Tensor, _ string) (Stage, error) {
	p, err := decodeParams[coarseParams](params)
	if err != nil {
		return nil, err
	}
	if p.Smoothing < 0 || p.Smoothing > maxSmoothing {
		return nil, fmt.Errorf("%w: %d times smoothed", ErrFormat, p.Smoothing)
	}
	return &Coarse{p.Smoothing}, nil
}
