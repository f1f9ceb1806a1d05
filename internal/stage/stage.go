package stage

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/safetensors"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Input is what a stage sees. All planes have one size, at least one patch in each direction. Noisy and Pilot are in units of
// the noise's standard deviation, and so is the result.
type Input struct {
	Noisy patchify.Plane
	Pilot patchify.Plane // the output of the stage before; the noisy plane for the first stage

	half    patchify.Plane // the pilot computed at half the size; only for a Correction
	matches *Matches       // groups of similar patches; a NonLocal stage without them searches
}

// Stage is one step of a model: a *Local, *NonLocal, *Correction or *Pyramid.
type Stage interface {
	// Kind is the name of the stage in model files.
	Kind() string
	// Filters returns all transforms of the stage.
	Filters() []solve.Transform
	// Denoise overwrites dst, which has the size of the input's planes and shares no memory with them. The result does not
	// depend on o.Workers. A part of the planes that starts at multiples of the alignment gives the same bytes, except
	// within the reach of its other edges (see geometry).
	Denoise(ctx context.Context, dst patchify.Plane, in Input, o Options) error

	// geometry tells how the stage uses the plane, which halved says is at half the size of the image.
	geometry(o Options, halved bool) geometry
	// encode returns the parameters as a value for JSON, and stores tensors under names with the prefix.
	encode(tensors map[string]safetensors.Tensor, prefix string) any
}

// geometry is how a stage uses a plane.
type geometry struct {
	patchSide int  // side of the smallest plane that the stage takes
	reach     int  // how far from a sample of the result a sample of the input can be that changes it
	alignment int  // a part has the patches of the whole plane if its left and top edges are multiples of this
	pass      bool // counts as a non-local pass (see Options.Passes)
	half      bool // needs the output of the stages before it on the plane at half its size
}

// Options say how stages run. The zero value runs all stages at the default stride on all processors.
type Options struct {
	Stride      int // distance of neighbouring patches, 1 to the patch side; 0 = DefaultStride
	PilotStride int // Stride for local stages before a pass; 0 = Stride
	GroupStride int // distance of reference patches of passes; 0 = what the model says
	Passes      int // run at most so many passes, and what follows them; 0 = all, -1 = none
	Workers     int // goroutines; 0 = all processors
}

// DefaultStride loses less than 0.1 dB against stride 1 for a quarter of the work.
const DefaultStride = 2

func (o Options) stride() int {
	if o.Stride == 0 {
		return DefaultStride
	}
	return o.Stride
}
