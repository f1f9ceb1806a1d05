package stage

import (
	"context"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Step is a stage and how it runs.
type Step struct {
	Stage
	Options
}

// Steps run one after the other.
type Steps []Step

// For returns the steps for noise of a level (see the function Level), with a number of workers. Progress is told of
// what is done.
func (q Steps) For(level float32, workers int, p *Progress) Steps {
	steps := slices.Clone(q)
	for i := range steps {
		steps[i].Level, steps[i].Workers, steps[i].Progress = level, workers, p
	}
	return steps
}

// Denoise returns a denoised copy of a plane with white Gaussian noise. The standard deviation sigma > 0 of the noise
// is in the unit of the plane.
func (q Steps) Denoise(ctx context.Context, plane patchify.Plane, sigma float64) (patchify.Plane, error) {
	out := patchify.Plane{Width: plane.Width, Height: plane.Height, Pix: slices.Clone(plane.Pix)}
	if err := q.NewDenoiser().Denoise(ctx, out, sigma, nil); err != nil {
		return patchify.Plane{}, err
	}
	return out, nil
}

// Reach returns the largest distance, in samples in x or y, at which a sample of the plane changes a sample of the
// result. On a part of a plane that is cut off at the right or the bottom, the last patches can lie between those of
// the whole plane, which changes one more sample.
func (q Steps) Reach() int { return q.reach(Step.whole) }

// Alignment returns a number of samples. If the left and top edges of a part of a plane are multiples of it, all stages
// have the same patches on the part as on the plane.
func (q Steps) Alignment() int {
	a := 1
	for i, s := range q {
		g := s.whole()
		if s.traits().half { // its alignment is the number of samples for one of the smallest plane
			a = LeastCommonMultiple(a, q.beforeHalf(i).Alignment()) * g.alignment
			continue
		}
		a = LeastCommonMultiple(a, g.alignment)
	}
	return a
}

// Passes returns the number of non-local stages.
func (q Steps) Passes() (n int) {
	for _, s := range q {
		if IsPass(s.Stage) {
			n++
		}
	}
	return n
}

// Work estimates the time of a run on a plane of width x height samples, in multiples of the time for one patch of a
// local stage.
func (q Steps) Work(width, height int) float64 { return q.work(float64(width) * float64(height)) }

func (q Steps) work(samples float64) (sum float64) {
	for i, s := range q {
		if s.traits().half {
			sum += q.beforeHalf(i).work(samples / 4)
		}
		sum += samples * s.whole().cost
	}
	return sum
}

func (s Step) whole() geometry { return s.geometry(s.Options) }

func (s Step) atHalf() geometry { return s.geometryAtHalf(s.Options) }

// reach adds up the reaches of steps. A sample at half the size counts twice.
func (q Steps) reach(geometryOf func(Step) geometry) int {
	sum := 0
	for i, s := range q {
		if s.traits().half {
			sum = max(sum, 2*q.beforeHalf(i).reach(Step.atHalf))
		}
		sum += geometryOf(s).reach
	}
	return sum
}

// LeastCommonMultiple returns the least common multiple of two positive numbers.
func LeastCommonMultiple(a, b int) int {
	gcd, r := a, b
	for r != 0 {
		gcd, r = r, gcd%r
	}
	return a / gcd * b
}
