package stage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/safetensors"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

const nonLocalKind = "nonlocal"

// GroupSize is the number of patches of a group: blocks of as many lanes make up a panel.
const GroupSize = kernel.BlockLanes

// NonLocal denoises groups of similar patches together: every Step-th patch and the GroupSize - 1 most similar ones on the
// pilot (see Matches). It rotates the group along its members into as many columns: the first is their mean times a
// constant, the others are the principal directions of what the pilot's members differ by. The columns are denoised by the
// lower-level problem
//
//	min_x 1/2 ||x - y||^2 + sum_i d_i |w_i x| + sum_i e_i |w_i (x - p)|
//
// with y the noisy and p the pilot's column, W the transform of the group's cluster for the first column or for the
// others, and penalties from the weight function. The pilot's mean is taken from first columns and given back. Then they
// are rotated back, and the patches are averaged with weights of one over the number of rows outside the zero sets plus a
// constant, times a Kaiser window.
type NonLocal struct {
	PatchSize int
	Window    int // farthest offset of a member from the reference patch in x and in y
	Scouted   int // see patchify.Matching
	Step      int // distance of neighbouring reference patches, unless Options.GroupStride says otherwise
	// Offset is that of the reference patches. If those of one stage lie between those of the stage before, errors average
	// out as with a smaller step.
	Offset int
	// Residual is the share of what the pilot lacks of the noisy plane that is put back for matching: there is texture in it
	// that the pilot has lost.
	Residual   float64
	Schedule   solve.Schedule
	First      *solve.Schedule   // of first columns, which are few and converge slowly; nil = Schedule
	Transforms []solve.Transform // two for each cluster: of first columns, and of the others
	Classifier *Classifier       // of the mean patch of a group's pilots; nil for a single cluster
	Weights    WeightFunction

	prepare sync.Once
	solvers []*solve.PairPanelSolver
	weights *kernel.WeightFunction
	biases  [][]float32 // of each transform: panel of hidden rows
	window  []float32
	scratch sync.Pool // of *nonLocalScratch
}

// NewNonLocal checks that the parts fit.
func NewNonLocal(l *NonLocal) (*NonLocal, error) {
	for i := range 2 {
		if err := l.schedule(i).Validate(); err != nil {
			return nil, err
		}
	}
	clusters, h := 1, l.Weights.Hidden()
	if l.Classifier != nil {
		clusters = len(l.Classifier.Centroids)
	}
	switch {
	case len(l.Transforms) != 2*clusters:
		return nil, fmt.Errorf("%d transforms for %d clusters", len(l.Transforms), clusters)
	case l.PatchSize != nonLocalPatch:
		return nil, fmt.Errorf("patch size %d of a non-local stage", l.PatchSize)
	case l.Step < 1 || l.Step > l.PatchSize || l.Window < 1 || l.Window > maxWindow:
		return nil, fmt.Errorf("step %d or window %d out of range", l.Step, l.Window)
	case l.Scouted < 0 || l.Scouted > GroupSize:
		return nil, fmt.Errorf("%d offsets of a scout", l.Scouted)
	case l.Offset < 0 || l.Offset >= l.Step:
		return nil, fmt.Errorf("offset %d out of range", l.Offset)
	case !(l.Residual >= 0 && l.Residual <= 1):
		return nil, fmt.Errorf("residual %g is no share", l.Residual)
	case h < 1 || h > kernel.MaxHidden || len(l.Weights.A) != h*WeightFeatures || len(l.Weights.B) != 2*h || len(l.Weights.Bias) != len(l.Transforms):
		return nil, errors.New("weight function of the wrong size")
	}
	for i, t := range l.Transforms {
		if len(l.Weights.Bias[i]) != h {
			return nil, fmt.Errorf("%d biases for %d hidden units", len(l.Weights.Bias[i]), h)
		}
		if t.N != l.PatchSize*l.PatchSize || t.K != l.Transforms[0].K {
			return nil, fmt.Errorf("a transform of %d x %d for patches of side %d", t.K, t.N, l.PatchSize)
		}
	}
	if n := l.matrices(); n > maxMatrices {
		return nil, fmt.Errorf("schedule and transforms that need matrices of %g numbers, of at most %d", n, maxMatrices)
	}
	l.scratch.New = func() any { return l.newScratch() }
	return l, nil
}

// What a model file may ask for: small files must not take much memory.
const (
	maxWindow   = 200
	maxMatrices = 1 << 26
)

// matrices returns how many numbers the solvers keep at most: a square matrix of the rows of each transform for each rho.
func (l *NonLocal) matrices() (n float64) {
	for i, t := range l.Transforms {
		n += float64(t.K) * float64(t.K) * float64(l.schedule(i).Penalties())
	}
	return n
}

// schedule returns the ADMM schedule of a transform: even ones denoise first columns.
func (l *NonLocal) schedule(transform int) solve.Schedule {
	if transform%2 == 0 && l.First != nil {
		return *l.First
	}
	return l.Schedule
}

// prepareSolvers makes what denoising needs, once.
func (l *NonLocal) prepareSolvers(workers int) {
	l.prepare.Do(func() {
		l.solvers = make([]*solve.PairPanelSolver, len(l.Transforms))
		_ = parallel.For(context.Background(), workers, len(l.solvers), func(_, i int) { // half the solvers would be of no use
			l.solvers[i] = solve.NewPairPanelSolver(l.Transforms[i], l.schedule(i))
		})
		f, h := &l.Weights, l.Weights.Hidden()
		l.weights = kernel.NewWeightFunction(toFloat32(f.A), toFloat32(f.B), float32(f.B0), float32(f.B1), float32(f.A0))
		bias := make([]float64, h)
		for t := range l.Transforms {
			panel := make([]float32, h*solve.Lanes)
			for lane := range solve.Lanes {
				column := 0
				if t%2 == 1 {
					column = lane % GroupSize
				}
				f.BiasOf(bias, t, column, GroupSize)
				for i, v := range bias {
					panel[i*solve.Lanes+lane] = float32(v)
				}
			}
			l.biases = append(l.biases, panel)
		}
		l.window = toFloat32(AggregationWindow(l.PatchSize))
	})
}

// Kind is "nonlocal".
func (l *NonLocal) Kind() string { return nonLocalKind }

// Filters returns the transforms.
func (l *NonLocal) Filters() []solve.Transform { return l.Transforms }

// matching says how the stage searches. At half the size, half the window reaches as far.
func (l *NonLocal) matching(halved bool) patchify.Matching {
	window := l.Window
	if halved {
		window = max(window/2, 1)
	}
	return patchify.Matching{PatchSize: l.PatchSize, Count: GroupSize, Window: window, CoarseOffsets: l.Scouted}
}

// geometry reaches as far as the search and the patches that it finds.
func (l *NonLocal) geometry(o Options, halved bool) geometry {
	m := l.matching(halved)
	return geometry{patchSide: l.PatchSize, reach: m.Reach() + m.Window + l.PatchSize - 1, alignment: patchify.Alignment(l.step(o)), pass: true}
}

func (l *NonLocal) step(o Options) int {
	if o.GroupStride > 0 {
		return o.GroupStride
	}
	return l.Step
}

// offset returns the offset of the grid of reference patches, scaled when the step differs from the stage's own.
func (l *NonLocal) offset(o Options) int { return l.Offset * l.step(o) / l.Step }

// nonLocalParams is a non-local stage in the metadata of a model file.
type nonLocalParams struct {
	PatchSize int             `json:"patch_size"`
	Window    int             `json:"window"`
	Scouted   int             `json:"scouted,omitempty"`
	Step      int             `json:"step"`
	Offset    int             `json:"offset,omitempty"`
	Residual  float64         `json:"residual,omitempty"`
	Schedule  solve.Schedule  `json:"schedule"`
	First     *solve.Schedule `json:"first_schedule,omitempty"`
	Clusters  int             `json:"clusters"`
	B0        float64         `json:"b0"`
	A0        float64         `json:"a0"`
	B1        float64         `json:"b1"`
}

func (l *NonLocal) encode(tensors map[string]safetensors.Tensor, prefix string) any {
	f, h := &l.Weights, l.Weights.Hidden()
	put := func(name string, shape []int, values []float64) {
		tensors[prefix+name] = safetensors.Tensor{DType: safetensors.F32, Shape: shape, Values: values}
	}
	var w, bias []float64
	for i, t := range l.Transforms {
		w, bias = append(w, t.W...), append(bias, f.Bias[i]...)
	}
	put("transforms", []int{len(l.Transforms), l.Transforms[0].K, l.Transforms[0].N}, w)
	put("weights.bias", []int{len(l.Transforms), h}, bias)
	put("weights.a", []int{h, WeightFeatures}, f.A)
	put("weights.b", []int{h, 2}, f.B)
	put("weights.position", []int{h}, f.Position)
	if l.Classifier != nil {
		putCentroids(tensors, prefix, l.Classifier)
	}
	round := func(v float64) float64 { return float64(float32(v)) } // as precise as the tensors
	return nonLocalParams{l.PatchSize, l.Window, l.Scouted, l.Step, l.Offset, l.Residual, l.Schedule, l.First, len(l.Transforms) / 2, round(f.B0), round(f.A0), round(f.B1)}
}

func decodeNonLocal(params json.RawMessage, tensors map[string]safetensors.Tensor, prefix string) (Stage, error) {
	p, err := decodeParams[nonLocalParams](params)
	if err != nil {
		return nil, err
	}
	if p.PatchSize < 2 || p.PatchSize > maxPatchSize {
		return nil, fmt.Errorf("%w: patch size %d", ErrFormat, p.PatchSize)
	}
	f := WeightFunction{B0: p.B0, A0: p.A0, B1: p.B1}
	get := func(name string, dims int) safetensors.Tensor { return tensors[prefix+name] }
	for name, dims := range map[string]int{"transforms": 3, "weights.bias": 2, "weights.a": 2, "weights.b": 2, "weights.position": 1} {
		if _, err := tensor(tensors, prefix+name, dims); err != nil {
			return nil, err
		}
	}
	f.A, f.B, f.Position = get("weights.a", 2).Values, get("weights.b", 2).Values, get("weights.position", 1).Values
	w, bias := get("transforms", 3), get("weights.bias", 2)
	if bias.Shape[1] != len(f.Position) {
		return nil, fmt.Errorf("%w: biases of %d hidden units, not %d", ErrFormat, bias.Shape[1], len(f.Position))
	}
	for _, v := range []float64{f.B0, f.A0, f.B1} {
		if math.IsNaN(v) || math.IsInf(v, 0) || math.Abs(v) > 1e6 {
			return nil, fmt.Errorf("%w: weight function out of range", ErrFormat)
		}
	}
	f.Bias = slices.Collect(slices.Chunk(bias.Values, bias.Shape[1]))
	classifier, err := getCentroids(tensors, prefix, p.PatchSize, p.Clusters)
	if err != nil {
		return nil, err
	}
	l := &NonLocal{PatchSize: p.PatchSize, Window: p.Window, Scouted: p.Scouted, Step: p.Step, Offset: p.Offset, Residual: p.Residual, Schedule: p.Schedule, First: p.First,
		Weights: f, Classifier: classifier}
	for values := range slices.Chunk(w.Values, w.Shape[1]*w.Shape[2]) {
		l.Transforms = append(l.Transforms, solve.Transform{K: w.Shape[1], N: w.Shape[2], W: values})
	}
	if l, err = NewNonLocal(l); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrFormat, err)
	}
	return l, nil
}
