package paper

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

func quiet(effort float64) Setting {
	return Setting{Effort: effort, Seed: 1, Log: func(string, ...any) {}}
}

func TestPiecewiseConstantHasJumpsInRange(t *testing.T) {
	p := piecewiseConstant(40, 2, 5).draw(200, 0.1, 3)
	seen := map[int]bool{}
	for _, x := range p.Clean {
		jumps := 0
		for i := 1; i < len(x); i++ {
			if x[i] != x[i-1] {
				jumps++
			}
		}
		seen[jumps] = true
		if jumps < 2 || jumps > 5 || math.Abs(floats.Max(x)-1) > 1e-12 || floats.Min(x) < 0 {
			t.Fatalf("%d jumps, from %g to %g", jumps, floats.Min(x), floats.Max(x))
		}
	}
	if len(seen) != 4 {
		t.Errorf("numbers of jumps %v, want 2 to 5", seen)
	}
	if got := meanPSNR(p.Clean, p.Noisy); math.Abs(got-20) > 0.4 {
		t.Errorf("noise of 0.1 gives %.2f dB, want 20", got)
	}
}

func TestHarmonicsAreSparse(t *testing.T) {
	const n = 32
	z := make([]float64, n)
	for _, x := range harmonics(n, 4, 10).draw(50, 0, 1).Clean {
		dct1D(n).Analyze(z, x)
		nonzero := 0
		for f, v := range z {
			if math.Abs(v) > 1e-10 {
				nonzero++
				if f >= 10 {
					t.Fatalf("frequency %d", f)
				}
			}
		}
		if nonzero < 1 || nonzero > 4 {
			t.Fatalf("%d coefficients", nonzero)
		}
	}
}

func TestBasesAreOrthonormal(t *testing.T) {
	for _, w := range []solve.Transform{dct1D(16), haar(16)} {
		for i := range w.K {
			for j := range w.K {
				want := 0.0
				if i == j {
					want = 1
				}
				if got := floats.Dot(w.Row(i), w.Row(j)); math.Abs(got-want) > 1e-12 {
					t.Fatalf("rows %d and %d have product %g", i, j, got)
				}
			}
		}
	}
}

func TestMatchRowsUndoesAShuffle(t *testing.T) {
	want := dct1D(16)
	rng := rand.New(rand.NewPCG(1, 1))
	w := solve.NewTransform(16, 16)
	for i, j := range rng.Perm(16) {
		floats.AddScaled(w.Row(j), float64(2*rng.IntN(2)-1), want.Row(i))
	}
	got, cosine := matchRows(w, want)
	if d := floats.Distance(got.W, want.W, math.Inf(1)); d > 1e-12 || math.Abs(cosine-1) > 1e-9 {
		t.Errorf("differs by %g, cosine %g", d, cosine)
	}
	got, _ = matchRows(w, finiteDifferences(16, 1)) // w has one row more than the reference, and must keep it
	for i, norm := range got.RowNorms() {
		if math.Abs(norm-1) > 1e-9 {
			t.Errorf("row %d has norm %g", i, norm)
		}
	}
}

// Exact TV and the exact solver with finite differences solve the same problem.
func TestTunedTVEqualsTheSolverWithFiniteDifferences(t *testing.T) {
	p := piecewiseConstant(24, 1, 3).draw(20, 0.1, 1)
	ref := tunedTV(p)
	for i, x := range denoise(ref.operator, p.Noisy, 2) {
		if d := floats.Distance(x, ref.apply(p.Noisy[i : i+1])[0], math.Inf(1)); d > 1e-8 {
			t.Errorf("signal %d: the solutions differ by %g", i, d)
		}
	}
}

func TestLearningLowersTheLossAndRepeats(t *testing.T) {
	g := piecewiseConstant(16, 1, 2)
	train, test := g.draw(200, 0.1, 1), g.draw(100, 0.1, 2)
	l := learning{Start: solve.Identity(16, 0.05), Adam: true, Rate: 3e-3, Steps: 60, Batch: 50, Seed: 1, Workers: 1,
		Points: 3}
	w, curve, err := l.run(context.Background(), train, test)
	if err != nil {
		t.Fatal(err)
	}
	if last := len(curve.Step) - 1; last != 3 || curve.Validation[last] > 0.8*curve.Validation[0] ||
		curve.Training[last] > 0.8*curve.Training[0] {
		t.Errorf("losses %v and %v", curve.Training, curve.Validation)
	}
	l.Workers = 3
	again, _, err := l.run(context.Background(), train, test)
	if err != nil || floats.Distance(w.W, again.W, math.Inf(1)) != 0 {
		t.Error("the transform depends on the number of workers")
	}
}

// With a rate that is far too high, the start is kept.
func TestLearningKeepsTheBestOnValidation(t *testing.T) {
	g := piecewiseConstant(16, 1, 2)
	train, validation := g.draw(200, 0.1, 1), g.draw(100, 0.1, 2)
	ref := tunedTV(train)
	for _, rate := range []float64{1e-4, 1} {
		l := learning{Start: square(ref.operator), Adam: true, Rate: rate, Steps: 20, Batch: 50, Seed: 1}
		w, curve, err := l.run(context.Background(), train, validation)
		if err != nil {
			t.Fatal(err)
		}
		if got := lossOf(w, validation, 0); got > curve.Validation[0] || got != floats.Min(curve.Validation) {
			t.Errorf("rate %g: loss %g, want the least of %v", rate, got, curve.Validation)
		}
		if rate == 1 && (curve.best() != 0 || floats.Distance(w.W, l.Start.W, math.Inf(1)) != 0) {
			t.Errorf("kept at step %g, want 0: %v", curve.best(), curve.Validation)
		}
	}
}

func TestSegmentMeans(t *testing.T) {
	got := segmentMeans([]float64{1, 1, 3, 3, 3, 1}, []float64{0, 2, 3, 4, 5, 7})
	if want := []float64{1, 1, 4, 4, 4, 7}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A part is computed once for a command, and again for another command.
func TestPartsAreKept(t *testing.T) {
	sec := &sectionBuilder{parts: t.TempDir()}
	sec.Name, sec.Command = "x", "one"
	made := 0
	get := func() float64 {
		v, err := cached(sec, "one part/of two", func() (float64, error) { made++; return float64(made), nil })
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if a, b := get(), get(); a != 1 || b != 1 || sec.Seconds <= 0 {
		t.Errorf("%g, then %g, %g s", a, b, sec.Seconds)
	}
	sec.Command = "two"
	if v := get(); v != 2 {
		t.Errorf("got %g, the part of another command", v)
	}
	if _, err := cached(sec, "failing", func() (float64, error) { return 0, context.Canceled }); err == nil {
		t.Error("no error")
	}
	if files, _ := filepath.Glob(filepath.Join(sec.parts, "*")); len(files) != 1 {
		t.Errorf("files %v", files)
	}
}

func TestHuberLossIsAnObjective(t *testing.T) {
	p := piecewiseConstant(8, 1, 2).draw(12, 0.1, 1)
	o := &huberLoss{8, 8, 0.1, 12, 2, &shuffled{noisyPairs: p}}
	theta := disturbedDifferences(8, 1).W
	grad, scratch := make([]float64, 64), make([]float64, 64)
	value := func() float64 {
		b, err := o.Gradient(context.Background(), 0, theta, scratch)
		if err != nil {
			t.Fatal(err)
		}
		return b.Loss
	}
	if _, err := o.Gradient(context.Background(), 0, theta, grad); err != nil {
		t.Fatal(err)
	}
	for i, v := range theta {
		const h = 1e-6
		theta[i] = v + h
		above := value()
		theta[i] = v - h
		want := (above - value()) / (2 * h)
		theta[i] = v
		if math.Abs(grad[i]-want) > 1e-7 {
			t.Fatalf("element %d is %g, want %g", i, grad[i], want)
		}
	}
}
