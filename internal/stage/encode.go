package stage

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/safetensors"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// header is an element of the list of stages in the metadata of a model file, as it is read.
type header struct {
	Kind   string          `json:"kind"`
	Params json.RawMessage `json:"params"`
}

// encodedHeader is the same as it is written.
type encodedHeader struct {
	Kind   string `json:"kind"`
	Params any    `json:"params"`
}

// Encode returns the list of stages as JSON and adds their tensors to tensors. A tensor of stage N is named prefix +
// "stageN." + its name.
func (q Sequence) Encode(tensors map[string]safetensors.Tensor, prefix string) (string, error) {
	headers := []encodedHeader{}
	for i, s := range q {
		headers = append(headers, encodedHeader{s.Kind(), s.encode(tensors, stagePrefix(prefix, i))})
	}
	text, err := json.Marshal(headers)
	return string(text), err
}

// Decode reads what Encode wrote. Errors are of the kinds ErrFormat and ErrUnsupported.
func Decode(text string, tensors map[string]safetensors.Tensor, prefix string) (Sequence, error) {
	var headers []header
	if err := json.Unmarshal([]byte(text), &headers); err != nil || len(headers) == 0 {
		return nil, fmt.Errorf("%w: no list of stages", ErrFormat)
	}
	var q Sequence
	for i, h := range headers {
		decode, ok := decoders[h.Kind]
		if !ok {
			return nil, fmt.Errorf("%w: a stage of kind %q", ErrUnsupported, h.Kind)
		}
		s, err := decode(h.Params, tensors, stagePrefix(prefix, i))
		if err != nil {
			return nil, err
		}
		q = append(q, s)
	}
	if n := q.corrections(); n > 1 || n == 1 && q[:1].corrections() == 1 {
		return nil, fmt.Errorf("%w: several corrections, or one without stages before it", ErrFormat)
	}
	return q, nil
}

// decoders holds the function that decodes each kind of stage.
var decoders = map[string]func(params json.RawMessage, tensors map[string]safetensors.Tensor, prefix string) (Stage,
	error){
	localKind:      decodeLocal,
	nonLocalKind:   decodeNonLocal,
	correctionKind: decodeCorrection,
	guidedKind:     decodeGuided,
}

// decodeParams reads the parameters of a stage.
func decodeParams[T any](params json.RawMessage) (p T, err error) {
	if err = json.Unmarshal(params, &p); err != nil {
		err = fmt.Errorf("%w: stage: %v", ErrFormat, err)
	}
	return p, err
}

// maxPatchSize is the largest patch side in a model file.
const maxPatchSize = 16

// tensor returns the named tensor if it has the given number of dimensions.
func tensor(tensors map[string]safetensors.Tensor, name string, dims int) (safetensors.Tensor, error) {
	t, ok := tensors[name]
	if !ok || len(t.Shape) != dims {
		return t, fmt.Errorf("%w: no tensor %q with %d dimensions", ErrFormat, name, dims)
	}
	return t, nil
}

// decodeTransforms reads the transforms of a stage for patches of a side that a model file may have.
func decodeTransforms(patchSize int, tensors map[string]safetensors.Tensor,
	prefix string) (transforms []solve.Transform, err error) {
	if patchSize < 2 || patchSize > maxPatchSize {
		return nil, fmt.Errorf("%w: patch size %d", ErrFormat, patchSize)
	}
	w, err := tensor(tensors, prefix+"transforms", 3)
	if err != nil {
		return nil, err
	}
	for values := range slices.Chunk(w.Values, w.Shape[1]*w.Shape[2]) {
		transforms = append(transforms, solve.Transform{K: w.Shape[1], N: w.Shape[2], W: values})
	}
	return transforms, nil
}

func stagePrefix(prefix string, stage int) string { return fmt.Sprintf("%sstage%d.", prefix, stage) }
