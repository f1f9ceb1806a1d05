package train

import (
	"encoding/json"
	"slices"
)

// Curve holds the losses of a phase, with a point for each report.
type Curve struct {
	Phase  string  `json:"phase"`
	Steps  int     `json:"steps"` // number of steps of the phase
	Points []Point `json:"points"`
}

// Point holds the losses after a number of steps, as in Progress.
type Point struct {
	Step       int     `json:"step"`
	Loss       float64 `json:"loss"`
	Validation float64 `json:"validation,omitempty"` // 0 without validation images
}

// Curves returns the curves of all phases so far, in order. They include the part before a resumed checkpoint.
func (t *Trainer) Curves() []Curve { return slices.Clone(t.checkpoint.history.Curves) }

// history is the part of the reports that checkpoints keep, so that a resumed training reports the same as one without
// a stop.
type history struct {
	Curves []Curve  `json:"curves"`
	Since  batchSum `json:"since"` // minibatches since the last point
}

// batchSum is the sum of minibatches.
type batchSum struct {
	Batch Batch `json:"batch"`
	Count int   `json:"count"` // number of minibatches
}

func (s *batchSum) add(b Batch) {
	s.Batch.add(b)
	s.Count++
}

// begin appends an empty curve for a phase. It replaces an older curve of the phase, unless the phase goes on from step
// first > 0.
func (h *history) begin(phase string, first, steps int) {
	if i := slices.IndexFunc(h.Curves, func(c Curve) bool { return c.Phase == phase }); i >= 0 && first > 0 {
		return
	} else if i >= 0 {
		h.Curves = h.Curves[:i]
	}
	h.Curves = append(h.Curves, Curve{Phase: phase, Steps: steps})
	h.Since = batchSum{}
}

func (h *history) add(p Progress) {
	c := &h.Curves[len(h.Curves)-1]
	c.Points = append(c.Points, Point{p.Step, p.Loss, p.Validation})
	h.Since = batchSum{}
}

func (h *history) marshal() (string, error) {
	data, err := json.Marshal(h)
	return string(data), err
}

// unmarshal reads what marshal wrote. An empty string means no reports, as in older checkpoints.
func (h *history) unmarshal(s string) error {
	if *h = (history{}); s == "" {
		return nil
	}
	return json.Unmarshal([]byte(s), h)
}
