package stage

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/safetensors"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Input is the input of a stage. All planes have one size, at least one patch in each direction. Noisy, Pilot and the
// result are in units of the noise's standard deviation.
type Input struct {
	Noisy patchify.Plane
	Pilot patchify.Plane // the output of the stage before; the noisy plane for the first stage

	Guides []patchify.Plane // other planes of the image; only for a Guided
	Beside []Beside         // planes that passes of a Page denoise with the same groups

	half    patchify.Plane // the pilot computed at half the size; only for a Correction
	matches *Matches       // groups of similar patches; a NonLocal stage without them searches
	spare   []float32      // memory that a Guided may overwrite, such as that of the pilot; nil = there is none
}

// Stage is one step of a model: a *Local, *NonLocal, *Correction or *Guided.
type Stage interface {
	// Kind returns the name of the kind of stage in model files.
	Kind() string
	// Filters returns all transforms of the stage.
	Filters() []solve.Transform
	// Denoise writes the result to dst, which has the size of the input's planes and shares no memory with them. The
	// result does not depend on o.Workers. On a part of the planes whose left and top edges are multiples of the
	// alignment, the result has the same bytes except within the reach of the edges (see geometry).
	Denoise(ctx context.Context, dst patchify.Plane, in Input, o Options) error

	// traits returns what sets the stage apart from others, whatever the options.
	traits() traits
	// geometry returns how the stage uses a plane of the size of the image.
	geometry(o Options) geometry
	// geometryAtHalf returns how the stage uses a plane of half the size of the image.
	geometryAtHalf(o Options) geometry
	// encode returns the parameters as a value for JSON and adds tensors whose names start with prefix.
	encode(tensors map[string]safetensors.Tensor, prefix string) any
}

// traits are what a sequence asks of a stage.
type traits struct {
	pass   bool // is a non-local pass
	guided bool // refines what other stages leave, and has to be told the level of the noise
	half   bool // needs the output of the stages before it on the plane at half its size
}

// geometry describes how a stage uses a plane. Lengths are in samples.
type geometry struct {
	patchSide int     // side of the smallest plane that the stage takes
	reach     int     // largest distance at which a sample of the input changes a sample of the result
	alignment int     // a part whose left and top edges are multiples of this has the patches of the whole plane
	cost      float64 // estimated time for each sample (see Steps.Work)
}

// Options say how a stage runs. The zero value runs it at the default stride on all processors.
type Options struct {
	// distance of neighbouring patches of a local stage in samples, 1 to the patch side; 0 = DefaultStride
	Stride      int
	GroupStride int // distance of neighbouring reference patches of a pass in samples; 0 = as in the model
	GroupRows   int // distance of rows of reference patches; 0 = GroupStride
	// share of the pilot in the result of a Guided stage, below 1; the rest is what the stage finds
	PilotShare float32
	Level      float32   // how strong the noise is, for stages that serve all levels (see the function Level)
	Workers    int       // goroutines; 0 = all processors
	Page       *Page     // of the series that the plane belongs to; nil if it is alone
	Progress   *Progress // is told of the work that is done; nil = nobody

	memory *guidedMemory // of a Guided; nil = it has its own
}

// DefaultStride is the distance of neighbouring patches in samples: a quarter of the work of stride 1 for less than 0.1
// dB of loss.
const DefaultStride = 2

func (o Options) stride() int {
	if o.Stride == 0 {
		return DefaultStride
	}
	return o.Stride
}
