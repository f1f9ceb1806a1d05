package train

import (
	"encoding/json"
	"slices"
)

// Curve is how the losses of a phase went, with a point for each report.
type Curve struct {
	Phase  string  `json:"phase"`
	Steps  int     `json:"steps"` // of the whole phase
	Points []Point `json:"points"`
}

// Point holds the losses of Progress after a number of steps.
type Point struct {
	Step       int     `json:"step"`
	Loss       float64 `json:"loss"`
	Validation float64 `json:"validation,omitempty"` // 0 without validation images
}

// Curves are those of all phases so far, in their order, also of the part that was trained before a resumed checkpoint.
func (t *Trainer) Curves() []Curve { return slices.Clone(t.checkpoint.history.Curves) }

// history is what checkpoints keep of the reports, so that those of a resumed training are the same as without a stop.
type history struct {
	Curves []Curve `json:"curves"`
	Since  sums    `json:"since"` // the last point
}

// sums add up minibatches.
type sums struct {
	Batch Batch `json:"batch"`
	Count int   `json:"count"` // of minibatches
}

func (s *sums) add(b Batch) {
	s.Batch.add(b)
	s.Count++
}

// begin makes the curve of a phase the last one, after so many steps.
func (h *history) begin(phase string, first, steps int) {
	if i := slices.IndexFunc(h.Curves, func(c Curve) bool { return c.Phase == phase }); i >= 0 && first > 0 {
		return
	} else if i >= 0 {
		h.Curves = h.Curves[:i]
	}
	h.Curves = append(h.Curves, Curve{Phase: phase, Steps: steps})
	h.Since = sums{}
}

func (h *history) add(p Progress) {
	c := &h.Curves[len(h.Curves)-1]
	c.Points = append(c.Points, Point{p.Step, p.Loss, p.Validation})
	h.Since = sums{}
}

func (h *history) marshal() (string, error) {
	data, err := json.Marshal(h)
	return string(data), err
}

// unmarshal takes nothing for no reports: older checkpoints have none.
func (h *history) unmarshal(s string) error {
	if *h = (history{}); s == "" {
		return nil
	}
	return json.Unmarshal([]byte(s), h)
}
