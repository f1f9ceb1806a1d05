package train

import (
	"context"
	"errors"
	"fmt"
)

// Trainer runs Algorithm 1 in phases, each of which minimizes an Objective, with reports and checkpoints. The zero
// value does neither. A Trainer is for one training: it remembers which phases are done.
type Trainer struct {
	Report      func(Progress)     // called every ReportEvery steps and at the end of a phase; nil = no reports
	ReportEvery int                // steps; 0 = 50
	Save        func([]byte) error // stores a checkpoint; nil = no checkpoints
	SaveEvery   int                // steps; 0 = 100

	checkpoint checkpoint
}

// Phase is one minimization.
type Phase struct {
	Name      string // differs between the phases of a training; names the phase in checkpoints
	Objective Objective
	Optimizer Optimizer
	Steps     int
	Rate      Rate
	// Validation is the same loss on samples that are never trained on; nil = none. It is evaluated for reports, on its
	// first minibatch, and does not influence theta.
	Validation Objective
}

// Run minimizes the objective of a phase from theta, in place. If a resumed checkpoint has the result of the phase, Run
// only copies it to theta; if it has a state of the phase, Run goes on from there and gives the same bits as without a
// stop.
//
// Errors are of the kinds ErrSettings, ErrCheckpoint and ErrDiverged, or come from the objective, the context or Save.
// When the context ends, Run saves a checkpoint.
func (t *Trainer) Run(ctx context.Context, p Phase, theta []float64) error {
	if err := p.check(theta); err != nil {
		return err
	}
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
	if first == 0 {
		t.checkpoint.reports = reports{}
	}
	speed := newSpeedometer(p, first)
	if t.checkpoint.reports.Since.Count > 0 && t.due(first, p.Steps) { // the run before stopped during this report
		if err := t.report(ctx, speed, first, theta, grad); err != nil {
			return err
		}
	}
	for step := first; step < p.Steps; step++ {
		if err := t.step(ctx, p, speed, step, theta, grad); err != nil {
			return err
		}
	}
	t.checkpoint.finish(p.Name, theta)
	return t.save(Phase{}, 0, nil)
}

// step runs one step with its report and checkpoint.
func (t *Trainer) step(ctx context.Context, p Phase, speed *speedometer, step int, theta, grad []float64) error {
	batch, err := p.Objective.Gradient(ctx, step, theta, grad)
	if err != nil {
		return errors.Join(err, t.save(p, step, theta))
	}
	if !isFinite(batch.Loss) {
		return ErrDiverged
	}
	p.Optimizer.Step(theta, grad, p.Rate(step, p.Steps))
	if !finite(theta) {
		return ErrDiverged
	}
	speed.samples += batch.Samples
	t.checkpoint.reports.Since.add(batch)
	done := step + 1
	if t.due(done, p.Steps) {
		err := t.report(ctx, speed, done, theta, grad)
		if errors.Is(err, ErrDiverged) { // a checkpoint of this state would be of no use
			return err
		}
		if err != nil {
			return errors.Join(err, t.save(p, done, theta))
		}
	}
	if done%orDefault(t.SaveEvery, 100) == 0 && done < p.Steps {
		return t.save(p, done, theta)
	}
	return nil
}

// check checks that the phase is complete and fits the parameters.
func (p Phase) check(theta []float64) error {
	switch {
	case p.Objective == nil || p.Optimizer == nil || p.Rate == nil:
		return fmt.Errorf("%w: phase %q without an objective, an optimizer or a rate", ErrSettings, p.Name)
	case p.Steps < 0:
		return fmt.Errorf("%w: phase %q of %d steps", ErrSettings, p.Name, p.Steps)
	case !finite(theta):
		return fmt.Errorf("%w: phase %q starts from parameters that are not finite", ErrSettings, p.Name)
	}
	if a, ok := p.Optimizer.(*Adam); ok && !a.fits(len(theta)) {
		return fmt.Errorf("%w: phase %q with an optimizer for another number of parameters than %d", ErrSettings,
			p.Name, len(theta))
	}
	return nil
}

// due reports whether there is a report after the given number of steps.
func (t *Trainer) due(step, steps int) bool {
	return t.Report != nil && (step%orDefault(t.ReportEvery, 50) == 0 || step == steps)
}

// report reports the losses of the steps since the last report and of the validation. It overwrites grad.
func (t *Trainer) report(ctx context.Context, s *speedometer, step int, theta, grad []float64) error {
	progress := s.progress(step, t.checkpoint.reports.Since)
	if s.phase.Validation != nil {
		batch, err := s.phase.Validation.Gradient(ctx, 0, theta, grad)
		if err != nil {
			return err
		}
		if !isFinite(batch.Loss) {
			return ErrDiverged
		}
		progress.Validation = batch.Loss
	}
	t.checkpoint.reports = reports{}
	t.Report(progress)
	return nil
}

// save stores a checkpoint of a running phase, or of none if p has no name.
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

// orDefault returns v, or the default if v is not positive.
func orDefault(v, otherwise int) int {
	if v > 0 {
		return v
	}
	return otherwise
}
