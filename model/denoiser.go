package model

import (
	"context"
	"errors"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Denoiser runs a model on one plane after another in the same memory: two planes of the size of the largest so far, and
// one more for each non-local stage. It is for one goroutine at a time.
type Denoiser struct {
	steps  []step
	side   int
	spare  [][]float32
	guides []patchify.Plane
}

// NewDenoiser prepares to run the model.
func (m *Model) NewDenoiser(o Options) *Denoiser {
	d := &Denoiser{steps: m.run(o)}
	for _, s := range d.steps {
		d.side = max(d.side, s.PatchSide())
	}
	return d
}

// Guides returns the planes that non-local stages searched similar patches on when Denoise last ran without guides of
// its own. They are valid until it runs again.
func (d *Denoiser) Guides() []patchify.Plane { return d.guides }

// Denoise replaces a plane with noise of standard deviation sigma > 0, both in any one unit, by the denoised one. Guides
// are those of another plane of the same image, on which its non-local stages search similar patches; without them they
// search on the plane's own pilots. After an error the samples of the plane mean nothing.
func (d *Denoiser) Denoise(ctx context.Context, plane patchify.Plane, sigma float64, guides []patchify.Plane) error {
	if !(sigma > 0) {
		return errors.New("sigma is not positive")
	}
	noisy := patchify.Pad(plane, d.side)
	scale(noisy.Pix, noisy.Pix, 1/sigma)
	in := Input{Noisy: noisy, Pilot: noisy}
	d.guides = d.guides[:0]
	pass, spare := 0, 0
	for _, s := range d.steps {
		in.Guide = in.Pilot
		if s.guided() {
			if pass < len(guides) {
				in.Guide = guides[pass]
			} else if len(guides) == 0 {
				if &in.Pilot.Pix[0] == &noisy.Pix[0] { // which will be overwritten
					in.Guide = d.spareLike(noisy, spare^1)
					copy(in.Guide.Pix, noisy.Pix)
				}
				d.guides = append(d.guides, in.Guide)
				spare += 2 // leave the guide alone
			}
			pass++
		}
		dst := d.spareLike(noisy, spare)
		spare ^= 1
		if err := s.Denoise(ctx, dst, in, s.o); err != nil {
			return err
		}
		in.Pilot = dst
	}
	for y := range plane.Height {
		scale(plane.Row(y), in.Pilot.Row(y)[:plane.Width], sigma)
	}
	return nil
}

func (d *Denoiser) spareLike(p patchify.Plane, i int) patchify.Plane {
	for i >= len(d.spare) {
		d.spare = append(d.spare, nil)
	}
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
