package paper

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/paper/report"
	"github.com/blorc-denoise/blorc-denoise/train"
)

func quiet(effort float64) Setting {
	return Setting{Effort: effort, Seed: 1, Log: func(string, ...any) {}}
}

func TestPiecewiseConstantHasItsJumps(t *testing.T) {
	p := PiecewiseConstant(40, 2, 5).Draw(200, 0.1, 3)
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
		t.Errorf("numbers of jumps: %v", seen)
	}
	if got := PSNR(p.Clean, p.Noisy); math.Abs(got-20) > 0.4 {
		t.Errorf("noise of 0.1 gives %.2f dB", got)
	}
}

func TestHarmonicsAreSparse(t *testing.T) {
	const n = 32
	z := make([]float64, n)
	for _, x := range Harmonics(n, 4, 10).Draw(50, 0, 1).Clean {
		DCT1D(n).Analyze(z, x)
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
	for _, w := range []solve.Transform{DCT1D(16), Haar(16)} {
		for i := range w.K {
			for j := range w.K {
				want := 0.0
				if i == j {
					want = 1
				}
				if got := floats.Dot(w.Row(i), w.Row(j)); math.Abs(got-want) > 1e-12 {
					t.Fatalf("rows %d and %d: %g", i, j, got)
				}
			}
		}
	}
}

func TestMatchRowsUndoesAShuffle(t *testing.T) {
	want := DCT1D(16)
	rng := rand.New(rand.NewPCG(1, 1))
	w := solve.NewTransform(16, 16)
	for i, j := range rng.Perm(16) {
		floats.AddScaled(w.Row(j), float64(2*rng.IntN(2)-1), want.Row(i))
	}
	got, cosine := MatchRows(w, want)
	if d := floats.Distance(got.W, want.W, math.Inf(1)); d > 1e-12 || math.Abs(cosine-1) > 1e-9 {
		t.Errorf("%g away, cosine %g", d, cosine)
	}
	got, _ = MatchRows(w, FiniteDifferences(16, 1)) // one row more than the reference: none is lost
	for i, norm := range got.RowNorms() {
		if math.Abs(norm-1) > 1e-9 {
			t.Errorf("row %d has norm %g", i, norm)
		}
	}
}

// Exact TV and the exact solver with finite differences are the same problem.
func TestTunedTVIsTheSolverWithFiniteDifferences(t *testing.T) {
	p := PiecewiseConstant(24, 1, 3).Draw(20, 0.1, 1)
	ref := tunedTV(p)
	for i, x := range Denoise(ref.operator, p.Noisy, 2) {
		if d := floats.Distance(x, ref.apply(p.Noisy[i : i+1])[0], math.Inf(1)); d > 1e-8 {
			t.Errorf("signal %d: %g apart", i, d)
		}
	}
}

func TestLearningLowersTheLossAndRepeats(t *testing.T) {
	g := PiecewiseConstant(16, 1, 2)
	train, test := g.Draw(200, 0.1, 1), g.Draw(100, 0.1, 2)
	l := Learning{Start: solve.Identity(16, 0.05), Adam: true, Rate: 3e-3, Steps: 60, Batch: 50, Seed: 1, Workers: 1, Points: 3}
	w, curve, err := l.Run(context.Background(), train, test)
	if err != nil {
		t.Fatal(err)
	}
	if last := len(curve.Step) - 1; last != 3 || curve.Validation[last] > 0.8*curve.Validation[0] || curve.Training[last] > 0.8*curve.Training[0] {
		t.Errorf("losses %v and %v", curve.Training, curve.Validation)
	}
	l.Workers = 3
	again, _, err := l.Run(context.Background(), train, test)
	if err != nil || floats.Distance(w.W, again.W, math.Inf(1)) != 0 {
		t.Error("another number of workers gives another transform")
	}
}

// With a rate that only does harm the start is what is kept.
func TestLearningKeepsTheBestOnValidation(t *testing.T) {
	g := PiecewiseConstant(16, 1, 2)
	train, validation := g.Draw(200, 0.1, 1), g.Draw(100, 0.1, 2)
	ref := tunedTV(train)
	for _, rate := range []float64{1e-4, 1} {
		l := Learning{Start: square(ref.operator), Adam: true, Rate: rate, Steps: 20, Batch: 50, Seed: 1}
		w, curve, err := l.Run(context.Background(), train, validation)
		if err != nil {
			t.Fatal(err)
		}
		if got := Loss(w, validation, 0); got > curve.Validation[0] || got != floats.Min(curve.Validation) {
			t.Errorf("rate %g: loss %g after %v", rate, got, curve.Validation)
		}
		if rate == 1 && (curve.Best() != 0 || floats.Distance(w.W, l.Start.W, math.Inf(1)) != 0) {
			t.Errorf("kept at step %g: %v", curve.Best(), curve.Validation)
		}
	}
}

func TestSegmentMeansKnowsTheJumps(t *testing.T) {
	got := segmentMeans([]float64{1, 1, 3, 3, 3, 1}, []float64{0, 2, 3, 4, 5, 7})
	if want := []float64{1, 1, 4, 4, 4, 7}; !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}

// A part is made once for one command, and anew for another.
func TestPartsAreKept(t *testing.T) {
	sh := &sheet{parts: t.TempDir()}
	sh.Name, sh.Command = "x", "one"
	made := 0
	get := func() float64 {
		v, err := kept(sh, "one part/of two", func() (float64, error) { made++; return float64(made), nil })
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if a, b := get(), get(); a != 1 || b != 1 || sh.Seconds <= 0 {
		t.Errorf("%g, then %g, %g s", a, b, sh.Seconds)
	}
	sh.Command = "two"
	if v := get(); v != 2 {
		t.Errorf("the part of another command was taken: %g", v)
	}
	if _, err := kept(sh, "failing", func() (float64, error) { return 0, context.Canceled }); err == nil {
		t.Error("no error")
	}
	if files, _ := filepath.Glob(filepath.Join(sh.parts, "*")); len(files) != 1 {
		t.Errorf("files %v", files)
	}
}

func TestHuberLossIsAnObjective(t *testing.T) {
	p := PiecewiseConstant(8, 1, 2).Draw(12, 0.1, 1)
	o := &huberLoss{8, 8, 0.1, 12, 2, &train.Signals{Clean: p.Clean, Noisy: p.Noisy}}
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
			t.Fatalf("element %d: %g, not %g", i, grad[i], want)
		}
	}
}

// Every experiment runs on drawn data, gives something to see, and survives being kept as JSON.
func TestExperimentsRun(t *testing.T) {
	for _, e := range Experiments() {
		if e.NeedsData {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			section, err := e.Run(context.Background(), quiet(1e-6))
			if err != nil {
				t.Fatal(err)
			}
			if len(section.Tables)+len(section.Figures) == 0 || !strings.Contains(section.Command, e.Name) {
				t.Errorf("an empty section: %+v", section)
			}
			for _, table := range section.Tables {
				for _, row := range table.Rows {
					if len(row) != len(table.Head) {
						t.Errorf("table %q: %d cells under %d heads: %v", table.Caption, len(row), len(table.Head), row)
					}
					if strings.Contains(strings.Join(row, " "), "NaN") {
						t.Errorf("table %q: %v", table.Caption, row)
					}
				}
			}
			data, err := json.Marshal(section)
			var back report.Section
			if err != nil || json.Unmarshal(data, &back) != nil {
				t.Error(err)
			}
		})
	}
}

// What the section on conventions says, as facts.
func TestConventions(t *testing.T) {
	if with, without := halfMatters(1); with > 1e-9 || without < 0.01 {
		t.Errorf("closed form minus minimizer: %g with the 1/2, %g without", with, without)
	}
	if whole, half := nonzeroAt(1, 1), nonzeroAt(0.5, 1); whole > 0.15 || half < 0.4 {
		t.Errorf("%g of the samples are left at I, %g at I/2", whole, half)
	}
	p := PiecewiseConstant(64, 3, 6).Draw(50, 0, 1)
	if strong, weak := noiselessLoss(p, 0.15), noiselessLoss(p, 0.0015); weak <= 0 || strong < 1000*weak {
		t.Errorf("without noise the finite differences lose %g, and %g at a hundredth of the strength", strong, weak)
	}
	if printed, corrected := blockInverse(1); corrected > 1e-9 || printed < 0.1 {
		t.Errorf("block inverse: %g as printed, %g corrected", printed, corrected)
	}
}

// Every table and figure of the paper has its section.
func TestAllOfThePaperHasItsPlace(t *testing.T) {
	var labels []string
	for _, e := range Experiments() {
		labels = append(labels, strings.Split(e.Label, ", ")...)
	}
	for _, label := range []string{"comp_table", "fig:signs", "fig:lertran", "fig:unsup", "fig:imagestrips", "fig:urban100", "Tab:image_Table", "Tab:Comparedenoise",
		"table:compare", "fig:hubercomps", "fig:noiselevels", "fig:loss", "fig:1dcase"} {
		if !slices.Contains(labels, label) {
			t.Errorf("%s has no section", label)
		}
	}
}

func TestAnInterruptedExperimentEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, e := range Experiments() {
		if e.Name == "conventions" || e.NeedsData {
			continue // seconds only, or nothing to read
		}
		if _, err := e.Run(ctx, quiet(1e-6)); err == nil {
			t.Errorf("%s ran to its end", e.Name)
		}
	}
}
