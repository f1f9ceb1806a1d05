package baseline

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// AnalysisKSVD learns an analysis operator on the patches of the noisy image itself and denoises each patch with it: R.
// Rubinstein, T. Peleg, M. Elad, "Analysis K-SVD: a dictionary-learning algorithm for the analysis sparse model", IEEE
// Transactions on Signal Processing 61(3), 2013. Each patch is projected onto the space orthogonal to as many rows of
// the operator as an error proportional to sigma allows, and the patches are averaged with equal weights. The zero
// value has the parameters of that paper's image experiment: 7 x 7 patches, 63 rows, 20 iterations.
type AnalysisKSVD struct {
	PatchSize  int     // side of a patch in pixels, 2 to patchify.MaxPatchSize; 0 = 7
	Rows       int     // rows of the operator; 0 = 9/7 of the number of samples in a patch
	Iterations int     // of learning; 0 = 20
	Examples   int     // number of patches to learn from; 0 = 20,000
	Gain       float64 // a patch of n samples may change by a squared error of n (Gain sigma)^2; 0 = 1.15
	// independent rows to make each training patch orthogonal to, whatever the error; 0 = as many as the error allows
	CoRank int
	Seed   uint64 // of the choice of training patches
}

// Name implements Denoiser.
func (AnalysisKSVD) Name() string { return "aksvd" }

func (a AnalysisKSVD) withDefaults() AnalysisKSVD {
	a.PatchSize = cmp.Or(a.PatchSize, 7)
	a.Rows = cmp.Or(a.Rows, a.PatchSize*a.PatchSize*9/7)
	a.Iterations = cmp.Or(a.Iterations, 20)
	a.Examples = cmp.Or(a.Examples, 20_000)
	a.Gain = cmp.Or(a.Gain, 1.15)
	return a
}

// check returns an error of kind ErrArgument for parameters out of range, once the defaults are set.
func (a AnalysisKSVD) check() error {
	switch {
	case a.PatchSize < 2 || a.PatchSize > patchify.MaxPatchSize:
		return fmt.Errorf("%w: patch size %d is not in 2..%d", ErrArgument, a.PatchSize, patchify.MaxPatchSize)
	case a.Rows < 1 || a.Iterations < 1 || a.Examples < 1 || a.CoRank < 0:
		return fmt.Errorf("%w: %d rows, %d iterations, %d examples, co-rank %d", ErrArgument, a.Rows, a.Iterations,
			a.Examples, a.CoRank)
	case !(a.Gain > 0) || math.IsInf(a.Gain, 0):
		return fmt.Errorf("%w: gain %g is not positive and finite", ErrArgument, a.Gain)
	}
	return nil
}

// Denoise implements Denoiser.
func (a AnalysisKSVD) Denoise(ctx context.Context, noisy patchify.Plane, sigma float64, workers int) (patchify.Plane,
	error) {
	if err := check(noisy, sigma); err != nil {
		return patchify.Plane{}, err
	}
	a = a.withDefaults()
	if err := a.check(); err != nil {
		return patchify.Plane{}, err
	}
	w, err := a.learn(ctx, a.examples(patchify.Pad(noisy, a.PatchSize)), sigma, workers)
	if err != nil {
		return patchify.Plane{}, err
	}
	return eachPatch(ctx, noisy, a.PatchSize, workers, func() func([]float32) {
		p := newPursuit(w)
		y, x := make([]float64, w.N), make([]float64, w.N)
		return func(patch []float32) {
			mean := centre(y, patch)
			p.run(y, a.budget(w.N, sigma), w.N)
			p.result(x, y)
			for i, v := range x {
				patch[i] = float32(v + mean)
			}
		}
	})
}

// budget returns the squared error that a patch of n samples may have.
func (a AnalysisKSVD) budget(n int, sigma float64) float64 {
	return a.Gain * a.Gain * float64(n) * sigma * sigma
}

// centre writes the patch minus its mean to y and returns the mean.
func centre(y []float64, patch []float32) (mean float64) {
	for _, v := range patch {
		mean += float64(v) / float64(len(patch))
	}
	for i, v := range patch {
		y[i] = float64(v) - mean
	}
	return mean
}

// examples draws training patches at random places and subtracts their means.
func (a AnalysisKSVD) examples(plane patchify.Plane) [][]float64 {
	rng := rand.New(rand.NewPCG(a.Seed, 11))
	size := a.PatchSize
	out := make([][]float64, a.Examples)
	patch := make([]float32, size*size)
	for i := range out {
		patchify.ExtractLane(patch, 1, 0, plane, rng.IntN(plane.Width-size+1), rng.IntN(plane.Height-size+1), size)
		out[i] = make([]float64, size*size)
		centre(out[i], patch)
	}
	return out
}

// learn returns an operator of a.Rows rows of norm 1. It alternates between two steps: finding the co-support of each
// example, which is the set of rows that its projection is orthogonal to, and setting each row to the direction in
// which the noisy examples with that row in their co-support have the least energy.
func (a AnalysisKSVD) learn(ctx context.Context, examples [][]float64, sigma float64, workers int) (solve.Transform,
	error) {
	n := len(examples[0])
	rng := rand.New(rand.NewPCG(a.Seed, 12))
	w := solve.NewTransform(a.Rows, n)
	for i := range w.K {
		replaceRow(w.Row(i), examples, rng)
	}
	all := mat.NewSymDense(n, nil)
	indices := make([]int, len(examples))
	for i := range indices {
		indices[i] = i
	}
	sums := make([]moments, parallel.Workers(workers))
	for i := range sums {
		sums[i].examples = examples
	}
	sums[0].add(all, 1, indices)
	for range a.Iterations {
		users, others, err := a.coSupports(ctx, w, examples, sigma, workers)
		if err != nil {
			return w, err
		}
		err = parallel.For(ctx, workers, w.K, func(worker, i int) {
			if len(users[i]) < n { // too few to determine a direction
				return
			}
			energy := mat.NewSymDense(n, nil)
			if len(users[i]) <= len(others[i]) {
				sums[worker].add(energy, 1, users[i])
			} else { // subtracting the others from all is less work
				energy.CopySym(all)
				sums[worker].add(energy, -1, others[i])
			}
			minEnergy(w.Row(i), energy)
		})
		if err != nil {
			return w, err
		}
		replaceUseless(w, users, examples, rng)
	}
	return w, nil
}

// coSupports returns two lists of examples for each row: those that have the row in their co-support, and the others.
func (a AnalysisKSVD) coSupports(ctx context.Context, w solve.Transform, examples [][]float64, sigma float64,
	workers int) (users, others [][]int, err error) {
	chosen := make([][]bool, len(examples))
	pursuits := make([]*pursuit, parallel.Workers(workers))
	budget, most := a.budget(w.N, sigma), w.N
	if a.CoRank > 0 {
		budget, most = math.Inf(1), a.CoRank
	}
	err = parallel.For(ctx, workers, len(examples), func(worker, i int) {
		if pursuits[worker] == nil {
			pursuits[worker] = newPursuit(w)
		}
		p := pursuits[worker]
		p.run(examples[i], budget, most)
		chosen[i] = append([]bool(nil), p.chosen...)
	})
	users, others = make([][]int, w.K), make([][]int, w.K)
	for i, rows := range chosen {
		for r, is := range rows {
			if is {
				users[r] = append(users[r], i)
			} else {
				others[r] = append(others[r], i)
			}
		}
	}
	return users, others, err
}

// minEnergy sets row to the unit vector r with the least r' E r, where E is the sum of x x' over examples. The constant
// direction is excluded. energy is overwritten.
func minEnergy(row []float64, energy *mat.SymDense) {
	n := len(row)
	mean := 1 / float64(n) // examples have mean zero, so the constant direction, which has no energy, must be kept out
	scale := mat.Trace(energy) * mean
	for i := range n {
		for j := i; j < n; j++ {
			energy.SetSym(i, j, energy.At(i, j)+scale*mean)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(energy, true) {
		return // without convergence the row stays as it was
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	mat.Col(row, 0, &vectors)
}

// replaceRow sets row to a vector that is orthogonal to n - 2 random examples and to the constant. The paper starts
// from such rows.
func replaceRow(row []float64, examples [][]float64, rng *rand.Rand) {
	n := len(row)
	subset := make([]int, n-2)
	for i := range subset {
		subset[i] = rng.IntN(len(examples))
	}
	energy := mat.NewSymDense(n, nil)
	(&moments{examples: examples}).add(energy, 1, subset)
	minEnergy(row, energy)
}

// replaceUseless replaces rows that are in fewer than n co-supports, and rows that nearly repeat an earlier one.
func replaceUseless(w solve.Transform, users [][]int, examples [][]float64, rng *rand.Rand) {
	const similar = 0.95
	for i := range w.K {
		useless := len(users[i]) < w.N
		for j := range i {
			c := floats.Dot(w.Row(i), w.Row(j))
			useless = useless || c > similar || c < -similar
		}
		if useless {
			replaceRow(w.Row(i), examples, rng)
		}
	}
}
