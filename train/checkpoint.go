package train

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/internal/safetensors"
)

// checkpoint holds the results of finished phases and the state of the running one. Its file is a safetensors file with
// float64 tensors "done.PHASE", "theta" and "optimizer.N" and the reports as JSON. A fingerprint of the recipe and its
// data says which training it belongs to.
type checkpoint struct {
	fingerprint string
	finished    map[string][]float64
	phase       string
	step        int
	state       [][]float64 // theta, then the state of the optimizer
	reports     reports
}

// reports is what checkpoints keep of the reports, so that a resumed training reports the same as one without a stop.
type reports struct {
	Since batchSum `json:"since"` // minibatches since the last report
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

const checkpointFormat = "blorc-checkpoint/1"

// finish keeps the result of a phase.
func (c *checkpoint) finish(phase string, theta []float64) {
	if c.finished == nil {
		c.finished = map[string][]float64{}
	}
	c.finished[phase] = append([]float64(nil), theta...)
	c.phase, c.state = "", nil
}

// restore copies the state of the running phase to theta and the optimizer and returns the next step. For other phases
// it returns 0.
func (c *checkpoint) restore(phase string, theta []float64, o Optimizer) (int, error) {
	if c.phase != phase || c.state == nil {
		return 0, nil
	}
	into := append([][]float64{theta}, o.State()...)
	if len(into) != len(c.state) {
		return 0, fmt.Errorf("%w: it has the state of another optimizer", ErrCheckpoint)
	}
	for i := range into {
		if len(into[i]) != len(c.state[i]) {
			return 0, fmt.Errorf("%w: phase %q has another size", ErrCheckpoint, phase)
		}
		copy(into[i], c.state[i])
	}
	return c.step, nil
}

// marshal returns the file. A phase without a name means that no phase is running.
func (c *checkpoint) marshal(p Phase, step int, theta []float64) ([]byte, error) {
	reports, err := json.Marshal(c.reports)
	if err != nil {
		return nil, err
	}
	f := safetensors.File{Tensors: map[string]safetensors.Tensor{}, Metadata: map[string]string{
		"format": checkpointFormat, "fingerprint": c.fingerprint, "phase": p.Name, "step": strconv.Itoa(step),
		"reports": string(reports)}}
	put := func(name string, v []float64) {
		f.Tensors[name] = safetensors.Tensor{DType: safetensors.F64, Shape: []int{len(v)}, Values: v}
	}
	for phase, v := range c.finished {
		put("done."+phase, v)
	}
	if p.Name != "" {
		put("theta", theta)
		for i, v := range p.Optimizer.State() {
			put(fmt.Sprintf("optimizer.%d", i), v)
		}
	}
	return safetensors.Marshal(f)
}

// Resume loads a checkpoint that Save received from a trainer with the same fingerprint (see Data.Fingerprint); phases
// then go on from there. With nil data it only sets the fingerprint, for a new start. Errors are of the kind
// ErrCheckpoint.
func (t *Trainer) Resume(fingerprint string, data []byte) error {
	t.checkpoint = checkpoint{fingerprint: fingerprint}
	if data == nil {
		return nil
	}
	f, err := safetensors.Unmarshal(data)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	if f.Metadata["format"] != checkpointFormat || f.Metadata["fingerprint"] != fingerprint {
		return fmt.Errorf("%w: it belongs to a training with other settings or other images", ErrCheckpoint)
	}
	t.checkpoint.phase = f.Metadata["phase"]
	if t.checkpoint.step, err = strconv.Atoi(f.Metadata["step"]); err != nil || t.checkpoint.step < 0 {
		return fmt.Errorf("%w: step %q", ErrCheckpoint, f.Metadata["step"])
	}
	if text := f.Metadata["reports"]; text != "" { // as in older checkpoints
		if err := json.Unmarshal([]byte(text), &t.checkpoint.reports); err != nil {
			return fmt.Errorf("%w: reports: %w", ErrCheckpoint, err)
		}
	}
	for name, tensor := range f.Tensors {
		if phase, ok := strings.CutPrefix(name, "done."); ok {
			t.checkpoint.finish(phase, tensor.Values)
		}
	}
	t.checkpoint.phase = f.Metadata["phase"]
	if theta, ok := f.Tensors["theta"]; ok {
		t.checkpoint.state = [][]float64{theta.Values}
		for i := 0; ; i++ {
			o, ok := f.Tensors[fmt.Sprintf("optimizer.%d", i)]
			if !ok {
				break
			}
			t.checkpoint.state = append(t.checkpoint.state, o.Values)
		}
	}
	return nil
}
