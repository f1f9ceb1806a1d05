package model

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/internal/safetensors"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

const pyramidKind = "pyramid"

// Pyramid denoises from coarse to fine, for noise that is broader than a patch: the plane is halved several times, the
// smallest plane is denoised first, and what that changed is taken over into the next larger plane before it is denoised
// in turn. Level 0 is the plane itself; a level may have no stages and then only takes over.
type Pyramid struct {
	Levels [][]Stage
}

// maxLevels bounds what a model file may ask for: the 2^7 x 2^7 samples that one of the last level stands for are already
// more than any noise spans.
const maxLevels = 8

// NewPyramid checks that the parts fit.
func NewPyramid(levels [][]Stage) (*Pyramid, error) {
	if len(levels) == 0 || len(levels) > maxLevels {
		return nil, fmt.Errorf("a pyramid of %d levels", len(levels))
	}
	count := 0
	for _, stages := range levels {
		for _, s := range stages {
			if s.Kind() == pyramidKind || s.Kind() == coarseKind {
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

// Denoise implements Stage. It works on the noisy plane alone: its levels make their own pilots.
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
		half := Halve(noisy)
		coarse, err := p.level(ctx, half, level+1, o)
		if err != nil {
			return plane, err
		}
		plane = TakeOver(noisy, half, coarse)
	}
	return runStages(ctx, p.Levels[level], plane, o)
}

// runStages returns the last stage's output, or the plane itself if there are no stages.
func runStages(ctx context.Context, stages []Stage, plane patchify.Plane, o Options) (patchify.Plane, error) {
	if len(stages) == 0 {
		return plane, nil
	}
	side := 0
	for _, s := range stages {
		side = max(side, s.PatchSide())
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

// Kind is "pyramid".
func (p *Pyramid) Kind() string { return pyramidKind }

// PatchSide is the largest of its stages; smaller planes of coarse levels are padded inside.
func (p *Pyramid) PatchSide() int {
	side := 0
	for _, stages := range p.Levels {
		for _, s := range stages {
			side = max(side, s.PatchSide())
		}
	}
	return side
}

// Filters returns the transforms of all levels, the finest first.
func (p *Pyramid) Filters() (all []Transform) {
	for _, stages := range p.Levels {
		for _, s := range stages {
			all = append(all, s.Filters()...)
		}
	}
	return all
}

// Reach adds up the levels' reaches, each in its own samples. A coarser level adds one sample for the interpolation of
// TakeOver, and where the plane is cut off two more: one for its last patches (see Model.Reach), one for the last sample
// of Halve.
func (p *Pyramid) Reach() int {
	reach := 0
	for level := len(p.Levels) - 1; level >= 0; level-- {
		if level < len(p.Levels)-1 {
			reach = 2 * (reach + 3)
		}
		for _, s := range p.Levels[level] {
			reach += s.Reach()
		}
	}
	return reach
}

// Alignment makes sure that a part has the same patches as the plane at all levels.
func (p *Pyramid) Alignment(o Options) int {
	a := 1
	for level, stages := range p.Levels {
		a = LeastCommonMultiple(a, 1<<level)
		for _, s := range stages {
			a = LeastCommonMultiple(a, s.Alignment(o)<<level)
		}
	}
	return a
}

// pyramidParams is a pyramid in the metadata of a model file: a list of stages for each level.
type pyramidParams struct {
	Levels [][]stageHeader `json:"levels"`
}

func (p *Pyramid) encode(tensors map[string]safetensors.Tensor, prefix string) any {
	var params struct {
		Levels [][]encodedStage `json:"levels"`
	}
	for i, stages := range p.Levels {
		params.Levels = append(params.Levels, encodeStages(stages, tensors, levelPrefix(prefix, i)))
	}
	return params
}

func decodePyramid(params json.RawMessage, tensors map[string]safetensors.Tensor, prefix string) (Stage, error) {
	p, err := decodeParams[pyramidParams](params)
	if err != nil {
		return nil, err
	}
	levels := make([][]Stage, len(p.Levels))
	for i, headers := range p.Levels {
		for _, h := range headers { // before it is read, so that a file cannot nest without end
			if h.Kind == pyramidKind {
				return nil, fmt.Errorf("%w: a pyramid within a pyramid", ErrFormat)
			}
		}
		var err error
		if levels[i], err = decodeStages(headers, tensors, levelPrefix(prefix, i)); err != nil {
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

func init() { decoders[pyramidKind] = decodePyramid } // here, since it reads stages itself
