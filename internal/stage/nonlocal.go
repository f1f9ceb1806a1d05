package stage

import (
	"cmp"
	"errors"
	"fmt"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

const nonLocalKind = "nonlocal"

// GroupSize is the number of patches of a group. A group takes one block of lanes of a panel.
const GroupSize = kernel.BlockLanes

// NonLocal denoises groups of similar patches together. Every Step-th patch is a reference patch; it forms a group with
// the GroupSize - 1 patches that are most similar to it on the pilot (see Matches).
//
// Each group is rotated along its members into GroupSize columns (see GroupRotations): the first is the mean of the
// members times a constant, the others are the principal directions of the differences between the pilot's patches. The
// columns are denoised by the lower-level problem
//
//	min_x 1/2 ||x - y||^2 + sum_i d_i |w_i x| + sum_i e_i |w_i (x - p)|
//
// where y is the noisy and p the pilot's column, W is the transform of the group's cluster for the first column or for
// the others, and the weight function gives the penalties d and e. The mean of the pilot's first column is subtracted
// from both first columns before and added after. Then the columns are rotated back and the overlapping patches are
// averaged. The weight of a sample is its weight in a Kaiser window over the sum of AggregationOffset and the group's
// degrees of freedom, which is the number of rows of W outside the zero sets.
type NonLocal struct {
	PatchSize     int
	Window        int // largest distance of a member from the reference patch, in samples in x and in y
	CoarseOffsets int // of the first pass that runs; see patchify.Matching. Later ones use patchify.Matching.FindAgain.
	Step          int // distance of neighbouring reference patches in samples, if Options.GroupStride does not set it
	// Offset is the shift of the grid of reference patches in samples, in x and in y. If the reference patches of a
	// stage lie between those of the stage before, errors average out as with a smaller step.
	Offset int
	// Residual is the share of noisy - pilot that is added to the pilot for matching: the residual still has texture
	// that the pilot lost.
	Residual   float64
	Schedule   solve.Schedule
	First      *solve.Schedule   // for first columns, which are few and converge slowly; nil = Schedule
	Transforms []solve.Transform // two for each cluster: for first columns and for the others
	Classifier *Classifier       // of the mean patch of a group on the pilot; nil for a single cluster
	Weights    WeightFunction

	prepare sync.Once
	solvers []func() *solve.PairPanelSolver // each is made at its first use
	network *kernel.WeightFunction          // Weights in float32
	biases  [][]float32                     // for each transform a panel with a row for each hidden unit
	kaiser  []float32                       // weights of the samples of a patch
	scratch sync.Pool                       // of *nonLocalScratch
}

// NewNonLocal completes a stage whose exported fields are set. It returns an error if they do not fit.
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
	case l.Step < 1 || l.Step > l.PatchSize || l.Window < 1 || l.Window > MaxWindow:
		return nil, fmt.Errorf("step %d or window %d out of range", l.Step, l.Window)
	case l.CoarseOffsets < 0 || l.CoarseOffsets > GroupSize:
		return nil, fmt.Errorf("%d coarse offsets, not 0 to %d", l.CoarseOffsets, GroupSize)
	case l.Offset < 0 || l.Offset >= l.Step:
		return nil, fmt.Errorf("offset %d out of range", l.Offset)
	case !(l.Residual >= 0 && l.Residual <= 1):
		return nil, fmt.Errorf("residual %g is not between 0 and 1", l.Residual)
	case h < 1 || h > kernel.MaxHidden || len(l.Weights.A) != h*WeightFeatures || len(l.Weights.B) != 2*h ||
		len(l.Weights.Bias) != len(l.Transforms):
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
		return nil, fmt.Errorf("schedule and transforms need matrices of %g numbers, more than %d", n, maxMatrices)
	}
	l.scratch.New = func() any { return l.newScratch() }
	return l, nil
}

// Limits of a stage, so that a small model file cannot take much memory.
const (
	MaxWindow   = 200 // largest Window, in samples
	maxMatrices = 1 << 26
)

// matrices returns an upper bound of the numbers that the solvers keep: for each transform of k rows, a k x k matrix
// for each rho.
func (l *NonLocal) matrices() (n float64) {
	for i, t := range l.Transforms {
		n += float64(t.K) * float64(t.K) * float64(l.schedule(i).Penalties())
	}
	return n
}

// schedule returns the ADMM schedule of a transform. Transforms with even numbers denoise first columns.
func (l *NonLocal) schedule(transform int) solve.Schedule {
	if transform%2 == 0 && l.First != nil {
		return *l.First
	}
	return l.Schedule
}

// prepareSolvers sets l.solvers and makes the float32 copies of the parameters, once.
func (l *NonLocal) prepareSolvers() {
	l.prepare.Do(func() {
		for i, t := range l.Transforms {
			l.solvers = append(l.solvers,
				sync.OnceValue(func() *solve.PairPanelSolver { return solve.NewPairPanelSolver(t, l.schedule(i)) }))
		}
		f, h := &l.Weights, l.Weights.Hidden()
		l.network = kernel.NewWeightFunction(toFloat32(f.A), toFloat32(f.B), float32(f.B0), float32(f.B1),
			float32(f.A0))
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
		l.kaiser = toFloat32(KaiserWindow(l.PatchSize))
	})
}

// Kind returns "nonlocal".
func (l *NonLocal) Kind() string { return nonLocalKind }

// Filters returns the transforms.
func (l *NonLocal) Filters() []solve.Transform { return l.Transforms }

// matching returns the parameters of the search. At half the size, half the window covers the same part of the image.
func (l *NonLocal) matching(halved bool) patchify.Matching {
	window := l.Window
	if halved {
		window = max(window/2, 1)
	}
	return patchify.Matching{PatchSize: l.PatchSize, Count: GroupSize, Window: window, CoarseOffsets: l.CoarseOffsets}
}

func (l *NonLocal) traits() traits { return traits{pass: true} }

func (l *NonLocal) geometry(o Options) geometry { return l.searching(l.matching(false), o) }

func (l *NonLocal) geometryAtHalf(o Options) geometry { return l.searching(l.matching(true), o) }

// searching returns the reach of a search and of the patches that it finds.
func (l *NonLocal) searching(m patchify.Matching, o Options) geometry {
	return geometry{patchSide: l.PatchSize, reach: m.Reach() + m.Window + l.PatchSize - 1,
		alignment: LeastCommonMultiple(patchify.Alignment(l.step(o)), patchify.Alignment(l.rowStep(o))),
		cost:      groupCost / float64(l.step(o)*l.rowStep(o))}
}

func (l *NonLocal) step(o Options) int {
	if o.GroupStride > 0 {
		return o.GroupStride
	}
	return l.Step
}

// rowStep returns the distance of rows of reference patches.
func (l *NonLocal) rowStep(o Options) int { return cmp.Or(o.GroupRows, l.step(o)) }

// offsetAt returns the offset of reference patches that are step samples apart, scaled if the step is not the stage's
// own.
func (l *NonLocal) offsetAt(step int) int { return l.Offset * step / l.Step }
