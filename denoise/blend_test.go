package denoise

import (
	"math"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/noise"
)

// keeping denoises a copy of an image and returns its decorrelated planes.
func keeping(t *testing.T, noisy [][]float32, width, height int, o Options) [][]float32 {
	t.Helper()
	out, _ := cleaned(t, noisy, width, height, o)
	if len(out) == 3 {
		decorrelate(out, pool{workers: 1})
	}
	return out
}

// Luma and chroma are blended each by its own share, for every kind of noise.
func TestLumaAndChromaAreKeptApart(t *testing.T) {
	const width, height = 48, 40
	_, noisy := noisyScene(width, height, 25)
	input := clone(noisy)
	decorrelate(input, pool{workers: 1})
	for name, o := range map[string]Options{
		"gaussian": {Models: byHand(t), Sigma: 25},
		"camera":   {Quality: Fast, Noise: Camera},
		"poisson":  {Models: byHand(t), Noise: Poisson, Photons: PhotonNoise{Gain: 0.05}},
	} {
		full := keeping(t, noisy, width, height, o)
		o.Keep, o.KeepLuma, o.KeepChroma = 0.5, 0.5, 1
		got := keeping(t, noisy, width, height, o)
		for p, share := range []float32{0.25, 0, 0} {
			for i, v := range input[p] {
				if want := v + share*(full[p][i]-v); math.Abs(float64(got[p][i]-want)) > 2e-6 {
					t.Fatalf("%s: plane %d, sample %d is %g, want %g", name, p, i, got[p][i], want)
				}
			}
		}
		o.KeepLuma = 1
		for p, plane := range keeping(t, noisy, width, height, o) {
			if !slices.Equal(plane, input[p]) {
				t.Errorf("%s: with all noise kept, plane %d changes", name, p)
			}
		}
	}
}

// Grain gives back the fine noise of the luma and leaves chroma and broad noise alone.
func TestGrainIsFineNoiseOfTheLuma(t *testing.T) {
	const width, height = 64, 50
	flat := slices.Repeat([]float32{0.5}, width*height)
	gray := [][]float32{make([]float32, len(flat))}
	noise.AddGaussian(gray[0], flat, 20.0/255, noise.Source(1, "grain"))
	rms := func(p []float32, side int) float64 { // of means over squares
		sum, n := 0.0, 0
		for y := 0; y+side <= height; y += side {
			for x := 0; x+side <= width; x += side {
				mean := 0.0
				for i := range side * side {
					mean += float64(p[(y+i/side)*width+x+i%side]-0.5) / float64(side*side)
				}
				sum += mean * mean
				n++
			}
		}
		return math.Sqrt(sum / float64(n))
	}
	o := Options{Models: byHand(t), Sigma: 20}
	without := keeping(t, gray, width, height, o)[0]
	o.Grain = 0.5
	with := keeping(t, gray, width, height, o)[0]
	fine := make([]float32, len(flat))
	for i, v := range with {
		fine[i] = v - without[i] + 0.5
	}
	if got, all := rms(fine, 1), rms(gray[0], 1); got < 0.3*all || got > 0.5*all {
		t.Errorf("%.4f of the noise of %.4f came back, want nearly half", got, all)
	}
	if got, all := rms(fine, 8), rms(gray[0], 8); got > 0.15*all {
		t.Errorf("broad noise of %.5f came back, of %.5f", got, all)
	}
	_, colour := noisyScene(width, height, 25)
	o.Grain = 0
	a := keeping(t, colour, width, height, o)
	o.Grain = 1
	b := keeping(t, colour, width, height, o)
	for p := 1; p < 3; p++ {
		for i, v := range a[p] {
			if math.Abs(float64(v-b[p][i])) > 2e-6 {
				t.Fatalf("chroma %d changes with grain", p)
			}
		}
	}
	if slices.Equal(a[0], b[0]) {
		t.Error("grain does not change the luma")
	}
}

func TestGrainOfTinyImages(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {1, 7}, {7, 1}, {3, 3}, {5, 4}} {
		_, noisy := noisyScene(size[0], size[1], 30)
		for _, v := range keeping(t, noisy, size[0], size[1], Options{Models: byHand(t), Sigma: 30, Grain: 0.5})[0] {
			if math.IsNaN(float64(v)) || math.Abs(float64(v)) > 4 {
				t.Fatalf("%v: sample %g", size, v)
			}
		}
	}
}
