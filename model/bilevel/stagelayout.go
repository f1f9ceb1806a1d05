package bilevel

import "github.com/blorc-denoise/blorc-denoise/model"

// stageLayout says where the parameters of a non-local stage lie in theta: the transforms, then the hidden units' biases
// of each transform, then what all share.
type stageLayout struct{ transforms, k, n, hidden int }

func (l stageLayout) size() int {
	return l.transforms*(l.k*l.n+l.hidden) + l.hidden*(model.WeightFeatures+3) + 3
}

func (l stageLayout) transform(theta []float64, t int) model.Transform {
	return model.Transform{K: l.k, N: l.n, W: theta[t*l.k*l.n : (t+1)*l.k*l.n]}
}

func (l stageLayout) bias(theta []float64, t int) []float64 {
	return theta[l.transforms*l.k*l.n+t*l.hidden:][:l.hidden]
}

// weightFunction shares its slices with theta.
func (l stageLayout) weightFunction(theta []float64) model.WeightFunction {
	rest := theta[l.transforms*(l.k*l.n+l.hidden):]
	cut := func(n int) []float64 {
		part := rest[:n]
		rest = rest[n:]
		return part
	}
	f := model.WeightFunction{A: cut(l.hidden * model.WeightFeatures), B: cut(l.hidden * 2), Position: cut(l.hidden)}
	f.B0, f.A0, f.B1 = rest[0], rest[1], rest[2]
	for t := range l.transforms {
		f.Bias = append(f.Bias, l.bias(theta, t))
	}
	return f
}

// setScalars writes what weightFunction copies.
func (l stageLayout) setScalars(theta []float64, b0, a0, b1 float64) {
	copy(theta[l.size()-3:], []float64{b0, a0, b1})
}

// take copies the parameters of a stage of the same layout.
func (l stageLayout) take(theta []float64, s *model.NonLocal) {
	for t, w := range s.Transforms {
		copy(l.transform(theta, t).W, w.W)
		copy(l.bias(theta, t), s.Weights.Bias[t])
	}
	f := l.weightFunction(theta)
	copy(f.A, s.Weights.A)
	copy(f.B, s.Weights.B)
	copy(f.Position, s.Weights.Position)
	l.setScalars(theta, s.Weights.B0, s.Weights.A0, s.Weights.B1)
}
