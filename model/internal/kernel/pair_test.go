package kernel

import (
	"math"
	"testing"
)

// With orthonormal rows the problem of two penalties falls apart into one number for each row:
// 1/2 (z-c)^2 + d |z| + e |z-p|, whose minimum is at 0, at p, or where one of its straight parts has slope 0.
func TestDualStepPairSolvesItsProblem(t *testing.T) {
	const n, relaxation, iterations = 8, 1.7, 400
	w, wt := dct(n)
	for _, b := range backends {
		p := newProblem(n, n, normal(9))
		rows, transposed := pack(b, w, n, n), pack(b, wt, n, n)
		clear(p.pair.Q)
		clear(p.pair.R)
		rho := func(i int) float64 { return 0.5 * math.Pow(1.2, float64(min(i, 8))) }
		for i, v := range p.y {
			p.x[i] = float32(rho(0)) * v
		}
		dual := func(now, next float64) {
			ratio := next / now
			DualStepPair(p.v, rows, p.x, p.pair, float32(1-(1-relaxation)*ratio), float32((2-relaxation)*ratio), float32(now))
		}
		primal := func(numerator, rho float64) {
			for i := range p.scale {
				p.scale[i] = float32(numerator / (1 + 2*rho))
			}
			PrimalStep(p.x, transposed, p.v, p.y, p.scale)
		}
		dual(rho(0), rho(0))
		for i := range iterations {
			primal(rho(i)*relaxation, rho(i))
			dual(rho(i), rho(i+1))
		}
		primal(1, rho(iterations))

		coefficients, solution := make([]float32, n*Lanes), make([]float32, n*Lanes)
		Mul(coefficients, rows, p.y)
		Mul(solution, rows, p.x)
		for at, c := range coefficients {
			want := twoPenalties(float64(c), float64(p.pair.D[at]), float64(p.pair.E[at]), float64(p.pair.P[at]))
			if got := float64(solution[at]); !(math.Abs(got-want) < 1e-5) {
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

// dct returns an orthonormal matrix and its transpose.
func dct(n int) (w, wt []float32) {
	w, wt = make([]float32, n*n), make([]float32, n*n)
	for i := range n {
		norm := math.Sqrt(2 / float64(n))
		if i == 0 {
			norm = math.Sqrt(1 / float64(n))
		}
		for j := range n {
			v := float32(norm * math.Cos(math.Pi*(float64(j)+0.5)*float64(i)/float64(n)))
			w[i*n+j], wt[j*n+i] = v, v
		}
	}
	return w, wt
}
