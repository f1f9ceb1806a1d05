package bilevel

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
	Loss         float64 `json:"loss"`              // mean of 1/2 ||x* - x_t||^2 since the last report, in units of sigma^2
	Exact        float64 `json:"exact"`             // share of samples whose solution satisfies the KKT conditions
	Rate         float64 `json:"rate"`              // learning rate
	PerSecond    float64 `json:"per_second"`        // samples
	RemainingSec float64 `json:"remaining_seconds"` // of the phase
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
	meter := newMeter(p, first)
	for step := first; step < p.Steps; step++ {
		batch, err := p.Objective.Gradient(ctx, step, theta, grad)
		if err != nil {
			return errors.Join(err, t.save(p, step, theta))
		}
		if math.IsNaN(batch.Loss) || math.IsInf(batch.Loss, 0) {
			return ErrDiverged
		}
		rate := p.Rate(step, p.Steps)
		p.Optimizer.Step(theta, grad, rate)
		meter.add(batch)
		if t.Report != nil && ((step+1)%or(t.ReportEvery, 50) == 0 || step+1 == p.Steps) {
			t.Report(meter.progress(step+1, rate))
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
	phase Phase
	first int
	start time.Time
	sum   Batch
	count int
	all   int
}

func newMeter(p Phase, first int) *meter { return &meter{phase: p, first: first, start: time.Now()} }

func (m *meter) add(b Batch) {
	m.sum.add(b)
	m.count++
	m.all += b.Samples
}

func (m *meter) progress(step int, rate float64) Progress {
	seconds := time.Since(m.start).Seconds()
	p := Progress{Phase: m.phase.Name, Step: step, Steps: m.phase.Steps, Rate: rate,
		Loss: m.sum.Loss / float64(m.count), Exact: 1 - float64(m.sum.NotConverged)/float64(m.sum.Samples),
		PerSecond: float64(m.all) / seconds, RemainingSec: seconds / float64(step-m.first) * float64(m.phase.Steps-step)}
	m.sum, m.count = Batch{}, 0
	return p
}
