package kernel

// The features of a WeightFunction are logarithms of magnitudes in units of sigma plus these offsets. Differences far
// below an offset do not matter.
const (
	PilotOffset    = 0.05 // for the pilot's coefficients
	ResidualOffset = 0.1  // for noisy coefficients minus the pilot's
	NoisyOffset    = 0.3  // for noisy coefficients
)

// MinLogWeight and MaxLogWeight bound the natural logarithms of the outputs of a WeightFunction.
const (
	MinLogWeight = -5
	MaxLogWeight = 4
)
