package bilevel

import (
	"math/rand/v2"
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/blorc-denoise/blorc-denoise/internal/scene"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/solve/solvetest"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

const patchSide = 8

type solverCase struct {
	name string
	w    solve.Transform
}

// solverCases returns transforms of all shapes: random, square, tall, structured, with zero rows, with equal rows.
func solverCases(rng *rand.Rand) []solverCase {
	withZero := solvetest.Transform(20, 20, 0.2, rng)
	clear(withZero.Row(3))
	stack, _ := solve.Stack(solvetest.Transform(64, 64, 0.06, rng), solvetest.FiniteDifferences(64, 0.5),
		solve.Identity(64, 0.1))
	twice, _ := solve.Stack(solvetest.FiniteDifferences(32, 0.7), solvetest.FiniteDifferences(32, 0.4))
	return []solverCase{
		{"random 36 x 36", solvetest.Transform(36, 36, 0.2, rng)},
		{"random 64 x 64", solvetest.Transform(64, 64, 0.1, rng)},
		{"wide 10 x 30", solvetest.Transform(10, 30, 0.4, rng)},
		{"TV 64", solvetest.FiniteDifferences(64, 1)},
		{"identity", solve.Identity(16, 0.8)},
		{"zero row", withZero},
		{"stack 191 x 64", stack},
		{"equal rows", twice},
		{"strong", solvetest.Transform(30, 30, 5, rng)},
	}
}

// picture returns the scene that natural patches are drawn from, on a scale of 0 to 1.
var picture = sync.OnceValue(func() patchify.Plane {
	const width, height = 512, 384
	return patchify.Plane{Width: width, Height: height, Pix: scenetest.Gray(scene.Draw(width, height))}
})

// naturalPairs draws pairs of 8 x 8 patches of a scene, in units of sigma at a peak of 10, one after the other.
func naturalPairs(count int) (clean, noisy []float64) {
	p := picture()
	return pairsOf(count, patchSide*patchSide, func(i int, clean, noisy []float64) {
		rng := rand.New(rand.NewPCG(5, uint64(i)))
		x, y := rng.IntN(p.Width-patchSide+1), rng.IntN(p.Height-patchSide+1)
		for j := range clean {
			clean[j] = 10 * float64(p.Row(y + j/patchSide)[x+j%patchSide])
			noisy[j] = clean[j] + rng.NormFloat64()
		}
	})
}

func randomPairs(count, n int, peak float64) (clean, noisy []float64) {
	rng := rand.New(rand.NewPCG(10, 4))
	return pairsOf(count, n, func(_ int, clean, noisy []float64) {
		c, y := solvetest.Pair(n, peak, rng)
		copy(clean, c)
		copy(noisy, y)
	})
}

func pairsOf(count, n int, sample func(i int, clean, noisy []float64)) (clean, noisy []float64) {
	clean, noisy = make([]float64, count*n), make([]float64, count*n)
	for i := range count {
		sample(i, clean[i*n:(i+1)*n], noisy[i*n:(i+1)*n])
	}
	return clean, noisy
}

// trainedLike returns a transform similar to trained ones: a DCT whose rows are mixed with each other and differ in
// norm. Its last row is a weak constant patch.
func trainedLike(scale float64, rng *rand.Rand) solve.Transform {
	const n = patchSide * patchSide
	constant := solve.NewTransform(1, n)
	for i := range constant.W {
		constant.W[i] = 0.1 / patchSide
	}
	basis, err := solve.Stack(solve.DCTBasis(patchSide), constant)
	if err != nil {
		panic(err)
	}
	mix := solvetest.Transform(n, n, 0.05, rng)
	for i := range n {
		mix.Row(i)[i]++
		floats.Scale(scale*(0.3+0.7*rng.Float64()), mix.Row(i))
	}
	return mix.Mul(basis)
}

// trainedStack returns three such transforms stacked, 192 x 64.
func trainedStack(scale float64) solve.Transform {
	rng := rand.New(rand.NewPCG(11, 4))
	stack, err := solve.Stack(trainedLike(scale, rng), trainedLike(scale, rng), trainedLike(scale, rng))
	if err != nil {
		panic(err)
	}
	return stack
}

// deficientStack returns a strong stack whose rows have mean zero, so that W_0 is rank deficient for smooth patches.
func deficientStack() solve.Transform {
	w := trainedStack(1.2)
	for i := range w.K {
		floats.AddConst(-floats.Sum(w.Row(i))/float64(w.N), w.Row(i))
	}
	return w
}
