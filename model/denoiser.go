package model

import (
	"context"
	"errors"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Denoiser runs a model on one plane after another in the same memory: one plane for each stage, at most two, of the
// size of the largest so far. It is for one goroutine at a time.
type Denoiser struct {
	model *Model
	o     Options
	spare [2][]float32
}

// NewDenoiser prepares to run the model.
func (m *Model) NewDenoiser(o Options) *Denoiser {
	o.Stride = o.stride()
	return &Denoiser{model: m, o: o}
}

// Denoise replaces a plane with noise of standard deviation sigma > 0, both in any one unit, by the denoised one. After
// an error the samples of the plane mean nothing.
func (d *Denoiser) Denoise(ctx context.Context, plane patchify.Plane, sigma float64) error {
	if !(sigma > 0) {
		return errors.New("sigma is not positive")
	}
	side := 0
	for _, s := range d.model.Stages {
		side = max(side, s.PatchSide())
	}
	noisy := patchify.Pad(plane, side)
	scale(noisy.Pix, noisy.Pix, 1/sigma)
	pilot := noisy
	for i, s := range d.model.Stages {
		dst := d.spareLike(noisy, i%2)
		if err := s.Denoise(ctx, dst, noisy, pilot, d.o); err != nil {
			return err
		}
		pilot = dst
	}
	for y := range plane.Height {
		scale(plane.Row(y), pilot.Row(y)[:plane.Width], sigma)
	}
	return nil
}

func (d *Denoiser) spareLike(p patchify.Plane, i int) patchify.Plane {
	if cap(d.spare[i]) < len(p.Pix) {
		d.spare[i] = make([]float32, len(p.Pix))
	}
	return patchify.Plane{Width: p.Width, Height: p.Height, Pix: d.spare[i][:len(p.Pix)]}
}

func scale(dst, src []float32, c float64) {
	for i, v := range src {
		dst[i] = v * float32(c)
	}
}
