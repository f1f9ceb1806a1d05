package stage

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/hugepage"
	"github.com/blorc-denoise/blorc-denoise/internal/safetensors"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

const correctionKind = "coarse" // as in model files

// Correction corrects the low frequencies of the pilot, where a patch is too small to tell noise from a slope. The
// stages before it also denoise the plane at half its size, where the noise is half as strong and smooth parts look the
// same. The difference of the two results is smoothed and added to the pilot. So only low frequencies come from the
// coarse scale, as in N. Pierazzo, J.-M. Morel, G. Facciolo: Multi-scale DCT denoising, Image Processing On Line, 2017.
type Correction struct {
	Smoothing int // number of times that the difference is filtered by (1, 2, 1) / 4 in x and y
	// Levels is how often the size is halved: the plane at half its size is corrected itself, and so on. 0 means once.
	Levels int
	// Half runs at half the size in place of the stages before; nil means those. Model files do not hold it.
	Half Steps
}

// beforeHalf returns the steps that run at half the size for step i, a Correction. Noise is half as strong there.
func (q Steps) beforeHalf(i int) Steps {
	before, o := slices.Clone(q[:i]), q[i].Options
	if c, ok := q[i].Stage.(*Correction); ok {
		if c.Half != nil {
			before = slices.Clone(c.Half)
		}
		if c.Levels > 1 {
			before = append(before, Step{&Correction{Smoothing: c.Smoothing, Levels: c.Levels - 1}, o})
		}
	}
	before = before.For(o.Level-math.Ln2, o.Workers, o.Progress)
	for j := range before {
		before[j].GroupRows = 0
	}
	return before
}

// corrections returns the number of stages that need the plane at half its size. A model may have one, after other
// stages.
func (q Sequence) corrections() (n int) {
	for _, s := range q {
		if s.traits().half {
			n++
		}
	}
	return n
}

// maxSmoothing is the largest Smoothing in a model file.
const maxSmoothing = 16

// Denoise implements Stage.
func (c *Correction) Denoise(_ context.Context, dst patchify.Plane, in Input, o Options) error {
	Correct(dst, in.Pilot, in.half, c.Smoothing, o.Workers)
	return nil
}

// Correct sets dst to a pilot whose low frequencies are replaced by those of half, the same plane at half the size. It
// is what a Correction does; see there for smoothing, and Options for workers. The pilot may be dst.
func Correct(dst, pilot, half patchify.Plane, smoothing, workers int) {
	correct(dst, pilot, half, smoothing, workers, [2][]float32{})
}

// correct is Correct with memory for two planes at half the size. It replaces a part that is too small.
func correct(dst, pilot, half patchify.Plane, smoothing, workers int, memory [2][]float32) {
	planes := [2]patchify.Plane{half, half}
	for i := range planes {
		planes[i].Pix = hugepage.Grow(memory[i], len(half.Pix))
	}
	change, filtered := planes[0], planes[1]
	patchify.Downsample2Into(change, pilot, workers)
	pieces(len(half.Pix), workers, func(from, to int) {
		out := change.Pix[from:to]
		for i, v := range half.Pix[from:to] {
			out[i] = v - out[i]
		}
	})
	for range smoothing {
		binomial(change, filtered, workers)
	}
	patchify.AddInterpolated(dst, pilot, change, workers)
}

// CorrectReach is how far around a sample Correct looks at the pilot. Of the smaller plane it looks at half as many
// samples.
func CorrectReach(smoothing int) int { return 2 * (smoothing + 3) }

// binomial filters a plane by (1, 2, 1) / 4 in x and y. The samples at the edges are repeated beyond them.
func binomial(p, memory patchify.Plane, workers int) {
	rows(p, workers, func(y int) {
		src, dst := p.Row(y), memory.Row(y)
		last := len(src) - 1
		dst[0] = 0.5*src[0] + 0.25*(src[0]+src[min(1, last)])
		for x := 1; x < last; x++ {
			dst[x] = 0.5*src[x] + 0.25*(src[x-1]+src[x+1])
		}
		dst[last] = 0.5*src[last] + 0.25*(src[max(last-1, 0)]+src[last])
	})
	rows(p, workers, func(y int) {
		above, here, below, dst := memory.Row(max(y-1, 0)), memory.Row(y), memory.Row(min(y+1, p.Height-1)), p.Row(y)
		for x := range dst {
			dst[x] = 0.5*here[x] + 0.25*(above[x]+below[x])
		}
	})
}

// Kind returns "coarse".
func (c *Correction) Kind() string { return correctionKind }

// Filters returns nil: a correction runs the stages before it.
func (c *Correction) Filters() []solve.Transform { return nil }

// geometry reaches as far as the downsampling, the filters and the interpolation.
func (c *Correction) geometry(Options) geometry {
	return geometry{patchSide: 1, reach: CorrectReach(c.Smoothing), alignment: 1 << max(c.Levels, 1)}
}

func (c *Correction) geometryAtHalf(o Options) geometry { return c.geometry(o) }

func (c *Correction) traits() traits { return traits{half: true} }

// maxLevels is the largest number of levels in a model file. A sample of level 7 covers 2^7 x 2^7 samples of the plane.
const maxLevels = 8

type correctionParams struct {
	Smoothing int `json:"smoothing"`
	Levels    int `json:"levels,omitempty"`
}

func (c *Correction) encode(map[string]safetensors.Tensor, string) any {
	return correctionParams{c.Smoothing, c.Levels}
}

func decodeCorrection(params json.RawMessage, _ map[string]safetensors.Tensor, _ string) (Stage, error) {
	p, err := decodeParams[correctionParams](params)
	if err != nil {
		return nil, err
	}
	if p.Smoothing < 0 || p.Smoothing > maxSmoothing {
		return nil, fmt.Errorf("%w: a correction smoothed %d times, not 0 to %d", ErrFormat, p.Smoothing, maxSmoothing)
	}
	if p.Levels < 0 || p.Levels > maxLevels {
		return nil, fmt.Errorf("%w: a correction of %d levels", ErrFormat, p.Levels)
	}
	return &Correction{Smoothing: p.Smoothing, Levels: p.Levels}, nil
}
