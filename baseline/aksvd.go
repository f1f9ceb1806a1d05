package baseline

import (
	"context"
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
// Transactions on Signal Processing 61(3), 2013. The zero value has the parameters of that paper's image experiment: 7 x 7
// patches, 63 rows, 20 iterations; patches are coded up to an error and averaged with equal weights.
type AnalysisKSVD struct {
	PatchSize  int     // 0 = 7
	Rows       int     // 0 = 9/7 of the patch's samples
	Iterations int     // 0 = 20
	Examples   int     // training patches; 0 = 20,000
	Gain       float64 // the error allowed of a patch is Gain^2 times the number of its samples times sigma^2; 0 = 1.15
	CoRank     int     // independent rows that each training patch is made orthogonal to, whatever the error; 0 = up to the error
	Seed       uint64
}

// Name implements Image.
func (AnalysisKSVD) Name() string { return "aksvd" }

func (a AnalysisKSVD) withDefaults() AnalysisKSVD {
	orInt := func(v *int, otherwise int) {
		if *v == 0 {
			*v = otherwise
		}
	}
	orInt(&a.PatchSize, 7)
	orInt(&a.Rows, a.PatchSize*a.PatchSize*9/7)
	orInt(&a.Iterations, 20)
	orInt(&a.Examples, 20_000)
	if a.Gain == 0 {
		a.Gain = 1.15
	}
	return a
}

// Denoise implements Image.
func (a AnalysisKSVD) Denoise(ctx context.Context, noisy patchify.Plane, sigma float64, workers int) (patchify.Plane, error) {
	a = a.withDefaults()
	w, err := a.Learn(ctx, a.examples(patchify.Pad(noisy, a.PatchSize)), sigma, workers)
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

// budget is the squared error that a patch may have.
func (a AnalysisKSVD) budget(n int, sigma float64) float64 {
	return a.Gain * a.Gain * float64(n) * sigma * sigma
}

// centre writes a patch without its mean, which it returns.
func centre(y []float64, patch []float32) (mean float64) {
	for _, v := range patch {
		mean += float64(v) / float64(len(patch))
	}
	for i, v := range patch {
		y[i] = float64(v) - mean
	}
	return mean
}

// examples draws training patches, without their means.
func (a AnalysisKSVD) examples(plane patchify.Plane) [][]float64 {
	rng := rand.New(rand.NewPCG(a.Seed, 11))
	size := a.PatchSize
	out := make([][]float64, a.Examples)
	patch := make([]float32, size*size)
	for i := range out {
		patchify.Extract(patch, plane, rng.IntN(plane.Width-size+1), rng.IntN(plane.Height-size+1), size)
		out[i] = make([]float64, size*size)
		centre(out[i], patch)
	}
	return out
}

// Learn alternates between the co-supports of all examples and the rows: each becomes the direction in which the noisy
// examples that are orthogonal to it have the least energy. Rows have norm 1.
func (a AnalysisKSVD) Learn(ctx context.Context, examples [][]float64, sigma float64, workers int) (solve.Transform, error) {
	a = a.withDefaults()
	n := len(examples[0])
	rng := rand.New(rand.NewPCG(a.Seed, 12))
	w := solve.NewTransform(a.Rows, n)
	for i := range w.K {
		replaceRow(w.Row(i), examples, rng)
	}
	all := mat.NewSymDense(n, nil)
	everyone := make([]int, len(examples))
	for i := range everyone {
		everyone[i] = i
	}
	sums := make([]moments, parallel.Workers(workers))
	for i := range sums {
		sums[i].examples = examples
	}
	sums[0].add(all, 1, everyone)
	for range a.Iterations {
		users, others, err := a.coSupports(ctx, w, examples, sigma, workers)
		if err != nil {
			return w, err
		}
		err = parallel.For(ctx, workers, w.K, func(worker, i int) {
			if len(users[i]) < n { // fewer do not determine a direction
				return
			}
			energy := mat.NewSymDense(n, nil)
			if len(users[i]) <= len(others[i]) {
				sums[worker].add(energy, 1, users[i])
			} else { // what fewer examples take away
				energy.CopySym(all)
				sums[worker].add(energy, -1, others[i])
			}
			leastEnergy(w.Row(i), energy)
		})
		if err != nil {
			return w, err
		}
		replaceUseless(w, users, examples, rng)
	}
	return w, nil
}

// coSupports returns for each row the examples that it is orthogonal to, and the others.
func (a AnalysisKSVD) coSupports(ctx context.Context, w solve.Transform, examples [][]float64, sigma float64, workers int) (users, others [][]int, err error) {
	taken := make([][]bool, len(examples))
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
		taken[i] = append([]bool(nil), p.taken...)
	})
	users, others = make([][]int, w.K), make([][]int, w.K)
	for i, rows := range taken {
		for r, t := range rows {
			if t {
				users[r] = append(users[r], i)
			} else {
				others[r] = append(others[r], i)
			}
		}
	}
	return users, others, err
}

// leastEnergy makes row the direction of the least energy, the sum of x x' over examples.
func leastEnergy(row []float64, energy *mat.SymDense) {
	n := len(row)
	mean := 1 / float64(n) // examples have no mean: keep the constant direction, in which all energy is zero, out
	scale := mat.Trace(energy) * mean
	for i := range n {
		for j := i; j < n; j++ {
			energy.SetSym(i, j, energy.At(i, j)+scale*mean)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(energy, true) {
		return // the row stays as it is
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	mat.Col(row, 0, &vectors)
}

// replaceRow makes row orthogonal to n - 2 random examples and to the constant: what the paper starts from.
func replaceRow(row []float64, examples [][]float64, rng *rand.Rand) {
	n := len(row)
	subset := make([]int, n-2)
	for i := range subset {
		subset[i] = rng.IntN(len(examples))
	}
	energy := mat.NewSymDense(n, nil)
	(&moments{examples: examples}).add(energy, 1, subset)
	leastEnergy(row, energy)
}

// replaceUseless replaces rows that fewer than n examples are orthogonal to, and those that nearly repeat an earlier row.
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
