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
	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/solve/solvetest"
)

// signals returns pairs as in the paper's 1-D experiment, in units of sigma.
func signals(count, n int) *pairSource {
	rng := rand.New(rand.NewPCG(1, 1))
	s := new(pairSource)
	for range count {
		clean, noisy := solvetest.Pair(n, 10, rng)
		s.clean, s.noisy = append(s.clean, clean), append(s.noisy, noisy)
	}
	return s
}

func signalPhase(o Optimizer, rate Rate, workers, steps int) (Phase, solve.Transform) {
	w := solve.Identity(16, 0.3)
	return Phase{Name: "signals", Optimizer: o, Rate: rate, Steps: steps,
		Objective: &Transforms{K: 16, N: 16, Sources: []Source{signals(200, 16)}, BatchSize: 60, Workers: workers}}, w
}

// lossOf returns the mean upper-level loss over all signals, by the definition.
func lossOf(t *testing.T, w solve.Transform, s *pairSource) (sum float64) {
	for i, y := range s.noisy {
		solver := bilevel.NewSolver(w)
		solver.Solve(solver.NewWorkspace(), y, func(_ int, sol *bilevel.Solution) {
			sum += bilevel.NewGradientSum(w.K, w.N).Add(make([]float64, len(w.W)), sol, s.clean[i])
		})
	}
	return sum / float64(len(s.noisy))
}

func TestTrainingLowersTheLoss(t *testing.T) {
	for name, c := range map[string]struct {
		o    Optimizer
		rate Rate
	}{"gradient descent": {GradientDescent{}, ConstantRate(5e-3)}, "Adam": {NewAdam(256), DecayingRate(1e-2)}} {
		p, w := signalPhase(c.o, c.rate, 0, 150)
		before := lossOf(t, w, signals(200, 16))
		must.Do(t, new(Trainer).Run(context.Background(), p, w.W))
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
		must.Do(t, new(Trainer).Run(context.Background(), p, w.W))
		if want == nil {
			want = w.W
		} else if !slices.Equal(w.W, want) {
			t.Errorf("%d workers give other bits than one", workers)
		}
	}
}

func TestTrainingResumesBitIdentical(t *testing.T) {
	p, whole := signalPhase(NewAdam(256), DecayingRate(1e-2), 0, 30)
	must.Do(t, new(Trainer).Run(context.Background(), p, whole.W))
	for _, stop := range []int{1, 7, 29} {
		ctx, cancel := context.WithCancel(context.Background())
		var saved []byte
		tr := &Trainer{SaveEvery: 5, ReportEvery: 1, Save: func(data []byte) error { saved = data; return nil },
			Report: func(p Progress) {
				if p.Step == stop {
					cancel()
				}
			}}
		must.Do(t, tr.Resume("test", nil))
		p, w := signalPhase(NewAdam(256), DecayingRate(1e-2), 0, 30)
		if err := tr.Run(ctx, p, w.W); !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped at %d: %v", stop, err)
		}
		again := new(Trainer)
		must.Do(t, again.Resume("test", saved))
		p, w = signalPhase(NewAdam(256), DecayingRate(1e-2), 0, 30)
		must.Do(t, again.Run(context.Background(), p, w.W))
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
	must.Do(t, tr.Resume("one", nil))
	p, w := signalPhase(NewAdam(256), DecayingRate(1e-2), 0, 3)
	must.Do(t, tr.Run(context.Background(), p, w.W))
	must.Fail(t, "another fingerprint", new(Trainer).Resume("another", saved), ErrCheckpoint)
	flipped := bytes.Clone(saved)
	flipped[len(flipped)/2] ^= 1
	for name, bad := range map[string][]byte{"flipped bit": flipped, "cut": saved[:len(saved)-9], "empty": {}} {
		must.Fail(t, name, new(Trainer).Resume("one", bad), ErrCheckpoint)
	}
	again := new(Trainer)
	must.Do(t, again.Resume("one", saved))
	p, w = signalPhase(GradientDescent{}, ConstantRate(1), 0, 3)
	must.Fail(t, "another optimizer", again.Run(context.Background(), p, w.W), ErrCheckpoint)
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
