package stage

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/internal/safetensors"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

const pyramidKind = "pyramid"

// Pyramid denoises from coarse to fine, for noise that is broader than a patch. The plane is downsampled several times. The
// smallest plane is denoised first; its change is upsampled and added to the next larger plane, which is then denoised, and so
// on. Level 0 is the plane itself. A level without stages only passes the change on.
type Pyramid struct {
	Levels []Sequence
}

// MaxLevels is the largest number of levels in a model file. A sample of level 7 covers 2^7 x 2^7 samples of the plane, which
// is wider than any noise.
const MaxLevels = 8

// NewPyramid returns a pyramid, or an error if it has no stages, too many levels, or stages other than local and non-local ones.
func NewPyramid(levels []Sequence) (*Pyramid, error) {
	if len(levels) == 0 || len(levels) > MaxLevels {
		return nil, fmt.Errorf("a pyramid of %d levels", len(levels))
	}
	count := 0
	for _, stages := range levels {
		for _, s := range stages {
			if is := s.traits(); s.Kind() == pyramidKind || is.half || is.guided {
				return nil, fmt.Errorf("a stage of kind %q within a pyramid", s.Kind())
			}
			count++
		}
	}
	if count == 0 {
		return nil, fmt.Errorf("a pyramid without stages")
	}
	return &Pyramid{levels}, nil
}

// Denoise implements Stage. It ignores the pilot: each level makes its own.
func (p *Pyramid) Denoise(ctx context.Context, dst patchify.Plane, in Input, o Options) error {
	out, err := p.level(ctx, in.Noisy, 0, o)
	if err == nil {
		copy(dst.Pix, out.Pix)
	}
	return err
}

// level returns the plane of a level, denoised by it and by all coarser ones.
func (p *Pyramid) level(ctx context.Context, noisy patchify.Plane, level int, o Options) (patchify.Plane, error) {
	plane := noisy
	if level+1 < len(p.Levels) {
		half := patchify.Downsample2(noisy)
		coarse, err := p.level(ctx, half, level+1, o)
		if err != nil {
			return plane, err
		}
		plane = patchify.AddUpsampled(noisy, half, coarse)
	}
	return runStages(ctx, p.Levels[level], plane, o)
}

// runStages returns the last stage's output, or the plane itself if there are no stages.
func runStages(ctx context.Context, stages Sequence, plane patchify.Plane, o Options) (patchify.Plane, error) {
	if len(stages) == 0 {
		return plane, nil
	}
	side := 0
	for _, s := range stages {
		side = max(side, s.geometry(o).patchSide)
	}
	noisy := patchify.Pad(plane, side)
	in, spare := Input{Noisy: noisy, Pilot: noisy}, [2]patchify.Plane{}
	for i, s := range stages {
		if spare[i%2].Pix == nil {
			spare[i%2] = patchify.NewPlane(noisy.Width, noisy.Height)
		}
		if err := s.Denoise(ctx, spare[i%2], in, o); err != nil {
			return plane, err
		}
		in.Pilot = spare[i%2]
	}
	return patchify.Crop(in.Pilot, 0, 0, plane.Width, plane.Height), nil
}

// Kind returns "pyramid".
func (p *Pyramid) Kind() string { return pyramidKind }

// Filters returns the transforms of all levels, the finest first.
func (p *Pyramid) Filters() (all []solve.Transform) {
	for _, stages := range p.Levels {
		for _, s := range stages {
			all = append(all, s.Filters()...)
		}
	}
	return all
}

// geometry adds up the reaches of the levels. Each coarser level adds three of its samples: one for the interpolation of
// AddUpsampled and, for planes that are cut off, one for its last patches (see Sequence.Reach) and one for the last sample of
// Downsample2. Small planes of coarse levels are padded, so the patch side is the largest of all stages.
func (p *Pyramid) geometry(o Options) geometry {
	all := geometry{alignment: 1}
	for level := len(p.Levels) - 1; level >= 0; level-- {
		if level < len(p.Levels)-1 {
			all.reach = 2 * (all.reach + 3)
		}
		all.alignment = LeastCommonMultiple(all.alignment, 1<<level)
		for _, s := range p.Levels[level] {
			g := s.geometry(o)
			all.reach += g.reach
			all.cost += g.cost / square(1<<level)
			all.patchSide = max(all.patchSide, g.patchSide)
			all.alignment = LeastCommonMultiple(all.alignment, g.alignment<<level)
		}
	}
	return all
}

func (p *Pyramid) geometryAtHalf(o Options) geometry { return p.geometry(o) }

func (p *Pyramid) traits() traits { return traits{} }

// pyramidParams holds the parameters of a pyramid in the metadata of a model file: a list of stages for each level.
type pyramidParams struct {
	Levels [][]header `json:"levels"`
}

func (p *Pyramid) encode(tensors map[string]safetensors.Tensor, prefix string) any {
	var params struct {
		Levels [][]encodedHeader `json:"levels"`
	}
	for i, stages := range p.Levels {
		params.Levels = append(params.Levels, stages.headers(tensors, levelPrefix(prefix, i)))
	}
	return params
}

func decodePyramid(params json.RawMessage, tensors map[string]safetensors.Tensor, prefix string) (Stage, error) {
	p, err := decodeParams[pyramidParams](params)
	if err != nil {
		return nil, err
	}
	levels := make([]Sequence, len(p.Levels))
	for i, headers := range p.Levels {
		for _, h := range headers { // checked before decoding, so that files cannot nest without end
			if h.Kind == pyramidKind {
				return nil, fmt.Errorf("%w: a pyramid within a pyramid", ErrFormat)
			}
		}
		var err error
		if levels[i], err = decodeHeaders(headers, tensors, levelPrefix(prefix, i)); err != nil {
			return nil, err
		}
	}
	pyramid, err := NewPyramid(levels)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrFormat, err)
	}
	return pyramid, nil
}

func levelPrefix(prefix string, level int) string { return fmt.Sprintf("%slevel%d.", prefix, level) }

func init() { decoders[pyramidKind] = decodePyramid } // not in the literal, since decodePyramid uses decoders
