package estimate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"pgregory.net/rapid"
)

// broadNoise returns a plane of 0.5 plus noise that was averaged over 3 x 3 samples and has a standard deviation of level.
func broadNoise(width, height int, level float64, seed uint64) []float32 {
	white := make([]float32, (width+2)*(height+2))
	noise.AddGaussian(white, white, 3*level, noise.Source(seed, "broad"))
	plane := flat(width*height, 0.5)
	for i := range plane {
		for j := range 9 {
			plane[i] += white[(i/width+j/3)*(width+2)+i%width+j%3] / 9
		}
	}
	return plane
}

func TestBroadIsProportionalToTheNoise(t *testing.T) {
	const size = 160
	reference := MeasureBroad([][]float32{broadNoise(size, size, 0.02, 1)}, size, size, 0)
	if reference.Level < 0.005 || reference.Level > 0.08 {
		t.Errorf("noise of 0.02 measures %+v", reference)
	}
	if reference.LowQuantile > reference.Level || reference.LowQuantile < 0.5*reference.Level {
		t.Errorf("evenly spread noise measures %+v", reference)
	}
	for _, factor := range []float64{0.5, 2, 4} {
		got := MeasureBroad([][]float32{broadNoise(size, size, factor*0.02, 2)}, size, size, 0)
		if math.Abs(got.Level/(factor*reference.Level)-1) > 0.1 {
			t.Errorf("%g times the noise gives %g times the level", factor, got.Level/reference.Level)
		}
	}
}

// Sigma responds to fine noise, and MeasureBroad to broad noise.
func TestBroadAndSigmaMeasureDifferentNoise(t *testing.T) {
	const size = 160
	broad := [][]float32{broadNoise(size, size, 0.05, 1)}
	white := [][]float32{flat(size*size, 0.5)}
	noise.AddGaussian(white[0], white[0], 0.05, noise.Source(1, "white"))
	ratio := func(planes [][]float32) float64 {
		return MeasureBroad(planes, size, size, 0).Level / Sigma(planes, size, size, 0)
	}
	if b, w := ratio(broad), ratio(white); b < 3*w {
		t.Errorf("Level over Sigma is %.2f for broad noise and %.2f for white noise", b, w)
	}
}

func TestBroadOfFewSamples(t *testing.T) {
	for _, size := range [][2]int{{0, 0}, {1, 1}, {2, 3}, {1, 100}, {3, 50}, {4, 4}, {9, 17}} {
		plane := flat(size[0]*size[1], 0.4)
		if got := MeasureBroad([][]float32{plane}, size[0], size[1], 0); got != (Broad{}) {
			t.Errorf("%v samples of one value: %+v", size, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(1, 24).Draw(t, "width"), rapid.IntRange(1, 24).Draw(t, "height")
		values := []float32{0, 1, 0.5, -3, math.MaxFloat32, float32(math.NaN()), float32(math.Inf(1))}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		plane := make([]float32, width*height)
		for i := range plane {
			plane[i] = values[rng.IntN(len(values))]
		}
		before := slices.Clone(plane)
		got := MeasureBroad([][]float32{plane, plane}, width, height, 0)
		if !(got.Level >= 0) || math.IsInf(got.Level, 1) || !(got.LowQuantile >= 0) || got.LowQuantile > got.Level {
			t.Fatalf("got %+v", got)
		}
		for i := range plane {
			if math.Float32bits(plane[i]) != math.Float32bits(before[i]) {
				t.Fatal("the samples were changed")
			}
		}
	})
}

func ExampleMeasureBroad() {
	quiet, loud := broadNoise(64, 64, 0.01, 1), broadNoise(64, 64, 0.03, 1)
	a, b := MeasureBroad([][]float32{quiet}, 64, 64, 0), MeasureBroad([][]float32{loud}, 64, 64, 0)
	fmt.Printf("%.1f\n", b.Level/a.Level)
	// Output: 3.0
}
