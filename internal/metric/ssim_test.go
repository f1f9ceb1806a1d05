package metric

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// definition computes SSIM as the paper defines it: at every position it forms a two-dimensional window, then the
// means, then the variances about them.
func definition(clean, restored []float32, width, height int) float64 {
	windowWidth, windowHeight := min(11, width), min(11, height)
	total, positions := 0.0, 0
	for top := 0; top <= height-windowHeight; top++ {
		for left := 0; left <= width-windowWidth; left++ {
			var weights, xs, ys []float64
			sum := 0.0
			for v := range windowHeight {
				for u := range windowWidth {
					dx := float64(u) - float64(windowWidth-1)/2
					dy := float64(v) - float64(windowHeight-1)/2
					weights = append(weights, math.Exp(-(dx*dx+dy*dy)/(2*1.5*1.5)))
					sum += weights[len(weights)-1]
					at := (top+v)*width + left + u
					xs = append(xs, float64(clean[at]))
					ys = append(ys, math.Min(1, math.Max(0, float64(restored[at]))))
				}
			}
			total += localSSIM(weights, sum, xs, ys)
			positions++
		}
	}
	return total / float64(positions)
}

func localSSIM(weights []float64, sum float64, xs, ys []float64) float64 {
	var meanX, meanY, varX, varY, cov float64
	for i, w := range weights {
		meanX += w / sum * xs[i]
		meanY += w / sum * ys[i]
	}
	for i, w := range weights {
		varX += w / sum * (xs[i] - meanX) * (xs[i] - meanX)
		varY += w / sum * (ys[i] - meanY) * (ys[i] - meanY)
		cov += w / sum * (xs[i] - meanX) * (ys[i] - meanY)
	}
	const c1, c2 = 0.0001, 0.0009
	return (2*meanX*meanY + c1) * (2*cov + c2) /
		((meanX*meanX + meanY*meanY + c1) * (varX + varY + c2))
}

func TestSSIMAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		width := rapid.IntRange(1, 24).Draw(t, "width")
		height := rapid.IntRange(1, 24).Draw(t, "height")
		spread := rapid.Float64Range(0, 0.8).Draw(t, "spread")
		clean := randomPlane(rng, width*height)
		restored := make([]float32, len(clean))
		for i := range restored {
			restored[i] = clean[i] + float32(spread*rng.NormFloat64())
		}
		got := SSIM(clean, restored, width, height)
		want := definition(clean, restored, width, height)
		if !(math.Abs(got-want) < 1e-9) {
			t.Fatalf("%d x %d: got %.12f, want %.12f", width, height, got, want)
		}
	})
}

func TestSSIMKnownValues(t *testing.T) {
	const width, height = 20, 15
	checks, inverse := make([]float32, width*height), make([]float32, width*height)
	black, white := make([]float32, width*height), make([]float32, width*height)
	for i := range checks {
		checks[i] = float32((i%width + i/width) % 2)
		inverse[i] = 1 - checks[i]
		white[i] = 1
	}
	tests := []struct {
		name            string
		clean, restored []float32
		want            float64
	}{
		{"equal", checks, checks, 1},
		{"constant and equal", white, white, 1},
		{"inverted", checks, inverse, -0.9964}, // -(1/4 - C2/2) / (1/4 + C2/2)
		{"black and white", black, white, 0.0001 / 1.0001},
	}
	for _, test := range tests {
		if got := SSIM(test.clean, test.restored, width, height); math.Abs(got-test.want) > 1e-4 {
			t.Errorf("%s: got %.5f, want %.5f", test.name, got, test.want)
		}
	}
}

func TestSSIMPlanesIsMean(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const width, height = 13, 17
	var clean, restored [][]float32
	want := 0.0
	for range 3 {
		a, b := randomPlane(rng, width*height), randomPlane(rng, width*height)
		clean, restored = append(clean, a), append(restored, b)
		want += SSIM(a, b, width, height) / 3
	}
	if got := SSIMPlanes(clean, restored, width, height); math.Abs(got-want) > 1e-12 {
		t.Errorf("got %g, want %g", got, want)
	}
}

func ExampleSSIM() {
	const width, height = 32, 32
	clean := make([]float32, width*height)
	blurred := make([]float32, width*height)
	for i := range clean {
		clean[i] = float32(i % 2)
		blurred[i] = 0.5
	}
	fmt.Printf("%.3f %.3f\n", SSIM(clean, clean, width, height), SSIM(clean, blurred, width, height))
	// Output: 1.000 0.004
}
