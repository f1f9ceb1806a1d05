package camera

import (
	"math/rand/v2"
	"testing"
)

func TestNoiseGrowsWithTheSensitivity(t *testing.T) {
	p := drawn(96, 64)
	before := 0.0
	for _, iso := range []float64{100, 400, 1600, 6400, 25600} {
		noisy, clean := Typical(iso).Develop(p, rand.New(rand.NewPCG(1, 1)))
		noise := meanSquare(noisy, clean)
		if noise < 1.3*before {
			t.Errorf("ISO %g has noise of %.2f, the one before %.2f", iso, noise, before)
		}
		before = noise
	}
}
