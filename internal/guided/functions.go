package guided

import "math"

// positive maps all numbers to positive ones: (v + sqrt(v^2 + 4)) / 2, about v for large v and -1/v for low v (J.
// Barron, "Squareplus: a softplus-like algebraic rectifier", 2021).
func positive(v float32) float32 { return 0.5 * (v + sqrt(v*v+4)) }

// sigmoid maps all numbers to 0..1. It is the derivative of positive.
func sigmoid(v float32) float32 { return 0.5 * (1 + v/sqrt(v*v+4)) }

// sigmoidSlope is the derivative of sigmoid.
func sigmoidSlope(v float32) float32 {
	s := v*v + 4
	return 2 / (s * sqrt(s))
}

func sqrt(v float32) float32 { return float32(math.Sqrt(float64(v))) }
