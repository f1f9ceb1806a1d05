package train

import (
	"fmt"
	"math/rand/v2"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
)

// stageLayout is the order of the parameters of a non-local stage in theta: the transforms (k x n each), then the
// biases of the hidden units for each transform, then the parameters of the weight function that all transforms share.
type stageLayout struct{ transforms, k, n, hidden int }

func (l stageLayout) size() int {
	return l.transforms*(l.k*l.n+l.hidden) + l.hidden*(stage.WeightFeatures+3) + 3
}

func (l stageLayout) transform(theta []float64, t int) solve.Transform {
	return solve.Transform{K: l.k, N: l.n, W: theta[t*l.k*l.n : (t+1)*l.k*l.n]}
}

func (l stageLayout) bias(theta []float64, t int) []float64 {
	return theta[l.transforms*l.k*l.n+t*l.hidden:][:l.hidden]
}

// weightFunction returns a weight function whose slices are parts of theta. Its scalars are copies.
func (l stageLayout) weightFunction(theta []float64) stage.WeightFunction {
	rest := theta[l.transforms*(l.k*l.n+l.hidden):]
	cut := func(n int) []float64 {
		part := rest[:n]
		rest = rest[n:]
		return part
	}
	f := stage.WeightFunction{A: cut(l.hidden * stage.WeightFeatures), B: cut(l.hidden * 2), Position: cut(l.hidden)}
	f.B0, f.A0, f.B1 = rest[0], rest[1], rest[2]
	for t := range l.transforms {
		f.Bias = append(f.Bias, l.bias(theta, t))
	}
	return f
}

// setScalars writes the scalars of the weight function to theta.
func (l stageLayout) setScalars(theta []float64, b0, a0, b1 float64) {
	copy(theta[l.size()-3:], []float64{b0, a0, b1})
}

// copyFrom copies the parameters of a stage to theta. The stage must have the same layout.
func (l stageLayout) copyFrom(theta []float64, s *stage.NonLocal) error {
	w := s.Transforms[0]
	if theirs := (stageLayout{len(s.Transforms), w.K, w.N, s.Weights.Hidden()}); theirs != l {
		return fmt.Errorf("%w: the stage to start from has %d transforms of %d x %d and %d hidden units, not %d of "+
			"%d x %d and %d", ErrSettings,
			theirs.transforms, theirs.k, theirs.n, theirs.hidden, l.transforms, l.k, l.n, l.hidden)
	}
	for t, w := range s.Transforms {
		copy(l.transform(theta, t).W, w.W)
		copy(l.bias(theta, t), s.Weights.Bias[t])
	}
	f := l.weightFunction(theta)
	copy(f.A, s.Weights.A)
	copy(f.B, s.Weights.B)
	copy(f.Position, s.Weights.Position)
	l.setScalars(theta, s.Weights.B0, s.Weights.A0, s.Weights.B1)
	return nil
}

// startTheta returns parameters to start from: transforms close to the DCT, and a weight function that pulls
// coefficients to zero where the pilot's are weak, and all coefficients gently to the pilot.
func startTheta(l stageLayout, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 5))
	theta := make([]float64, l.size())
	dct := solve.DCTBasisWithMean(PatchSize)
	for t := range l.transforms {
		w := l.transform(theta, t)
		for i, v := range dct.W {
			w.W[i] = v + 0.003*rng.NormFloat64()
		}
	}
	f := l.weightFunction(theta)
	for i := range f.A {
		f.A[i] = 0.3 * rng.NormFloat64()
	}
	for i := range f.B {
		f.B[i] = 0.02 * rng.NormFloat64()
	}
	for h := range f.Position {
		f.Position[h] = 0.3 * rng.NormFloat64()
		bias := 0.3 * rng.NormFloat64()
		for t := range l.transforms {
			f.Bias[t][h] = bias
		}
	}
	l.setScalars(theta, -0.3, 0.9, -1.2)
	return theta
}
