package stage

import (
	"context"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Cut returns the stages before the first one that needs guides, and the rest.
func (q Sequence) Cut() (before, rest Sequence) {
	for i, s := range q {
		if s.geometry(Options{}, false).guides > 0 {
			return q[:i], q[i:]
		}
	}
	return q, nil
}

// Local returns the stages before the first non-local one.
func (q Sequence) Local() Sequence {
	for i, s := range q {
		if s.geometry(Options{}, false).pass {
			return slices.Clip(q[:i])
		}
	}
	return slices.Clip(q)
}

// Chroma is the two chroma planes of an image and what its guided stages need of them. All planes are in units of the noise's standard deviation.
type Chroma struct {
	Noisy, Pilot [2]patchify.Plane
	Luma         patchify.Plane // denoised
	Level        float32        // see Level
}

// RunChroma runs stages that need guides on both planes: each sees the luma and the pilot of the other plane. The results take the place of
// the pilots. Spare has the size of the planes; its content is undefined afterwards.
func (q Sequence) RunChroma(ctx context.Context, c *Chroma, spare *[2]patchify.Plane, o Options) error {
	for _, s := range q {
		for i := range c.Pilot {
			in := Input{Noisy: c.Noisy[i], Pilot: c.Pilot[i], Level: c.Level, Guides: []patchify.Plane{c.Luma, c.Pilot[1-i]}}
			if err := s.Denoise(ctx, spare[i], in, o); err != nil {
				return err
			}
		}
		c.Pilot, *spare = *spare, c.Pilot
	}
	return nil
}
