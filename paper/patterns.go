package paper

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/paper/closedform"
	"github.com/blorc-denoise/blorc-denoise/paper/gradient"
	"github.com/blorc-denoise/blorc-denoise/paper/onedim"
	"github.com/blorc-denoise/blorc-denoise/paper/report"
)

// patterns runs the experiments on the local analysis of the closed form.
func patterns(ctx context.Context, s Setting, sec *sectionBuilder) error {
	scalarCase(sec)
	stiefelCase(sec)
	orthonormalCase(s, sec)
	return stability(ctx, s, sec)
}

// scalarCase draws fig:signs for y = 1, x_t = 0.6.
func scalarCase(sec *sectionBuilder) {
	const y, target = 1.0, 0.6
	sign, loss := report.Series{Name: "c(w) = sign(w x*)"}, report.Series{Name: "Q(w) = (x* - x)²"}
	for i := -300; i <= 300; i++ {
		w := float64(i) / 200
		x := closedform.Scalar(w, y)
		c := 0.0
		if w*x != 0 {
			c = math.Copysign(1, w*x)
		}
		sign.X, sign.Y = append(sign.X, w), append(sign.Y, c)
		loss.X, loss.Y = append(loss.X, w), append(loss.Y, (x-target)*(x-target))
	}
	sec.figure(fmt.Sprintf("fig:signs: the scalar problem for y = %g and x = %g. The pattern is piecewise constant. "+
		"Q has kinks at w = 0 and w = ±y, and none of them is a minimum.", y, target),
		sec.lines(report.Axes{Title: "sign pattern", X: "w", Steps: true}, sign),
		sec.lines(report.Axes{Title: "upper-level loss", X: "w"}, loss))
}

// stiefelCase draws fig:1dcase: rotations W of the plane, and the angles at which an element of W y has the absolute
// value lambda. The curves of the paper, w1 + b (1 - w1^2)^(1/2) = c, are the same conditions, written for the first
// column of W.
func stiefelCase(sec *sectionBuilder) {
	const lambda = 0.5
	y := [2]float64{0.8, 0.6}
	element := func(name string, row int) report.Series {
		out := report.Series{Name: name}
		for i := range 721 {
			a := float64(i) * math.Pi / 360
			w := [2][2]float64{{math.Cos(a), math.Sin(a)}, {-math.Sin(a), math.Cos(a)}}
			out.X, out.Y = append(out.X, 180*a/math.Pi), append(out.Y, w[row][0]*y[0]+w[row][1]*y[1])
		}
		return out
	}
	level := func(name string, v float64) report.Series {
		return report.Series{Name: name, X: []float64{0, 360}, Y: []float64{v, v}}
	}
	first, second := element("(W y) 1", 0), element("(W y) 2", 1)
	crossings := 0
	for _, e := range []report.Series{first, second} {
		for i := 1; i < len(e.Y); i++ {
			for _, v := range []float64{lambda, -lambda} {
				if (e.Y[i]-v)*(e.Y[i-1]-v) < 0 {
					crossings++
				}
			}
		}
	}
	sec.figure(fmt.Sprintf("fig:1dcase: all rotations of the plane by their angle. The orthogonal 2 x 2 matrices are "+
		"this one curve and its mirror image. "+
		"The closed form is not differentiable where a curve meets ±λ. That happens at %d points, which is a set of "+
		"measure zero.", crossings),
		sec.lines(report.Axes{Title: "elements of W y, λ = 0.5", X: "angle of W, degrees", Width: 16}, first, second,
			level("λ", lambda), level("-λ", -lambda)))
}

// orthonormalCase compares the formula of section:ortho with the exact solver.
func orthonormalCase(s Setting, sec *sectionBuilder) {
	const n, trials = 32, 200
	rng := rand.New(rand.NewPCG(s.Seed, 51))
	worst := 0.0
	for range trials / 20 {
		var q mat.Dense
		m := mat.NewDense(n, n, nil)
		m.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, m)
		onedim.Procrustes(&q, m)
		w := solve.Transform{K: n, N: n, W: append([]float64(nil), q.RawMatrix().Data...)}.Scale(0.3)
		noisy := piecewiseConstant(n, 2, 4).draw(20, 0.1, rng.Uint64()).Noisy
		want := make([]float64, n)
		for i, x := range denoise(w, noisy, 1) {
			closedform.Orthonormal(want, w, noisy[i])
			worst = max(worst, floats.Distance(x, want, math.Inf(1)))
		}
	}
	sec.say("section:ortho: for orthonormal W the solution is W'S(Wy). Its largest difference from the exact solver "+
		"over %d random orthogonal matrices and signals is %.1e.", trials, worst)
}

// stability repeats the experiment on whether small disturbances of W keep the sign pattern.
func stability(ctx context.Context, s Setting, sec *sectionBuilder) error {
	const n, eta, gamma = 64, 1e-8, 1e-3
	trials := s.count(5000, 30)
	sec.Size = fmt.Sprintf("%d disturbances of each W (paper: thousands)", trials)
	rng := rand.New(rand.NewPCG(s.Seed, 52))
	random := normal(n, n, 1, rng)
	t := report.Table{Caption: fmt.Sprintf("Share of disturbances up to %g in each element that keep the sign "+
		"pattern, n = %d", eta, n),
		Head: []string{"W", "nonzero of pattern", "kept, exact signs", "kept, threshold γ = 1e-3", "paper"}}
	for _, c := range []struct {
		name string
		w    solve.Transform
	}{
		{"identity", solve.Identity(n, 1)}, {"identity, paper's convention", solve.Identity(n, 0.5)},
		{"finite differences, 63 rows", finiteDifferences(n, 0.15)},
		{"finite differences and a row of zeros", square(finiteDifferences(n, 0.15))},
		{"zero", solve.NewTransform(n, n)}, {"random, N(0,1)", random}, {"random, times 0.02", random.Scale(0.02)},
	} {
		kept, thresholded, nonzero := 0, 0, 0
		for trial := range trials {
			if err := ctx.Err(); err != nil {
				return err
			}
			y := piecewiseConstant(n, 3, 6).draw(1, 0.1, s.Seed+uint64(trial/20)).Noisy[0]
			near := c.w.Clone()
			for i := range near.W {
				near.W[i] += eta * (2*rng.Float64() - 1)
			}
			a, aThreshold := patternOf(c.w, y, gamma)
			b, bThreshold := patternOf(near, y, gamma)
			nonzero += len(a.Nonzero())
			if slices.Equal(a, b) {
				kept++
			}
			if slices.Equal(aThreshold, bThreshold) {
				thresholded++
			}
		}
		share := func(v int) string { return fmt.Sprintf("%.1f %%", 100*float64(v)/float64(trials)) }
		t.Add(c.name, fmt.Sprintf("%.1f", float64(nonzero)/float64(trials)), share(kept), share(thresholded), "100 %")
	}
	sec.table(t)
	sec.say("The paper reports that no disturbance ever changed the pattern. That holds if no row of W is zero. For " +
		"a row of zeros, and so for the zero matrix, it cannot hold exactly: " +
		"a disturbed row d gives d·x*, which is not 0 for almost every d, so the exact sign changes at once. It only " +
		"stays with the threshold γ of Algorithm 1.")
	return nil
}

// patternOf returns the signs of W x* in two ways: exact, with the zeros from the KKT conditions, and by the threshold
// gamma of the paper.
func patternOf(w solve.Transform, y []float64, gamma float64) (exact, thresholded closedform.SignPattern) {
	sol, z := gradient.Exact(w, y), make([]float64, w.K)
	w.Analyze(z, sol.X)
	return sol.Pattern, closedform.NewSignPattern(z, gamma)
}
