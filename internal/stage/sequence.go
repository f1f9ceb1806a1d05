package stage

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Sequence is the stages of a model in the order in which they run.
type Sequence []Stage

// Steps returns the stages, all with the same options.
func (q Sequence) Steps(o Options) Steps {
	steps := make(Steps, len(q))
	for i, s := range q {
		steps[i] = Step{s, o}
	}
	return steps
}

// Denoise is Steps.Denoise for all stages with the same options.
func (q Sequence) Denoise(ctx context.Context, plane patchify.Plane, sigma float64, o Options) (patchify.Plane, error) {
	return q.Steps(o).Denoise(ctx, plane, sigma)
}

// Split returns the stages before the first non-local one, and the rest.
func (q Sequence) Split() (local, passes Sequence) {
	for i, s := range q {
		if s.traits().pass {
			return q[:i:i], q[i:]
		}
	}
	return q, nil
}

// NonLocal returns the passes.
func (q Sequence) NonLocal() (passes []*NonLocal) {
	for _, s := range q {
		if l, ok := s.(*NonLocal); ok {
			passes = append(passes, l)
		}
	}
	return passes
}

// Refines reports whether all stages are guided ones, each led by a number of other planes of the image.
func (q Sequence) Refines(guides int) bool {
	for _, s := range q {
		if g, ok := s.(*Guided); !ok || g.Network.Guides != guides {
			return false
		}
	}
	return true
}

// IsPass reports whether a stage is a non-local pass.
func IsPass(s Stage) bool { return s.traits().pass }

// IsGuided reports whether a stage refines what others leave.
func IsGuided(s Stage) bool { return s.traits().guided }

// HasClusters reports whether a stage is a union of transforms. It uses the pilot for the choice among them alone.
func HasClusters(s Stage) bool {
	l, ok := s.(*Local)
	return ok && l.Classifier != nil
}
