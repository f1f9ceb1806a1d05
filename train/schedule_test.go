package train

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/solve/solvetest"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
)

// tuningProblem holds transforms of one size with the sources of their samples.
type tuningProblem struct {
	transforms []solve.Transform
	sources    []Source
}

func tuningProblems(t *testing.T) map[string]tuningProblem {
	rng := rand.New(rand.NewPCG(1, 9))
	tall := must.Get(solve.Stack(solve.Identity(16, 0.2), solvetest.FiniteDifferences(16, 0.4),
		solvetest.Transform(16, 16, 0.1, rng)))(t)
	return map[string]tuningProblem{
		"square": {[]solve.Transform{solvetest.FiniteDifferences(16, 0.8), solvetest.Transform(15, 16, 0.15, rng)},
			[]Source{signals(300, 16), signals(300, 16)}},
		"tall": {[]solve.Transform{tall}, []Source{signals(300, 16)}},
	}
}

// cases returns the cases that tuning uses, or with pairs to skip, cases with other samples.
func (p tuningProblem) cases(skip int) (cases []*tuningCase) {
	for i, w := range p.transforms {
		source := *p.sources[i].(*pairSource)
		source.skip += skip
		cases = append(cases, newTuningCase(w, &source))
	}
	return cases
}

func TestTunedScheduleIsShortAndAccurate(t *testing.T) {
	ctx := context.Background()
	for name, p := range tuningProblems(t) {
		s := must.Get(tuneSchedule(ctx, p.transforms, p.sources, 2))(t)
		again, err := tuneSchedule(ctx, p.transforms, p.sources, 1)
		if err != nil || again != s {
			t.Errorf("%s: tuned to %+v, then to %+v (%v)", name, s, again, err)
		}
		tuned := relativeExcess(ctx, p.cases(0), s, 1)
		t.Logf("%s: %+v: error %.5f of the loss", name, s, tuned)
		if !(tuned < excessError) {
			t.Errorf("%s: error %g of the loss after tuning", name, tuned)
		}
		if e := relativeExcess(ctx, p.cases(150), s, 1); !(e < 1.5*excessError) {
			t.Errorf("%s: error %g of the loss for samples that were not tuned on", name, e)
		}
	}
}

// No random schedule with one iteration less is accurate enough.
func TestNoRandomScheduleIsShorterThanTheTunedOne(t *testing.T) {
	ctx := context.Background()
	for name, p := range tuningProblems(t) {
		tuned := must.Get(tuneSchedule(ctx, p.transforms, p.sources, 2))(t)
		cases := p.cases(0)
		rng := rand.New(rand.NewPCG(4, 5))
		n := tuned.Iterations - 1
		for range 400 {
			s := solve.Schedule{Iterations: n, Ramp: 1 + rng.IntN(n), Relaxation: 1.3 + 0.68*rng.Float64(),
				RhoStart: 0.1 * math.Pow(80, rng.Float64()), RhoEnd: 0.1 * math.Pow(200, rng.Float64())}
			if e := relativeExcess(ctx, cases, s, 1); e < excessError {
				t.Fatalf("%s: tuned to %+v, but %+v has error %g", name, tuned, s, e)
			}
		}
	}
}

func TestPaperRecipeTunesTheStackThatItReturns(t *testing.T) {
	d := smallData()
	r := PaperRecipe{BatchSize: 48, Steps: 20, Rate: 1e-2, Adam: true, Start: 0.3}
	m := must.Get(r.Train(context.Background(), new(Trainer), d))(t)
	stage := m.Stages[0].(*stage.Local)
	source := &Patches{Groups: d.Groups, Sigma: d.Sigma, PatchSize: PatchSize, Seed: d.Seed}
	want, err := tuneSchedule(context.Background(), stage.Transforms, []Source{source}, 2)
	if err != nil || stage.Schedule != want {
		t.Errorf("schedule %+v, want %+v (%v)", stage.Schedule, want, err)
	}
}

func TestTuningEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := tuningProblems(t)["tall"]
	if _, err := tuneSchedule(ctx, p.transforms, p.sources, 1); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}
