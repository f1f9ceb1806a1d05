package train

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/bilevel"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// signals makes pairs as in the paper's 1-D experiment, in units of sigma.
func signals(count, n int) *Signals {
	rng := rand.New(rand.NewPCG(1, 1))
	s := &Signals{Seed: 3}
	for range count {
		clean, noisy := randomPair(n, 10, rng)
		s.Clean, s.Noisy = append(s.Clean, clean), append(s.Noisy, noisy)
	}
	return s
}

func signalPhase(o Optimizer, rate Rate, workers, steps int) (Phase, solve.Transform) {
	w := solve.Identity(16, 0.3)
	return Phase{Name: "signals", Optimizer: o, Rate: rate, Steps: steps,
		Objective: &Transforms{K: 16, N: 16, Sources: []Source{signals(200, 16)}, BatchSize: 60, Workers: workers}}, w
}

// lossOf is the mean upper-level loss over all the signals, by the definition.
func lossOf(t *testing.T, w solve.Transform, s *Signals) (sum float64) {
	for i, y := range s.Noisy {
		solver := bilevel.NewSolver(w)
		solver.Solve(solver.NewWorkspace(), y, func(_ int, sol *bilevel.Solution) {
			sum += bilevel.NewGradientSum(w.K, w.N).Add(make([]float64, len(w.W)), sol, s.Clean[i])
		})
	}
	return sum / float64(len(s.Noisy))
}

func TestTrainingLowersTheLoss(t *testing.T) {
	for name, c := range map[string]struct {
		o    Optimizer
		rate Rate
	}{"gradient descent": {GradientDescent{}, ConstantRate(5e-3)}, "Adam": {NewAdam(256), DecayingRate(1e-2)}} {
		p, w := signalPhase(c.o, c.rate, 0, 150)
		before := lossOf(t, w, signals(200, 16))
		if err := new(Trainer).Run(context.Background(), p, w.W); err != nil {
			t.Fatal(err)
		}
		after := lossOf(t, w, signals(200, 16))
		t.Logf("%s: loss %.3f to %.3f", name, before, after)
		if !(after < 0.85*before) {
			t.Errorf("%s: loss %g before and %g after training", name, before, after)
		}
	}
}

func TestTrainingIsBitIdenticalForAnyWorkers(t *testing.T) {
	var want []float64
	for _, workers := range []int{1, 2, 3, 8} {
		p, w := signalPhase(NewAdam(256), DecayingRate(1e-2), workers, 20)
		if err := new(Trainer).Run(context.Background(), p, w.W); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = w.W
		} else if !slices.Equal(w.W, want) {
			t.Errorf("%d workers train other bits than one", workers)
		}
	}
}

func TestTrainingResumesBitIdentical(t *testing.T) {
	p, whole := signalPhase(NewAdam(256), DecayingRate(1e-2), 0, 30)
	if err := new(Trainer).Run(context.Background(), p, whole.W); err != nil {
		t.Fatal(err)
	}
	for _, stop := range []int{1, 7, 29} {
		ctx, cancel := context.WithCancel(context.Background())
		var saved []byte
		tr := &Trainer{SaveEvery: 5, ReportEvery: 1, Save: func(data []byte) error { saved = data; return nil },
			Report: func(p Progress) {
				if p.Step == stop {
					cancel()
				}
			}}
		if err := tr.Resume("test", nil); err != nil {
			t.Fatal(err)
		}
		p, w := signalPhase(NewAdam(256), DecayingRate(1e-2), 0, 30)
		if err := tr.Run(ctx, p, w.W); !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped at %d: %v", stop, err)
		}
		again := new(Trainer)
		if err := again.Resume("test", saved); err != nil {
			t.Fatal(err)
		}
		p, w = signalPhase(NewAdam(256), DecayingRate(1e-2), 0, 30)
		if err := again.Run(context.Background(), p, w.W); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(w.W, whole.W) {
			t.Errorf("resumed at %d: other bits than without a stop", stop)
		}
	}
}

func TestResumeRefusesWhatDoesNotFit(t *testing.T) {
	var saved []byte
	tr := &Trainer{SaveEvery: 1, Save: func(data []byte) error {
		if saved == nil {
			saved = data
		}
		return nil
	}}
	if err := tr.Resume("one", nil); err != nil {
		t.Fatal(err)
	}
	p, w := signalPhase(NewAdam(256), DecayingRate(1e-2), 0, 3)
	if err := tr.Run(context.Background(), p, w.W); err != nil {
		t.Fatal(err)
	}
	if err := new(Trainer).Resume("another", saved); !errors.Is(err, ErrCheckpoint) {
		t.Errorf("another fingerprint: %v", err)
	}
	flipped := bytes.Clone(saved)
	flipped[len(flipped)/2] ^= 1
	for name, bad := range map[string][]byte{"flipped bit": flipped, "cut": saved[:len(saved)-9], "empty": {}} {
		if err := new(Trainer).Resume("one", bad); !errors.Is(err, ErrCheckpoint) {
			t.Errorf("%s: %v", name, err)
		}
	}
	again := new(Trainer)
	if err := again.Resume("one", saved); err != nil {
		t.Fatal(err)
	}
	p, w = signalPhase(GradientDescent{}, ConstantRate(1), 0, 3)
	if err := again.Run(context.Background(), p, w.W); !errors.Is(err, ErrCheckpoint) {
		t.Errorf("another optimizer: %v", err)
	}
}

type nanObjective struct{}

func (nanObjective) Gradient(context.Context, int, []float64, []float64) (Batch, error) {
	return Batch{Loss: math.NaN(), Samples: 1}, nil
}

func TestTrainingStopsWhenItDiverges(t *testing.T) {
	p := Phase{Name: "nan", Objective: nanObjective{}, Optimizer: GradientDescent{}, Steps: 3, Rate: ConstantRate(1)}
	if err := new(Trainer).Run(context.Background(), p, make([]float64, 4)); !errors.Is(err, ErrDiverged) {
		t.Errorf("error %v", err)
	}
}

func TestSignalsGivesEachPairOnceAnEpoch(t *testing.T) {
	s := &Signals{Seed: 5}
	for i := range 10 {
		s.Clean = append(s.Clean, []float64{float64(i)})
		s.Noisy = append(s.Noisy, []float64{float64(-i)})
	}
	var got []int
	for step := range 5 { // batches of 4 run over the end of epochs of 10
		s.Begin(step, 4)
		for i := range 4 {
			clean, noisy := []float64{0}, []float64{0}
			s.Sample(i, clean, noisy)
			if clean[0] != -noisy[0] {
				t.Fatal("a clean signal with the noisy one of another")
			}
			got = append(got, int(clean[0]))
		}
	}
	for epoch := range 2 {
		seen := slices.Sorted(slices.Values(got[10*epoch : 10*epoch+10]))
		if !slices.Equal(seen, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
			t.Errorf("epoch %d has %v", epoch, seen)
		}
	}
	if slices.Equal(got[:10], got[10:]) {
		t.Error("two epochs in the same order")
	}
}

// textured draws a plane with stripes of several directions on a scale of 0 to 1.
func textured(width, height int, phase float64) patchify.Plane {
	p := patchify.NewPlane(width, height)
	for i := range p.Pix {
		x, y := float64(i%width), float64(i/width)
		v := 0.5 + 0.2*math.Sin(0.9*x+phase)*math.Sin(0.02*y)
		if int(x+2*y)/17%2 == 0 {
			v += 0.2
		}
		p.Pix[i] = float32(v)
	}
	return p
}

func smallData() Data {
	return Data{Groups: [][]Pair{{{Clean: textured(80, 70, 0)}}, {{Clean: textured(64, 64, 1)}, {Clean: textured(40, 90, 2)}}},
		Validation: []Pair{{Clean: textured(60, 60, 3)}}, Sigma: 0.1, Seed: 1}
}

func smallLocal() LocalRecipe {
	return LocalRecipe{BatchSize: 48, Start: 0.9, PilotSteps: 15, UnionSteps: 5, PilotRate: 1e-2, UnionRate: 1e-2,
		Clusters: 3, Crops: 6, CropSize: 48, KMeansPoints: 500}
}

func TestLocalRecipeSameFileForAnyWorkersAndAfterResume(t *testing.T) {
	var want []byte
	for _, workers := range []int{1, 3} {
		d := smallData()
		d.Workers = workers
		var checkpoints [][]byte
		tr := &Trainer{SaveEvery: 4, Save: func(data []byte) error { checkpoints = append(checkpoints, data); return nil }}
		if err := tr.Resume(d.Fingerprint(smallLocal()), nil); err != nil {
			t.Fatal(err)
		}
		m, err := smallLocal().Train(context.Background(), tr, d)
		if err != nil {
			t.Fatal(err)
		}
		data, err := m.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = data
		} else if !bytes.Equal(data, want) {
			t.Errorf("%d workers write another file than one", workers)
		}
		if noise := -20 * math.Log10(d.Sigma); !(m.ValidationPSNR > noise+2) {
			t.Errorf("validation %g dB, the noisy image %g", m.ValidationPSNR, noise)
		}
		for i, c := range checkpoints {
			if i%2 == 1 { // every second one is enough
				continue
			}
			again := new(Trainer)
			if err := again.Resume(d.Fingerprint(smallLocal()), c); err != nil {
				t.Fatal(err)
			}
			m, err := smallLocal().Train(context.Background(), again, d)
			if err != nil {
				t.Fatal(err)
			}
			if data, _ := m.Marshal(); !bytes.Equal(data, want) {
				t.Errorf("resumed from checkpoint %d: another file", i)
			}
		}
	}
}

func TestLocalRecipeWithNoisyImages(t *testing.T) {
	d := smallData()
	for _, g := range append(d.Groups, d.Validation) {
		for i := range g {
			g[i].Noisy = patchify.NewPlane(g[i].Clean.Width, g[i].Clean.Height)
			rng := rand.New(rand.NewPCG(9, uint64(i)))
			for j, v := range g[i].Clean.Pix {
				g[i].Noisy.Pix[j] = v + float32(0.1*rng.NormFloat64())
			}
		}
	}
	m, err := smallLocal().Train(context.Background(), new(Trainer), d)
	if err != nil {
		t.Fatal(err)
	}
	if m.ValidationPSNR < 21 {
		t.Errorf("validation %g dB", m.ValidationPSNR)
	}
}

func TestPaperRecipeStacksOneTransformForEachGroup(t *testing.T) {
	r := PaperRecipe{BatchSize: 48, Steps: 20, Rate: 1e-2, Adam: true, Start: 0.3}
	m, err := r.Train(context.Background(), new(Trainer), smallData())
	if err != nil {
		t.Fatal(err)
	}
	if w := m.Stages[0].Filters()[0]; w.K != 128 || w.N != 64 {
		t.Errorf("a stack of %d x %d", w.K, w.N)
	}
}

func TestRecipesRefuseBadData(t *testing.T) {
	for name, change := range map[string]func(*Data){
		"no images":   func(d *Data) { d.Groups = nil },
		"empty group": func(d *Data) { d.Groups[0] = nil },
		"sigma":       func(d *Data) { d.Sigma = 0 },
		"small":       func(d *Data) { d.Groups[0][0].Clean = textured(7, 30, 0) },
		"sizes":       func(d *Data) { d.Groups[0][0].Noisy = textured(8, 8, 0) },
	} {
		d := smallData()
		change(&d)
		for _, r := range []interface {
			Train(context.Context, *Trainer, Data) (*model.Model, error)
		}{smallLocal(), PaperRecipe{BatchSize: 48, Steps: 1, Rate: 1e-2}} {
			if _, err := r.Train(context.Background(), new(Trainer), d); err == nil {
				t.Errorf("%s: %T trained", name, r)
			}
		}
	}
}

func TestKMeansFindsSeparateClusters(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	var points [][]float32
	for i := range 300 {
		points = append(points, []float32{float32(10*(i%3)) + float32(rng.NormFloat64()), float32(rng.NormFloat64())})
	}
	var want [][]float64
	for _, workers := range []int{1, 4} {
		c, err := kMeans(context.Background(), points, 3, 10, workers, rand.New(rand.NewPCG(3, 3)))
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(c, func(a, b []float64) int { return int(a[0] - b[0]) })
		for i := range c {
			if math.Abs(c[i][0]-float64(10*i)) > 0.5 || math.Abs(c[i][1]) > 0.5 {
				t.Errorf("centroid %d at %v", i, c[i])
			}
		}
		if want == nil {
			want = c
		} else if !slices.EqualFunc(c, want, slices.Equal) {
			t.Error("centroids depend on the number of workers")
		}
	}
}

func TestOrientationsAreTheEightOfTheSquare(t *testing.T) {
	p := patchify.Plane{Width: 3, Height: 2, Pix: []float32{1, 2, 3, 4, 5, 6}}
	seen := map[[6]float32]bool{}
	for o := range 8 {
		q := orient(p, o)
		if (o&1 == 0) != (q.Width == 3) {
			t.Errorf("orientation %d is %d x %d", o, q.Width, q.Height)
		}
		sorted := slices.Sorted(slices.Values(q.Pix))
		if !slices.Equal(sorted, p.Pix) {
			t.Errorf("orientation %d has samples %v", o, q.Pix)
		}
		seen[[6]float32(q.Pix)] = true
	}
	if len(seen) != 8 {
		t.Errorf("%d different orientations", len(seen))
	}
}
