package stage

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/safetensors"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// nonLocalParams holds the parameters of a non-local stage in the metadata of a model file. "scouted" is the number of
// offsets that the coarse search finds; that search was called scouting when the first files were written.
type nonLocalParams struct {
	PatchSize     int             `json:"patch_size"`
	Window        int             `json:"window"`
	CoarseOffsets int             `json:"scouted,omitempty"`
	Step          int             `json:"step"`
	Offset        int             `json:"offset,omitempty"`
	Residual      float64         `json:"residual,omitempty"`
	Schedule      solve.Schedule  `json:"schedule"`
	First         *solve.Schedule `json:"first_schedule,omitempty"`
	Clusters      int             `json:"clusters"`
	B0            float64         `json:"b0"`
	A0            float64         `json:"a0"`
	B1            float64         `json:"b1"`
}

func (l *NonLocal) encode(tensors map[string]safetensors.Tensor, prefix string) any {
	f, h := &l.Weights, l.Weights.Hidden()
	put := func(name string, shape []int, values []float64) {
		tensors[prefix+name] = safetensors.Tensor{DType: safetensors.F32, Shape: shape, Values: values}
	}
	var w, bias []float64
	for i, t := range l.Transforms {
		w, bias = append(w, t.W...), append(bias, f.Bias[i]...)
	}
	// Floats of 16 bits take half of the room, and change results by less than 0.001 dB.
	tensors[prefix+"transforms"] = safetensors.Tensor{DType: safetensors.F16,
		Shape: []int{len(l.Transforms), l.Transforms[0].K, l.Transforms[0].N}, Values: w}
	put("weights.bias", []int{len(l.Transforms), h}, bias)
	put("weights.a", []int{h, WeightFeatures}, f.A)
	put("weights.b", []int{h, 2}, f.B)
	put("weights.position", []int{h}, f.Position)
	if l.Classifier != nil {
		putCentroids(tensors, prefix, l.Classifier)
	}
	round := func(v float64) float64 { return float64(float32(v)) } // the precision of the tensors
	return nonLocalParams{PatchSize: l.PatchSize, Window: l.Window, CoarseOffsets: l.CoarseOffsets, Step: l.Step,
		Offset: l.Offset, Residual: l.Residual,
		Schedule: l.Schedule, First: l.First, Clusters: len(l.Transforms) / 2, B0: round(f.B0), A0: round(f.A0),
		B1: round(f.B1)}
}

func decodeNonLocal(params json.RawMessage, tensors map[string]safetensors.Tensor, prefix string) (Stage, error) {
	p, err := decodeParams[nonLocalParams](params)
	if err != nil {
		return nil, err
	}
	transforms, err := decodeTransforms(p.PatchSize, tensors, prefix)
	if err != nil {
		return nil, err
	}
	l := &NonLocal{PatchSize: p.PatchSize, Window: p.Window, CoarseOffsets: p.CoarseOffsets, Step: p.Step,
		Offset: p.Offset, Residual: p.Residual,
		Schedule: p.Schedule, First: p.First, Transforms: transforms}
	if l.Weights, err = decodeWeightFunction(p, tensors, prefix); err != nil {
		return nil, err
	}
	if l.Classifier, err = getCentroids(tensors, prefix, p.PatchSize, p.Clusters); err != nil {
		return nil, err
	}
	if l, err = NewNonLocal(l); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrFormat, err)
	}
	return l, nil
}

func decodeWeightFunction(p nonLocalParams, tensors map[string]safetensors.Tensor, prefix string) (WeightFunction,
	error) {
	f := WeightFunction{B0: p.B0, A0: p.A0, B1: p.B1}
	for _, v := range []float64{f.B0, f.A0, f.B1} {
		if math.IsNaN(v) || math.IsInf(v, 0) || math.Abs(v) > 1e6 {
			return f, fmt.Errorf("%w: weight function out of range", ErrFormat)
		}
	}
	bias, err := tensor(tensors, prefix+"weights.bias", 2)
	a, err1 := tensor(tensors, prefix+"weights.a", 2)
	b, err2 := tensor(tensors, prefix+"weights.b", 2)
	position, err3 := tensor(tensors, prefix+"weights.position", 1)
	if err := cmp.Or(err, err1, err2, err3); err != nil {
		return f, err
	}
	f.A, f.B, f.Position = a.Values, b.Values, position.Values
	if bias.Shape[1] != len(f.Position) {
		return f, fmt.Errorf("%w: biases of %d hidden units, not %d", ErrFormat, bias.Shape[1], len(f.Position))
	}
	f.Bias = slices.Collect(slices.Chunk(bias.Values, bias.Shape[1]))
	return f, nil
}
