package kernel

import (
	"math"
	"testing"
)

// With orthonormal rows, each row is a problem of its own: 1/2 (z-c)^2 + d |z| + e |z-p|. Its minimum is at 0, at p, or
// where the derivative of one of its smooth parts is 0. The matrix of an iteration is then the identity divided by 1 +
// 2 rho.
func TestDualStepPairSolvesItsProblem(t *testing.T) {
	const n, relaxation, iterations = 8, 1.7, 400
	for _, b := range backends {
		p := newProblem(n, n, normal(9))
		rho := func(i int) float64 { return 0.5 * math.Pow(1.2, float64(min(i, 8))) }
		matrix := func(rho float64) *Matrix {
			a := make([]float32, n*n)
			for i := range n {
				a[i*n+i] = float32(1 / (1 + 2*rho))
			}
			return pack(b, a, n, n)
		}
		step := func(now, next float64) PairStep {
			ratio := next / now
			return PairStep{C1: float32(1 - (1-relaxation)*ratio), C2: float32((2 - relaxation) * ratio),
				Rho: float32(now), Scale: float32(now * relaxation), Next: float32(2 * next)}
		}
		v, next := p.v, p.q
		StartPair(v, matrix(1), p.pair, step(rho(0), rho(0)))
		for i := range iterations {
			DualStepPair(next, matrix(rho(i)), v, p.pair, step(rho(i), rho(i+1)))
			v, next = next, v
		}
		solution := make([]float32, n*Lanes)
		Mul(solution, matrix(rho(iterations)), v)
		for at, c := range p.pair.Y {
			want := twoPenalties(float64(c), float64(p.pair.D[at]), float64(p.pair.E[at]), float64(p.pair.P[at]))
			if got := float64(c + solution[at]); !(math.Abs(got-want) < 1e-5) {
				t.Errorf("%s: row %d, lane %d: %g instead of %g", b.name, at/Lanes, at%Lanes, got, want)
			}
		}
	}
}

func twoPenalties(c, d, e, p float64) (best float64) {
	objective := func(z float64) float64 { return (z-c)*(z-c)/2 + d*math.Abs(z) + e*math.Abs(z-p) }
	for _, z := range []float64{p, c - d - e, c - d + e, c + d - e, c + d + e} {
		if objective(z) < objective(best) {
			best = z
		}
	}
	return best
}
