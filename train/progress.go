package train

import "time"

// Progress is a report of a running phase.
type Progress struct {
	Phase        string  `json:"phase"`
	Step         int     `json:"step"`                      // number of steps done
	Steps        int     `json:"steps"`                     // number of steps of the phase
	Loss         float64 `json:"loss"`                      // mean of 1/2 ||x* - x_t||^2 since the last report, in units of sigma^2
	Validation   float64 `json:"validation_loss,omitempty"` // on a fixed minibatch of validation images; 0 without images
	Exact        float64 `json:"exact"`                     // share of samples whose solution satisfies the KKT conditions
	Rate         float64 `json:"rate"`                      // learning rate
	PerSecond    float64 `json:"per_second"`                // samples per second
	RemainingSec float64 `json:"remaining_seconds"`         // estimate for the rest of the phase
}

// speedometer measures the speed of a phase.
type speedometer struct {
	phase   Phase
	first   int // step that the run began with
	start   time.Time
	samples int
}

func newSpeedometer(p Phase, first int) *speedometer {
	return &speedometer{phase: p, first: first, start: time.Now()}
}

// progress returns the report after the given number of steps. since is the sum of the minibatches since the last
// report.
func (s *speedometer) progress(step int, since batchSum) Progress {
	seconds := time.Since(s.start).Seconds()
	return Progress{Phase: s.phase.Name, Step: step, Steps: s.phase.Steps, Rate: s.phase.Rate(step-1, s.phase.Steps),
		Loss:      since.Batch.Loss / float64(since.Count),
		Exact:     1 - float64(since.Batch.NotConverged)/float64(since.Batch.Samples),
		PerSecond: float64(s.samples) / seconds, RemainingSec: seconds / float64(max(1,
			step-s.first)) * float64(s.phase.Steps-step)}
}
