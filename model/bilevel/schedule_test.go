package bilevel

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/model"
)

func TestTunedScheduleIsShortAndAccurate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	transforms := []model.Transform{finiteDifferences(16, 0.8), randomTransform(15, 16, 0.15, rng)}
	sources := []Source{signals(300, 16), signals(300, 16)}
	s, err := tuneSchedule(context.Background(), transforms, sources, 2)
	if err != nil {
		t.Fatal(err)
	}
	again, err := tuneSchedule(context.Background(), transforms, sources, 1)
	if err != nil || again != s {
		t.Errorf("tuned to %+v, then to %+v (%v)", s, again, err)
	}
	var cases []*tuning
	for i, w := range transforms {
		cases = append(cases, newTuning(w, sources[i]))
	}
	tuned := relativeExcess(context.Background(), cases, s, 1)
	t.Logf("%+v: error %.5f of the loss", s, tuned)
	if !(tuned < excessError) {
		t.Errorf("error %g of the loss after tuning", tuned)
	}
	shorter := s
	shorter.Iterations = max(1, s.Iterations/2)
	if e := relativeExcess(context.Background(), cases, shorter, 1); e < tuned {
		t.Errorf("half the iterations have error %g, all have %g", e, tuned)
	}
}
