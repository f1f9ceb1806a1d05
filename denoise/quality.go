package denoise

import (
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/stage"
)

// Quality chooses between time and quality.
type Quality int

const (
	// Balanced denoises groups of similar patches in two passes, after a network has seen the picture: seconds for a photograph.
	Balanced Quality = iota
	// Fast runs no passes on groups. A gray file with white noise takes about a seventh of the time of Balanced, and gains about 0.9 dB less.
	Fast
	// Best runs three passes with more patches. It takes one and a half to two times the time of Balanced, and gains up to 0.1 dB.
	Best
)

var qualityNames = []string{"balanced", "fast", "best"}

// presets say how stages run at each quality: the strides of patches, the steps of reference patches, and the number of passes.
var presets = []stage.Options{
	Balanced: {Stride: 2, PilotStride: 3, RoughStride: 6, GroupStride: 8, GroupRows: 6, Passes: 2},
	Fast:     {Stride: 3, PilotStride: 3, RoughStride: 6, Passes: -1},
	Best:     {Stride: 1, PilotStride: 2, GroupRows: 4},
}

// thinPasses is what differs in the passes for chroma at best quality. Each row of reference patches is one of those of luma, so the planes share
// groups.
var thinPasses = stage.Options{PilotStride: 3, GroupRows: 8, Passes: 2}

// densePasses is the distance of reference patches for broad noise at balanced quality. Without more of them, such
// noise takes less time than white noise.
var densePasses = stage.Options{GroupStride: 6}

func (q Quality) stages() stage.Options {
	if q.check() != nil {
		return presets[Balanced]
	}
	return presets[q]
}

func (q Quality) check() error {
	if q < 0 || int(q) >= len(presets) {
		return badArgument("there is no quality %d", int(q))
	}
	return nil
}

// Passes returns how many passes run at a quality at most: 0 = all of the model, -1 = none.
func (q Quality) Passes() int { return q.stages().Passes }

// String returns "fast", "balanced" or "best".
func (q Quality) String() string { return nameOf(qualityNames, int(q)) }

// MarshalText returns the name of the quality.
func (q Quality) MarshalText() ([]byte, error) { return textOf(qualityNames, int(q)) }

// UnmarshalText sets the quality by its name.
func (q *Quality) UnmarshalText(text []byte) error {
	i := slices.Index(qualityNames, string(text))
	if i < 0 {
		return badArgument("must be fast, balanced or best")
	}
	*q = Quality(i)
	return nil
}

func nameOf(names []string, i int) string {
	if i < 0 || i >= len(names) {
		return "unknown"
	}
	return names[i]
}

func textOf(names []string, i int) ([]byte, error) {
	if i < 0 || i >= len(names) {
		return nil, badArgument("value %d is out of range", i)
	}
	return []byte(names[i]), nil
}
