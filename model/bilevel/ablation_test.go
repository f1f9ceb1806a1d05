package bilevel

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/blorc-denoise/blorc-denoise/model"
)

func TestAblationsAreNamed(t *testing.T) {
	for _, a := range append(Ablations(), "") {
		if err := a.validate(); err != nil {
			t.Error(err)
		}
	}
	if Ablation("nothing").validate() == nil {
		t.Error("an ablation that is none is accepted")
	}
}

// Adam leaves what has no gradient as it is, and what has one it moves.
func TestAblatedTransformsStayBitEqualToTheStart(t *testing.T) {
	for _, ablate := range []Ablation{"", AblateTransforms} {
		o, start := testGroupLoss(2, 0)
		o.ablate = ablate
		theta := slices.Clone(start)
		p := Phase{Name: "ablated", Objective: o, Optimizer: NewAdam(len(theta)), Steps: 3, Rate: ConstantRate(1e-2)}
		if err := new(Trainer).Run(context.Background(), p, theta); err != nil {
			t.Fatal(err)
		}
		transforms := o.layout.transforms * o.layout.k * o.layout.n
		if stay := slices.Equal(theta[:transforms], start[:transforms]); stay != (ablate == AblateTransforms) {
			t.Errorf("ablation %q: the transforms stay: %v", ablate, stay)
		}
		if slices.Equal(theta[transforms:], start[transforms:]) {
			t.Errorf("ablation %q: the weight function is not trained", ablate)
		}
	}
}

func TestPatchLossGradientAgainstCentralDifferences(t *testing.T) {
	checkGradient(t, AblateLoss)
}

// The segments are piecewise constant, so that the closed form on them has the same gradient, exact or not.
func TestPatternGradientAgainstCentralDifferences(t *testing.T) {
	checkGradient(t, AblatePattern)
}

// The patch loss is the mean by its definition.
func TestPatchLossIsTheMeanOverPatches(t *testing.T) {
	o, theta := testGroupLoss(2, 0)
	o.ablate = AblateLoss
	o.batch = 1
	grad := make([]float64, len(theta))
	batch, err := o.Gradient(context.Background(), 5, theta, grad)
	if err != nil {
		t.Fatal(err)
	}
	w := &o.windows[0]
	// The gradients by the patches are their errors over the number of pixels, and the columns are a rotation of them (in float32).
	sum, pixels := 0.0, float64(len(w.groups)*model.GroupSize*o.layout.n)
	for _, g := range w.columns[:int(pixels)] {
		sum += g * pixels * g * pixels
	}
	if want := sum / (2 * pixels); math.Abs(batch.Loss-want) > 1e-5*want || want == 0 {
		t.Errorf("loss %g, of the gradients %g", batch.Loss, want)
	}
}

func newPairProblems(rng *rand.Rand, w model.Transform, count int) []pairProblem {
	problems := make([]pairProblem, count)
	for i := range problems {
		problems[i] = newPairProblem(rng, w)
	}
	return problems
}

// admmSegments are those that ADMM finds for problems of one transform.
func admmSegments(w model.Transform, problems []pairProblem, s model.Schedule) [][]segment {
	segments := make([][]segment, len(problems))
	y := blas64.General{Rows: len(problems), Cols: w.N, Stride: w.N}
	for i, p := range problems {
		y.Data = append(y.Data, p.y...)
		segments[i] = make([]segment, w.K)
	}
	newPairADMM(w, s).segments(segments, y, func(i int, rows []penalty) { copy(rows, problems[i].rows) })
	return segments
}

func TestPairADMMFindsTheSegmentsOfTheSolution(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	w := nearlyDCT(rng, 0.05)
	_, schedule := pairSchedules(0)
	wrong := map[int]int{}
	for _, schedule.Iterations = range []int{6, 400} {
		problems := newPairProblems(rng, w, 40)
		segments := admmSegments(w, problems, schedule)
		s := NewPairSolver(w)
		ws := s.newWorkspace()
		for i, p := range problems {
			copy(ws.sol.Segments, segments[i])
			inexact := !s.closedForm(ws, p.wy, p.rows).Converged
			s.guess(ws, p.wy, p.rows)
			different := 0
			for r, seg := range s.solve(ws, p.wy, p.rows).Segments {
				if seg != segments[i][r] {
					different++
				}
			}
			if inexact != (different > 0) {
				t.Fatalf("%d iterations: %d segments differ, but inexact is %v", schedule.Iterations, different, inexact)
			}
			wrong[schedule.Iterations] += different
		}
	}
	t.Logf("of 40 x %d segments %d are wrong after 6 iterations, %d after 400", w.K, wrong[6], wrong[400])
	if wrong[6] == 0 || wrong[400] > 0 {
		t.Errorf("wrong segments: %v", wrong)
	}
}

// The iterates are those of the solver that models run, but for its float32.
func TestPairADMMIsTheModelsSolver(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	w := nearlyDCT(rng, 0.05)
	problems := newPairProblems(rng, w, model.Lanes)
	for _, p := range problems {
		wp := make([]float64, w.K)
		w.Analyze(wp, p.p)
		for i := range p.rows { // also where a kink was moved to zero: the fast solver starts from the pilot itself
			p.rows[i].p = wp[i]
		}
	}
	_, schedule := pairSchedules(0)
	segments := admmSegments(w, problems, schedule)
	fast := model.NewPairSolver(w, schedule)
	s := fast.NewScratch()
	for l, p := range problems {
		for i := range w.N {
			s.Y[i*model.Lanes+l], s.P[i*model.Lanes+l] = float32(p.y[i]), float32(p.p[i])
		}
	}
	fast.Analyze(s)
	for l, p := range problems {
		for i, g := range p.rows {
			at := i*model.Lanes + l
			s.D[at], s.E[at], s.WP[at] = float32(g.d), float32(g.e), float32(g.p)
		}
	}
	fast.Solve(s)
	counts := make([]float32, model.Lanes)
	fast.CountFree(counts, s)
	for l := range problems {
		free := float32(0)
		for _, seg := range segments[l] {
			if !seg.onKink() {
				free++
			}
		}
		if math.Abs(float64(free-counts[l])) > 1 { // one may lie on the border
			t.Errorf("lane %d: %g rows are free, %g in the fast solver", l, free, counts[l])
		}
	}
}
