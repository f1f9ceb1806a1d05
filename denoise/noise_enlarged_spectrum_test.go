package denoise

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// White noise has its variance at all frequencies, but for the lowest, which the mean and the window take.
func TestSpectrumOfWhiteNoise(t *testing.T) {
	const width, height, variance = 400, 300, 4.0
	rng := rand.New(rand.NewPCG(3, 4))
	p := make([]float32, width*height)
	for i := range p {
		p[i] = float32(100 + math.Sqrt(variance)*rng.NormFloat64())
	}
	p[5] = float32(math.NaN()) // its lines are left out
	density := spectrum(p, width, height, 0)
	for k, v := range density[4:] {
		if v < 0.8*variance || v > 1.25*variance {
			t.Errorf("frequency %d: %.2f, want %g", k+4, v, variance)
		}
	}
	if got := spectrum(p, width, height, 1); !slices.Equal(got, density) {
		t.Error("one worker gives another spectrum")
	}
	if spectrum(p[:200*127], 200, 127, 0) != nil {
		t.Error("a spectrum of a plane that is too small")
	}
}

// A sample of the reduced image is the mean of a square.
func TestReduced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		side := rapid.IntRange(1, 8).Draw(t, "side")
		width, height := rapid.IntRange(side, 40).Draw(t, "width"), rapid.IntRange(side, 40).Draw(t, "height")
		p := make([]float32, width*height)
		for i := range p {
			p[i] = float32(i * i % 251)
		}
		small := image{[][]float32{p}, width, height}.reduced(side, crew{workers: 2})
		if small.width != width/side || small.height != height/side {
			t.Fatalf("%d x %d", small.width, small.height)
		}
		for i, got := range small.planes[0] {
			sum := 0
			for j := range side * side {
				sum += int(p[(i/small.width*side+j/side)*width+i%small.width*side+j%side])
			}
			if want := float32(sum) / float32(side*side); got != want {
				t.Fatalf("sample %d is %g, want %g", i, got, want)
			}
		}
	})
}
