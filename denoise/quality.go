package denoise

import "slices"

// Quality chooses between time and quality.
type Quality int

const (
	// Balanced runs a network, and then two passes on groups of similar patches: seconds for a photograph.
	Balanced Quality = iota
	// Fast runs no passes on groups. A gray file with white noise takes about a third of the time of Balanced, and
	// gains about 0.4 dB less.
	Fast
	// Best runs three passes with more patches. It takes one and a half to two times the time of Balanced, and gains up
	// to 0.1 dB.
	Best
)

var qualityNames = []string{"balanced", "fast", "best"}

func (q Quality) check() error {
	if q < 0 || int(q) >= len(qualityNames) {
		return badArgument("there is no quality %d", int(q))
	}
	return nil
}

// passes returns how many passes of the shipped models run at a quality. An invalid quality counts as Balanced.
func (q Quality) passes() int {
	if q.check() != nil {
		q = Balanced
	}
	return plans[whiteNoise][q].luma.passes.most
}

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
