package stage

import (
	"context"
	"errors"
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/internal/hugepage"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Denoiser runs a sequence on one plane after another and reuses its memory: two planes of the largest size so far, the
// groups of its passes, and a quarter of that for a Correction. Only one goroutine may use it at a time.
type Denoiser struct {
	steps   Steps
	side    int // of the largest patches
	memory  *denoiserMemory
	matches *Matches
	half    *Denoiser // runs the stages before a Correction at half the size
	beside  []Beside
}

// denoiserMemory holds the outputs of two stages, and what guided ones need.
type denoiserMemory struct {
	results [2][]float32
	guided  guidedMemory
}

// Share makes d use the memory of another denoiser. The two must not run at the same time.
func (d *Denoiser) Share(other *Denoiser) {
	d.memory = other.memory
	if d.half != nil && other.half != nil {
		d.half.Share(other.half)
	}
}

// NewDenoiser prepares to run the steps.
func (q Steps) NewDenoiser() *Denoiser {
	d := &Denoiser{steps: q, memory: new(denoiserMemory), matches: new(Matches)}
	for i, s := range q {
		d.side = max(d.side, s.whole().patchSide)
		if s.traits().half {
			d.half = q.beforeHalf(i).NewDenoiser()
			d.half.matches.halved = true
		}
	}
	return d
}

// Matches returns the groups that the passes found when Denoise last ran without the groups of another plane. They are
// valid until it runs again.
func (d *Denoiser) Matches() *Matches { return d.matches }

// With makes the next Denoise denoise other planes of its page with the same groups, in the passes alone. Their pilots
// get the results. They are in units of their noise, and have the size of the plane, padded to the size of a patch.
func (d *Denoiser) With(beside []Beside) { d.beside = beside }

// MatchesAtHalf searches groups for the passes that run at half the size (see Correction) on a guide: another plane of
// the same size, whose noise has been removed.
func (d *Denoiser) MatchesAtHalf(ctx context.Context, guide patchify.Plane) (*Matches, error) {
	m := &Matches{half: &Matches{halved: true}}
	if d.half == nil {
		return m, nil
	}
	half := patchify.Pad(patchify.Downsample2(patchify.Pad(guide, d.side), d.workers()), d.half.side)
	in := Input{Noisy: half, Pilot: half}
	for _, s := range d.half.steps {
		l, ok := s.Stage.(*NonLocal)
		if !ok {
			continue
		}
		g, err := l.grid(half, s.Options)
		if err != nil {
			return nil, err
		}
		if _, err := m.half.groups(ctx, l, g, func() patchify.Plane {
			return MatchingPlane(d.plane(half, 0), in,
				l.Residual)
		}, s.Options); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Denoise denoises a plane in place. Sigma > 0 is the standard deviation of its noise in the unit of the plane. Passes
// use the matches of another plane of the same image; if matches is nil, they search on the plane's own pilots. After
// an error the samples of the plane mean nothing.
func (d *Denoiser) Denoise(ctx context.Context, plane patchify.Plane, sigma float64, matches *Matches) error {
	return d.DenoiseFrom(ctx, plane, plane, sigma, matches)
}

// DenoiseFrom is Denoise with a pilot for the first stage: an estimate of the plane without noise. It overwrites the
// pilot.
func (d *Denoiser) DenoiseFrom(ctx context.Context, plane, pilot patchify.Plane, sigma float64,
	matches *Matches) error {
	if !(sigma > 0) {
		return errors.New("sigma is not positive")
	}
	if plane.Width < 1 || plane.Height < 1 || len(plane.Pix) != plane.Width*plane.Height {
		return fmt.Errorf("a plane of %d x %d with %d samples", plane.Width, plane.Height, len(plane.Pix))
	}
	if pilot.Width != plane.Width || pilot.Height != plane.Height || len(pilot.Pix) != len(plane.Pix) {
		return fmt.Errorf("a pilot of %d x %d for a plane of %d x %d", pilot.Width, pilot.Height, plane.Width,
			plane.Height)
	}
	noisy := patchify.Pad(plane, d.side)
	first := noisy
	if &pilot.Pix[0] != &plane.Pix[0] {
		first = patchify.Pad(pilot, d.side)
		scale(first, first, 1/sigma, d.workers())
	}
	scale(noisy, noisy, 1/sigma, d.workers())
	out, err := d.run(ctx, noisy, first, matches)
	if err != nil {
		return err
	}
	scale(plane, out, sigma, d.workers())
	return nil
}

// run denoises a plane in units of sigma, at least as large as the largest patches. The pilot may be the plane.
func (d *Denoiser) run(ctx context.Context, noisy, pilot patchify.Plane, matches *Matches) (patchify.Plane, error) {
	if matches != nil {
		matches.again()
	} else {
		matches = d.matches
		matches.start()
	}
	in := Input{Noisy: noisy, Pilot: pilot, Beside: d.beside, matches: matches}
	d.beside = nil
	for i, s := range d.steps {
		if s.traits().half {
			var err error
			if in.half, err = d.runHalf(ctx, noisy, matches); err != nil {
				return noisy, err
			}
		}
		dst := d.plane(noisy, i%2)
		o := s.Options
		o.memory = &d.memory.guided
		if in.spare = nil; i > 0 && o.PilotShare == 0 {
			in.spare = in.Pilot.Pix
		}
		if err := s.Denoise(ctx, dst, in, o); err != nil {
			return noisy, err
		}
		in.Pilot = dst
	}
	return in.Pilot, nil
}

// runHalf runs the stages before a Correction on the plane at half its size. Noise is half as strong there: the stages
// see the plane in units of that noise, and the result is in units of the noise of the full plane.
func (d *Denoiser) runHalf(ctx context.Context, noisy patchify.Plane, matches *Matches) (patchify.Plane, error) {
	half := patchify.Downsample2(noisy, d.workers())
	scale(half, half, 2, d.workers())
	if matches == d.matches {
		matches.half = d.half.matches
		matches = nil
	} else {
		matches = matches.half
	}
	padded := patchify.Pad(half, d.half.side)
	out, err := d.half.run(ctx, padded, padded, matches)
	if err != nil {
		return half, err
	}
	scale(half, out, 0.5, d.workers())
	return half, nil
}

// plane returns a plane of the size of p in buffer i of the denoiser.
func (d *Denoiser) plane(p patchify.Plane, i int) patchify.Plane {
	d.memory.results[i] = hugepage.Grow(d.memory.results[i], len(p.Pix))
	return patchify.Plane{Width: p.Width, Height: p.Height, Pix: d.memory.results[i]}
}

// workers is how many goroutines the steps may use.
func (d *Denoiser) workers() int {
	if len(d.steps) == 0 {
		return 1
	}
	return d.steps[0].Workers
}

// scale sets dst to a multiple of src, which may be padded.
func scale(dst, src patchify.Plane, c float64, workers int) {
	rows(dst, workers, func(y int) {
		out := dst.Row(y)
		for x, v := range src.Row(y)[:len(out)] {
			out[x] = v * float32(c)
		}
	})
}
