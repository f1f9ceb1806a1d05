package stage

import (
	"context"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Sequence is the stages of a model in the order in which they run.
type Sequence []Stage

// Denoise returns a denoised copy of a plane with white Gaussian noise. The standard deviation sigma > 0 of the noise is in the
// unit of the plane.
func (q Sequence) Denoise(ctx context.Context, plane patchify.Plane, sigma float64, o Options) (patchify.Plane, error) {
	out := patchify.Plane{Width: plane.Width, Height: plane.Height, Pix: slices.Clone(plane.Pix)}
	if err := q.NewDenoiser(o).Denoise(ctx, out, sigma, nil); err != nil {
		return patchify.Plane{}, err
	}
	return out, nil
}

// Reach returns the largest distance, in samples in x or y, at which a sample of the plane changes a sample of the result. On a
// part of a plane that is cut off at the right or the bottom, the last patches can lie between those of the whole plane, which
// changes one more sample.
func (q Sequence) Reach(o Options) int { return reach(q.steps(o), step.whole) }

// Alignment returns a number of samples. If the left and top edges of a part of a plane are multiples of it, all stages have
// the same patches on the part as on the plane.
func (q Sequence) Alignment(o Options) int { return alignment(q.steps(o)) }

func alignment(steps []step) int {
	a := 1
	for i, s := range steps {
		g := s.whole()
		if s.traits().half { // its alignment is the number of samples for one of the smallest plane
			a = LeastCommonMultiple(a, alignment(beforeHalf(steps, i))) * g.alignment
			continue
		}
		a = LeastCommonMultiple(a, g.alignment)
	}
	return a
}

// Passes returns the number of non-local stages.
func (q Sequence) Passes() (n int) {
	for _, s := range q {
		if s.traits().pass {
			n++
		}
	}
	return n
}

// step is a stage with the options that it runs with.
type step struct {
	Stage
	o Options
}

func (s step) whole() geometry { return s.geometry(s.o) }

func (s step) atHalf() geometry { return s.geometryAtHalf(s.o) }

// steps returns the stages that run with the given options. Guided stages always do.
func (q Sequence) steps(o Options) []step {
	var steps []step
	passes, pilots, done := 0, 0, false
	o.Stride = o.stride()
	for _, s := range q {
		next := step{s, o}
		is := s.traits()
		if is.pass {
			passes++
			done = o.Passes < 0 || o.Passes > 0 && passes > o.Passes
		}
		if done && !is.guided {
			continue
		}
		if is.pass {
			pilots, o.GroupRows = len(steps), 0
		}
		steps = append(steps, next)
	}
	if o.PilotStride > 0 {
		for i := range pilots {
			steps[i].o.Stride = o.PilotStride
		}
	}
	if o.RoughStride > 0 {
		for i := range steps {
			if i+1 < len(steps) && isLocal(steps[i]) && hasClusters(steps[i+1]) {
				steps[i].o.Stride = o.RoughStride
			}
		}
	}
	return steps
}

func isLocal(s step) bool {
	_, ok := s.Stage.(*Local)
	return ok
}

// hasClusters reports whether a stage is a union of transforms. It uses the pilot for the choice among them alone.
func hasClusters(s step) bool {
	l, ok := s.Stage.(*Local)
	return ok && l.Classifier != nil
}

// reach adds up the reaches of stages. A sample at half the size counts twice.
func reach(steps []step, geometryOf func(step) geometry) int {
	sum := 0
	for i, s := range steps {
		if s.traits().half {
			sum = max(sum, 2*reach(beforeHalf(steps, i), step.atHalf))
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
