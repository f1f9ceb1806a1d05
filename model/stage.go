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
	// Denoise overwrites dst, a plane of the same size that is neither of the two. The result does not depend on
	// o.Workers, and is the same bytes for a part of the planes that starts at multiples of Alignment, but for
	// what Reach tells.
	Denoise(ctx context.Context, dst, noisy, pilot patchify.Plane, o Options) error
	// Reach is how far from a sample of the result those of the noisy plane and of the pilot may be that have a say in it.
	Reach() int
	// Alignment returns the number of which the left and top edges of a part of a plane must be multiples, so that the
	// part has the same patches as the plane.
	Alignment(o Options) int
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

func (o Options) stride() int {
	if o.Stride == 0 {
		return DefaultStride
	}
	return o.Stride
}

// DefaultStride loses less than 0.1 dB against stride 1 for a quarter of the work.
const DefaultStride = 2

// decoders makes a stage of each kind from what encode gave.
var decoders = map[string]func(params json.RawMessage, tensors map[string]safetensors.Tensor, prefix string) (Stage, error){
	localKind:    decodeLocal,
	nonLocalKind: decodeNonLocal,
}

// maxPatchSize bounds what a model file may ask for.
const maxPatchSize = 16

// tensor takes a tensor with the given number of dimensions out of a file.
func tensor(tensors map[string]safetensors.Tensor, name string, dims int) (safetensors.Tensor, error) {
	t, ok := tensors[name]
	if !ok || len(t.Shape) != dims {
		return t, fmt.Errorf("%w: no tensor %q of %d dimensions", ErrFormat, name, dims)
	}
	return t, nil
}
