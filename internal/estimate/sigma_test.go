package estimate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
)

func TestSigmaOnScene(t *testing.T) {
	const width, height = 256, 192
	colour := scenetest.Draw(width, height)
	images := map[string][][]float32{
		"gray":   {scenetest.Gray(colour)},
		"colour": colour[:],
	}
	for name, planes := range images {
		for _, level := range []float64{5, 10, 25, 50} {
			rng := noise.Source(1, name)
			noisy := make([][]float32, len(planes))
			for i, plane := range planes {
				noisy[i] = make([]float32, len(plane))
				noise.AddGaussian(noisy[i], plane, level/255, rng)
			}
			got := 255 * Sigma(noisy, width, height, 0)
			if math.Abs(got-level) > 0.10*level {
				t.Errorf("%s: got %.2f, want %g within 10 %%", name, got, level)
			}
		}
	}
}

// The noisy scene is clipped and rounded to 8 bits, as in the files of most cameras.
func TestSigmaOnEightBitScene(t *testing.T) {
	const width, height = 256, 192
	clean := scenetest.Gray(scenetest.Draw(width, height))
	for _, level := range []float64{5, 10, 25, 50} {
		noisy := make([]float32, len(clean))
		noise.AddGaussian(noisy, clean, level/255, noise.Source(1, "8 bit"))
		toEightBit(noisy)
		got := 255 * Sigma([][]float32{noisy}, width, height, 0)
		if math.Abs(got-level) > 0.12*level {
			t.Errorf("got %.2f, want %g within 12 %%", got, level)
		}
	}
}

// The right half of the image is clipped at white. Its samples must not count.
func TestSigmaAvoidsClippedHalf(t *testing.T) {
	const size, level = 128, 10.0
	plane := make([]float32, size*size)
	for i := range plane {
		plane[i] = 0.5
		if i%size >= size/2 {
			plane[i] = 1.01
		}
	}
	noise.AddGaussian(plane, plane, level/255, noise.Source(1, "clipped"))
	toEightBit(plane)
	if got := 255 * Sigma([][]float32{plane}, size, size, 0); math.Abs(got-level) > 0.05*level {
		t.Errorf("got %.2f, want %g within 5 %%", got, level)
	}
}

// A frame without noise must not hide the noise of the picture in it.
func TestSigmaAvoidsBorder(t *testing.T) {
	const size, level = 128, 10.0
	plane := flat(size*size, 0.5)
	noise.AddGaussian(plane, plane, level/255, noise.Source(1, "border"))
	for i := range plane {
		if x, y := i%size, i/size; min(x, y, size-1-x, size-1-y) < 14 {
			plane[i] = 0.9
		}
	}
	if got := 255 * Sigma([][]float32{plane}, size, size, 0); math.Abs(got-level) > 0.05*level {
		t.Errorf("got %.2f, want %g within 5 %%", got, level)
	}
}

// On a flat area with noise there is no texture, so the mean error is the bias of the method. All patch sizes are
// tested.
func TestSigmaIsNearlyUnbiased(t *testing.T) {
	for _, size := range [][2]int{{3, 300}, {5, 200}, {24, 24}, {64, 64}, {300, 200}} {
		width, height := size[0], size[1]
		const runs = 40
		mean := 0.0
		for run := range uint64(runs) {
			plane := flat(width*height, 0.5)
			noise.AddGaussian(plane, plane, 0.1, noise.Source(run, "flat"))
			mean += Sigma([][]float32{plane}, width, height, 0) / runs
		}
		most := 0.006
		// the few patches overlap, so the lowest variances are lower than the correction assumes
		if width < 32 && height < 32 {
			most = 0.008
		}
		if math.Abs(mean-0.1) > most {
			t.Errorf("%d x %d: %.4f on average, want 0.1 within %g", width, height, mean, most)
		}
	}
}

func TestSigmaWithoutNoise(t *testing.T) {
	ramp := make([]float32, 100*80)
	for i := range ramp {
		ramp[i] = float32(i%100) / 100
	}
	tests := []struct {
		name          string
		planes        [][]float32
		width, height int
		most          float64
	}{
		{"no planes", nil, 10, 10, 0},
		{"no samples", [][]float32{{}}, 0, 0, 0},
		{"one sample", [][]float32{{0.3}}, 1, 1, 0},
		{"one column", [][]float32{{0, 1, 0, 1}}, 1, 4, 0},
		{"constant", [][]float32{flat(400, 0.3)}, 20, 20, 0},
		{"black", [][]float32{flat(400, 0)}, 20, 20, 0},
		{"white, three planes", [][]float32{flat(400, 1), flat(400, 1), flat(400, 1)}, 20, 20, 0},
		{"huge constant", [][]float32{flat(400, math.MaxFloat32)}, 20, 20, 0},
		{"ramp", [][]float32{ramp}, 100, 80, 1e-6},
	}
	for _, test := range tests {
		if got := Sigma(test.planes, test.width, test.height, 0); !(got >= 0 && got <= test.most) {
			t.Errorf("%s: got %g, want 0 to %g", test.name, got, test.most)
		}
	}
}

func TestSigmaIsFinite(t *testing.T) {
	values := []float32{0, 1, 0.5, -3, math.MaxFloat32, -math.MaxFloat32,
		float32(math.NaN()), float32(math.Inf(1)), math.SmallestNonzeroFloat32}
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 20).Draw(t, "width")
		height := rapid.IntRange(1, 20).Draw(t, "height")
		pick := rapid.IntRange(1, len(values)).Draw(t, "kinds")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		plane := make([]float32, width*height)
		for i := range plane {
			plane[i] = values[rng.IntN(pick)]
		}
		before := slices.Clone(plane)
		got := Sigma([][]float32{plane}, width, height, 0)
		if !(got >= 0) || math.IsInf(got, 1) {
			t.Fatalf("got %g", got)
		}
		if again := Sigma([][]float32{plane}, width, height, 0); again != got {
			t.Fatalf("got %g, then %g", got, again)
		}
		for i := range plane {
			if math.Float32bits(plane[i]) != math.Float32bits(before[i]) {
				t.Fatal("the samples were changed")
			}
		}
	})
}

// Around NaN samples the rest of the image is still measured.
func TestSigmaSkipsNotFinite(t *testing.T) {
	const size = 100
	plane := flat(size*size, 0.5)
	noise.AddGaussian(plane, plane, 0.1, noise.Source(1, "hole"))
	for i := range 20 {
		plane[(i+10)*size+40] = float32(math.NaN())
	}
	if got := Sigma([][]float32{plane}, size, size, 0); math.Abs(got-0.1) > 0.005 {
		t.Errorf("got %g, want 0.1", got)
	}
}

// A sample that becomes exactly 1 would count as clipped, so the next smaller one takes its place.
func TestSigmaScalesWithSamples(t *testing.T) {
	const width, height = 96, 64
	plane := scenetest.Gray(scenetest.Draw(width, height))
	noise.AddGaussian(plane, plane, 0.1, noise.Source(1, "scale"))
	rapid.Check(t, func(t *rapid.T) {
		factor := rapid.Float32Range(0.01, 100).Draw(t, "factor")
		scaled := make([]float32, len(plane))
		for i, sample := range plane {
			scaled[i] = factor * sample
			if scaled[i] == 1 {
				scaled[i] = math.Nextafter32(1, 0)
			}
		}
		ratio := Sigma([][]float32{scaled}, width, height, 0) / Sigma([][]float32{plane}, width, height, 0)
		if math.Abs(ratio/float64(factor)-1) > 1e-3 {
			t.Fatalf("samples times %g gives sigma times %g", factor, ratio)
		}
	})
}

func TestSigmaRefusesWrongShape(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic for a plane that is too short")
		}
	}()
	Sigma([][]float32{make([]float32, 100), make([]float32, 99)}, 10, 10, 0)
}

func flat(size int, value float32) []float32 {
	return slices.Repeat([]float32{value}, size)
}

func toEightBit(plane []float32) {
	for i, sample := range plane {
		plane[i] = float32(math.Round(255*min(1, max(0, float64(sample)))) / 255)
	}
}

func ExampleSigma() {
	const width, height = 160, 120
	planes := scenetest.Draw(width, height)
	rng := noise.Source(1, "example")
	for _, plane := range planes {
		noise.AddGaussian(plane, plane, 0.1, rng)
	}
	fmt.Printf("%.1f\n", Sigma(planes[:], width, height, 0))
	// Output: 0.1
}
