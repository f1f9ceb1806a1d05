package train

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// Optimizer changes parameters along a gradient.
type Optimizer interface {
	// Step updates theta in place. grad has the length of theta.
	Step(theta, grad []float64, rate float64)
	// State returns the memory of the optimizer for checkpoints. Copying into these slices restores it.
	State() [][]float64
}

// GradientDescent is the update of the paper's Algorithm 1: W = W - rate dQ/dW.
type GradientDescent struct{}

// Step implements Optimizer.
func (GradientDescent) Step(theta, grad []float64, rate float64) {
	for i, g := range grad {
		theta[i] -= rate * g
	}
}

// State implements Optimizer. It returns nil.
func (GradientDescent) State() [][]float64 { return nil }

// Adam is the method of Kingma and Ba, Adam: a method for stochastic optimization, ICLR 2015, with its usual constants.
// It trains transforms far faster than gradient descent.
type Adam struct {
	Limit   float64 // a longer gradient is shortened to this length; 0 = none
	Workers int     // number of processors to use; 0 = one

	step []float64 // one element: the number of steps taken
	m, v []float64
}

// NewAdam returns an optimizer for the given number of parameters.
func NewAdam(size int) *Adam {
	size = max(size, 0)
	return &Adam{step: make([]float64, 1), m: make([]float64, size), v: make([]float64, size)}
}

// Step implements Optimizer. theta must have as many elements as the optimizer was made for; Trainer.Run checks this.
func (a *Adam) Step(theta, grad []float64, rate float64) {
	const beta1, beta2, epsilon = 0.9, 0.999, 1e-12
	a.step[0]++
	c1, c2 := 1-math.Pow(beta1, a.step[0]), 1-math.Pow(beta2, a.step[0])
	scale := 1.0
	if length := floats.Norm(grad, 2); a.Limit > 0 && length > a.Limit {
		scale = a.Limit / length
	}
	const chunk = 1 << 14
	_ = parallel.For(context.Background(), max(1, a.Workers), (len(grad)+chunk-1)/chunk, func(_, k int) {
		for i := k * chunk; i < min((k+1)*chunk, len(grad)); i++ {
			g := scale * grad[i]
			a.m[i] = beta1*a.m[i] + (1-beta1)*g
			a.v[i] = beta2*a.v[i] + (1-beta2)*g*g
			theta[i] -= rate * (a.m[i] / c1) / (math.Sqrt(a.v[i]/c2) + epsilon)
		}
	})
}

// State implements Optimizer.
func (a *Adam) State() [][]float64 { return [][]float64{a.step, a.m, a.v} }

// fits reports whether the optimizer was made for the given number of parameters. The zero Adam fits none.
func (a *Adam) fits(size int) bool { return a != nil && len(a.step) == 1 && len(a.m) == size }
