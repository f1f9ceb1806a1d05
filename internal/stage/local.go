package stage

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/safetensors"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

const localKind = "local"

// Local denoises each patch on its own, by the paper's lower-level problem, and averages the overlapping patches. With
// several transforms it is a union of transforms: a classifier assigns each patch to a cluster by the pilot, and the
// patch is denoised by the transform of its cluster.
type Local struct {
	PatchSize  int
	Schedule   solve.Schedule
	Transforms []solve.Transform // K x PatchSize^2 each, on patches in units of sigma; all of one size
	Classifier *Classifier       // nil for a single transform

	prepare sync.Once             // makes solvers
	solvers []func() solve.Solver // each is made at its first use: a small image needs few of them
	scratch sync.Pool             // of *localScratch
}

// NewLocal returns a stage, or an error if the parts do not fit.
func NewLocal(patchSize int, s solve.Schedule, transforms []solve.Transform, c *Classifier) (*Local, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	clusters := 1
	if c != nil {
		clusters = len(c.Centroids)
	}
	if len(transforms) == 0 || len(transforms) != clusters {
		return nil, fmt.Errorf("%d transforms for %d clusters", len(transforms), clusters)
	}
	l := &Local{PatchSize: patchSize, Schedule: s, Transforms: transforms, Classifier: c}
	for _, t := range transforms {
		if t.N != patchSize*patchSize || t.K != transforms[0].K {
			return nil, fmt.Errorf("a transform of %d x %d for patches of side %d", t.K, t.N, patchSize)
		}
	}
	if n := l.matrices(); n > maxMatrices {
		return nil, fmt.Errorf("schedule and transforms need matrices of %g numbers, more than %d", n, maxMatrices)
	}
	l.scratch.New = func() any { return l.newScratch() }
	return l, nil
}

// matrices returns an upper bound of the numbers that the solvers keep besides the transforms: for each one of k rows,
// a k x k matrix for each rho. The solvers of tall transforms keep none.
func (l *Local) matrices() float64 {
	t := l.Transforms[0]
	if solve.IsTall(t) {
		return 0
	}
	return float64(len(l.Transforms)) * float64(t.K) * float64(t.K) * float64(l.Schedule.Penalties())
}

// prepareSolvers sets l.solvers, once.
func (l *Local) prepareSolvers() {
	l.prepare.Do(func() {
		for _, t := range l.Transforms {
			l.solvers = append(l.solvers, sync.OnceValue(func() solve.Solver { return solve.NewSolver(t, l.Schedule) }))
		}
	})
}

// Kind returns "local".
func (l *Local) Kind() string { return localKind }

// Filters returns the transforms.
func (l *Local) Filters() []solve.Transform { return l.Transforms }

// geometry returns a reach of the patch side - 1: a sample depends on all patches that cover it.
func (l *Local) geometry(o Options) geometry {
	return geometry{patchSide: l.PatchSize, reach: l.PatchSize - 1, alignment: patchify.Alignment(o.stride()),
		cost: localCost / square(o.stride())}
}

func (l *Local) geometryAtHalf(o Options) geometry { return l.geometry(o) }

func (l *Local) traits() traits { return traits{} }

// localParams holds the parameters of a local stage in the metadata of a model file.
type localParams struct {
	PatchSize int            `json:"patch_size"`
	Schedule  solve.Schedule `json:"schedule"`
	Clusters  int            `json:"clusters"`
}

func (l *Local) encode(tensors map[string]safetensors.Tensor, prefix string) any {
	k, n := l.Transforms[0].K, l.Transforms[0].N
	// what rounding changes cannot be seen
	w := safetensors.Tensor{DType: safetensors.F16, Shape: []int{len(l.Transforms), k, n}}
	for _, t := range l.Transforms {
		w.Values = append(w.Values, rounded(t.W, n)...)
	}
	tensors[prefix+"transforms"] = w
	if l.Classifier != nil {
		putCentroids(tensors, prefix, l.Classifier)
	}
	return localParams{l.PatchSize, l.Schedule, len(l.Transforms)}
}

func decodeLocal(params json.RawMessage, tensors map[string]safetensors.Tensor, prefix string) (Stage, error) {
	p, err := decodeParams[localParams](params)
	if err != nil {
		return nil, err
	}
	transforms, err := decodeTransforms(p.PatchSize, tensors, prefix)
	if err != nil {
		return nil, err
	}
	classifier, err := getCentroids(tensors, prefix, p.PatchSize, p.Clusters)
	if err != nil {
		return nil, err
	}
	l, err := NewLocal(p.PatchSize, p.Schedule, transforms, classifier)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrFormat, err)
	}
	return l, nil
}
