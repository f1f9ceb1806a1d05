package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/blorc-denoise/blorc-denoise/model"
)

// Progress is reported while training runs.
type Progress struct {
	Phase        string  `json:"phase"`
	Step         int     `json:"step"` // steps done
	Steps        int     `json:"steps"`
	Loss         float64 `json:"loss"`                      // mean of 1/2 ||x* - x_t||^2 since the last report, in units of sigma^2
	Validation   float64 `json:"validation_loss,omitempty"` // of a fixed minibatch of validation images; 0 without
	Exact        float64 `json:"exact"`                     // share of samples whose solution satisfies the KKT conditions
	Rate         float64 `json:"rate"`                      // learning rate
	PerSecond    float64 `json:"per_second"`                // samples
	RemainingSec float64 `json:"remaining_seconds"`         // of the phase
}

// Trainer runs Algorithm 1 in phases, each an Objective to minimize, with reports and checkpoints.
type Trainer struct {
	Report      func(Progress)     // called about ReportEvery steps; may be nil
	ReportEvery int                // 0 = 50
	Save        func([]byte) error // keeps a checkpoint; nil = none
	SaveEvery   int                // steps; 0 = 100

	checkpoint checkpoint
	scope      string // put before the names of phases, for recipes that run another several times
}

// scoped runs a recipe with a prefix for the names of its phases.
func (t *Trainer) scoped(prefix string, train func() (*model.Model, error)) (*model.Model, error) {
	defer func(before string) { t.scope = before }(t.scope)
	t.scope += prefix
	return train()
}

// Phase is one minimization.
type Phase struct {
	Name      string
	Objective Objective
	Optimizer Optimizer
	Steps     int
	Rate      Rate
	// Validation is the loss as a function of the same parameters on samples that are never trained on; nil = none. It is
	// evaluated at reports, on its first minibatch, and has no influence on theta.
	Validation Objective
}

// ErrDiverged says that the loss or the parameters stopped being finite.
var ErrDiverged = errors.New("training diverged: the loss is not finite")

// Run minimizes from theta, in place. A phase that the checkpoint knows as finished only restores its result; one that
// it knows as begun goes on where it was, bit by bit as if it had never stopped.
func (t *Trainer) Run(ctx context.Context, p Phase, theta []float64) error {
	p.Name = t.scope + p.Name
	if done, ok := t.checkpoint.finished[p.Name]; ok {
		if len(done) != len(theta) {
			return fmt.Errorf("%w: phase %q has %d parameters, not %d", ErrCheckpoint, p.Name, len(done), len(theta))
		}
		copy(theta, done)
		return nil
	}
	first, err := t.checkpoint.restore(p.Name, theta, p.Optimizer)
	if err != nil {
		return err
	}
	grad := make([]float64, len(theta))
	t.checkpoint.history.begin(p.Name, first, p.Steps)
	meter := newMeter(p, first)
	if t.checkpoint.history.Since.Count > 0 && t.due(first, p.Steps) { // stopped during that report
		if err := t.report(ctx, meter, first, theta, grad); err != nil {
			return err
		}
	}
	for step := first; step < p.Steps; step++ {
		batch, err := p.Objective.Gradient(ctx, step, theta, grad)
		if err != nil {
			return errors.Join(err, t.save(p, step, theta))
		}
		if math.IsNaN(batch.Loss) || math.IsInf(batch.Loss, 0) {
			return ErrDiverged
		}
		p.Optimizer.Step(theta, grad, p.Rate(step, p.Steps))
		meter.samples += batch.Samples
		t.checkpoint.history.Since.add(batch)
		if t.due(step+1, p.Steps) {
			err := t.report(ctx, meter, step+1, theta, grad)
			if errors.Is(err, ErrDiverged) { // nothing to go on from
				return err
			}
			if err != nil {
				return errors.Join(err, t.save(p, step+1, theta))
			}
		}
		if (step+1)%or(t.SaveEvery, 100) == 0 && step+1 < p.Steps {
			if err := t.save(p, step+1, theta); err != nil {
				return err
			}
		}
	}
	t.checkpoint.finish(p.Name, theta)
	return t.save(Phase{}, 0, nil)
}

// due says whether to report after a step.
func (t *Trainer) due(step, steps int) bool {
	return t.Report != nil && (step%or(t.ReportEvery, 50) == 0 || step == steps)
}

// report measures the validation loss and tells of it and of the steps since the last report; grad is overwritten.
func (t *Trainer) report(ctx context.Context, m *meter, step int, theta, grad []float64) error {
	progress := m.progress(step, t.checkpoint.history.Since)
	if m.phase.Validation != nil {
		batch, err := m.phase.Validation.Gradient(ctx, 0, theta, grad)
		if err != nil {
			return err
		}
		if math.IsNaN(batch.Loss) || math.IsInf(batch.Loss, 0) {
			return ErrDiverged
		}
		progress.Validation = batch.Loss
	}
	t.checkpoint.history.add(progress)
	t.Report(progress)
	return nil
}

func (t *Trainer) save(p Phase, step int, theta []float64) error {
	if t.Save == nil {
		return nil
	}
	data, err := t.checkpoint.marshal(p, step, theta)
	if err != nil {
		return err
	}
	return t.Save(data)
}

func or(v, otherwise int) int {
	if v > 0 {
		return v
	}
	return otherwise
}

// meter turns minibatches into progress.
type meter struct {
	phase   Phase
	first   int
	start   time.Time
	samples int
}

func newMeter(p Phase, first int) *meter { return &meter{phase: p, first: first, start: time.Now()} }

func (m *meter) progress(step int, since sums) Progress {
	seconds := time.Since(m.start).Seconds()
	return Progress{Phase: m.phase.Name, Step: step, Steps: m.phase.Steps, Rate: m.phase.Rate(step-1, m.phase.Steps),
		Loss: since.Batch.Loss / float64(since.Count), Exact: 1 - float64(since.Batch.NotConverged)/float64(since.Batch.Samples),
		PerSecond: float64(m.samples) / seconds, RemainingSec: seconds / float64(max(1, step-m.first)) * float64(m.phase.Steps-step)}
}
