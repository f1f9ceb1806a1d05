package model

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/internal/safetensors"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Stage is one step of a model. It sees the noisy plane and the pilot, which is the output of the stage before it (the
// first stage gets the noisy plane as its pilot). Both are in units of the noise's standard deviation and at least one
// patch large; so is the result.
type Stage interface {
	// Kind names the stage in model files.
	Kind() string
	// Denoise returns a new plane of the same size. The result does not depend on o.Workers.
	Denoise(ctx context.Context, noisy, pilot patchify.Plane, o Options) (patchify.Plane, error)
	// PatchSide is the side of the patches that it works on.
	PatchSide() int
	// Filters returns all the transforms of the stage, for people to look at.
	Filters() []Transform

	// encode returns the parameters as a value for JSON, and stores tensors under names with the prefix.
	encode(tensors map[string]safetensors.Tensor, prefix string) any
}

// Options say how stages run.
type Options struct {
	Stride  int // distance of neighbouring patches, 1 to the patch side; 0 = DefaultStride
	Workers int // goroutines; 0 = all processors
}

// DefaultStride loses less than 0.1 dB against stride 1 for a quarter of the work.
const DefaultStride = 2

// decoders makes a stage of each kind from what encode gave.
var decoders = map[string]func(params json.RawMessage, tensors map[string]safetensors.Tensor, prefix string) (Stage, error){
	localKind: decodeLocal,
}

// tensor takes a tensor with the given number of dimensions out of a file.
func tensor(tensors map[string]safetensors.Tensor, name string, dims int) (safetensors.Tensor, error) {
	t, ok := tensors[name]
	if !ok || len(t.Shape) != dims {
		return t, fmt.Errorf("%w: no tensor %q of %d dimensions", ErrFormat, name, dims)
	}
	return t, nil
}
