package paper

import (
	"context"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

func TestMissingRows(t *testing.T) {
	reference := finiteDifferences(12, 0.2)
	w := square(reference)
	rand.New(rand.NewPCG(1, 1)).Shuffle(w.K, func(i, j int) {
		for c := range w.N {
			w.Row(i)[c], w.Row(j)[c] = w.Row(j)[c], w.Row(i)[c]
		}
	})
	if got := missingRows(w.Scale(-0.5), reference); got != 0 {
		t.Errorf("%d rows are missing, but only order, sign and scale differ", got)
	}
	if got := missingRows(w.Scale(0.3), reference); got != reference.K {
		t.Errorf("%d of %d rows are missing at less than a third of the norm", got, reference.K)
	}
	if got := missingRows(solve.Identity(12, 0.2), reference); got != reference.K {
		t.Errorf("rows of the identity count as %d differences", reference.K-got)
	}
	clear(w.W[:3*w.N])
	if got := missingRows(w, reference); got < 2 || got > 3 { // one of the cleared rows may be the row of zeros
		t.Errorf("%d rows are missing after three were cleared", got)
	}
}

// Each phase continues from the one before. With rates of zero the start comes back, scaled for the last noise level.
func TestPhasesContinue(t *testing.T) {
	o := &openRun{Setting: quiet(1e-6), steps: 3, pairs: 100}
	c := uniformJumps(16, 1, 2)
	start := square(finiteDifferences(16, 0.15))
	w, curve, err := o.learn(context.Background(), c.inPhases(fromTV, phase{signalSigma, 0, 1},
		phase{signalSigma, 0, 2}), start)
	if err != nil || floats.Distance(w.W, start.W, 1) != 0 || curve.Step[len(curve.Step)-1] != 6 {
		t.Errorf("error %v, or the start has changed, or the steps are wrong: %v", err, curve.Step)
	}
	w, _, err = o.learn(context.Background(), c.inPhases(fromTV, phase{3 * signalSigma, 0, 1},
		phase{signalSigma, 0, 1}), start.Scale(1.5))
	if ratio := w.W[0] / start.W[0]; err != nil || ratio < 0.7 || ratio > 1.4 {
		t.Errorf("error %v, strength of TV is %g times the expected one", err, ratio)
	}
}
