package stage

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Chroma is the two chroma planes of an image and what its guided stages need of them. All planes are in units of the
// noise's standard deviation.
type Chroma struct {
	Noisy func(i int) patchify.Plane // returns noisy plane i, valid until the next call
	Pilot [2]patchify.Plane
	Luma  patchify.Plane // denoised
	Level float32        // see Options
}

// RunChroma runs guided stages on both planes: each sees the luma and the pilot of the other plane. Done gets the
// results one after the other: they lie in the memory of a denoiser that does not run at the same time. Without stages,
// the results are the pilots.
func (q Sequence) RunChroma(ctx context.Context, c Chroma, memory *Denoiser,
	done func(i int, result patchify.Plane), o Options) error {
	o.Level, o.memory = c.Level, &memory.memory.guided
	if len(q) == 0 {
		done(0, c.Pilot[0])
		done(1, c.Pilot[1])
	}
	for n, s := range q {
		var results [2]patchify.Plane
		for i := range c.Pilot {
			results[i] = memory.plane(c.Luma, 0)
			if n < len(q)-1 {
				results[i] = patchify.NewPlane(c.Luma.Width, c.Luma.Height)
			}
			in := Input{Noisy: c.Noisy(i), Pilot: c.Pilot[i], Guides: []patchify.Plane{c.Luma, c.Pilot[1-i]},
				spare: memory.plane(c.Luma, 1).Pix}
			if err := s.Denoise(ctx, results[i], in, o); err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if n == len(q)-1 {
				done(i, results[i])
			}
		}
		c.Pilot = results
	}
	return nil
}
