package denoise

import (
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/stage"
)

// Quality chooses between time and quality.
type Quality int

const (
	// Balanced runs local stages and one non-local pass: seconds for a photograph.
	Balanced Quality = iota
	// Fast runs local stages only, at a tenth of the time of Balanced.
	Fast
	// Best runs three non-local passes, at three times the time of Balanced.
	Best
)

var qualityNames = []string{"balanced", "fast", "best"}

// presets say how stages run at each quality: the strides of patches, the step of reference patches, and the number of passes.
var presets = []stage.Options{
	Balanced: {Stride: 2, PilotStride: 3, GroupStride: 6, Passes: 1},
	Fast:     {Stride: 4, PilotStride: 4, Passes: -1},
	Best:     {Stride: 1, PilotStride: 2},
}

func (q Quality) stages() stage.Options { return presets[q] }

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
