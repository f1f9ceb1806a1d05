package model

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/internal/safetensors"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Input is what a stage sees. All planes are of one size, at least one patch large, and the first two in units of the
// noise's standard deviation; so is the result.
type Input struct {
	Noisy patchify.Plane
	Pilot patchify.Plane // the output of the stage before; the first stage gets the noisy plane
	// Half is what the stages before make of the noisy plane at half its size (see Halve), in the same units. Only
	// stages that ask for it have it.
	Half patchify.Plane
	// Matches tell non-local stages which patches are similar. A stage without them searches.
	Matches *Matches
}

// Stage is one step of a model.
type Stage interface {
	// Kind names the stage in model files.
	Kind() string
	// Denoise overwrites dst, a plane of the same size that is none of the input. The result does not depend on
	// o.Workers, and is the same bytes for a part of the planes that starts at multiples of Alignment, but for
	// what Reach tells.
	Denoise(ctx context.Context, dst patchify.Plane, in Input, o Options) error
	// Reach is how far from a sample of the result those of the input may be that have a say in it.
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
	Stride int // distance of neighbouring patches, 1 to the patch side; 0 = DefaultStride
	// PilotStride is Stride for local stages that non-local ones follow; 0 = Stride.
	PilotStride int
	GroupStride int    // distance of reference patches of non-local stages; 0 = what the model says
	Passes      int    // non-local stages to run at most, and what follows them; 0 = all, -1 = none
	Workers     int    // goroutines; 0 = all processors
	Meter       *Meter // told what the solvers of local stages do; nil = nobody
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
	coarseKind:   decodeCoarse,
}

// decodeParams reads the parameters of a stage.
func decodeParams[T any](params json.RawMessage) (p T, err error) {
	if err = json.Unmarshal(params, &p); err != nil {
		err = fmt.Errorf("%w: stage: %v", ErrFormat, err)
	}
	return p, err
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
