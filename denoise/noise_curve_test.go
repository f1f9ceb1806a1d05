package denoise

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/camera"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
)

// fallingNoise returns a scene with white noise in linear light, and one without: after the tone curve, dark parts have
// most of the noise. The first planes of it are used.
func fallingNoise(planes int, sigma float64) (clean, noisy *camera.Picture) {
	const w, h, gamma = 320, 240, 2.2
	drawn := scenetest.Draw(w, h)
	clean = &camera.Picture{Width: w, Height: h, Planes: drawn[:planes]}
	noisy = clean.Clone()
	rng := rand.New(rand.NewPCG(7, 7))
	noisy.Each(func(v float64) float64 {
		return math.Pow(max(0, math.Pow(v, gamma)+sigma*rng.NormFloat64()), 1/gamma)
	})
	return clean, noisy.Quantise()
}

func TestNoiseThatFallsWithBrightness(t *testing.T) {
	for _, planes := range []int{1, 3} {
		// the best of 2, 4, 8, 16 and 32
		for sigma, levels := range map[float64][]Options{
			0.01: {{Sigma: 4}, {Sigma: 8}}, 0.03: {{Sigma: 8}, {Sigma: 16}},
		} {
			clean, noisy := fallingNoise(planes, sigma)
			r, found, best := gains(t, clean, noisy, levels...)
			t.Logf("%d planes, noise of %g: %v, gain %.2f dB, with one level %.2f", planes, sigma, r, found, best)
			if r.Noise != Curve || !r.Estimated || found < best+0.3 {
				t.Errorf("%d planes, noise of %g: %v, gain %.2f dB, with one level %.2f", planes, sigma, r, found, best)
			}
			if r.Range[0] > r.Range[1]/3 {
				t.Errorf("%d planes, noise of %g: %v", planes, sigma, r)
			}
		}
	}
}

// Noise of other forms that is much stronger at some brightnesses: broad, and weak in the light half; alike in red,
// green and blue, and in proportion to the light.
func TestNoiseOfOtherCurves(t *testing.T) {
	const w, h = 256, 192
	drawn := scenetest.Draw(w, h)
	for name, add := range map[string]func(p *camera.Picture, normal func() float64){
		"broad": func(p *camera.Picture, normal func() float64) {
			for _, plane := range p.Planes {
				noise := make([]float64, len(plane)+w+1)
				for i := range noise {
					noise[i] = normal()
				}
				for i := range plane {
					sigma := 12.0
					if plane[i] = 0.2 + plane[i]/10; i/w < h/2 {
						plane[i], sigma = 0.9, 1.5
					}
					plane[i] += float32(sigma / 255 / 2 * (noise[i] + noise[i+1] + noise[i+w] + noise[i+w+1]))
				}
			}
		},
		"path tracer": func(p *camera.Picture, normal func() float64) {
			for i := range p.Planes[0] {
				n := 1 + 0.15*normal()
				for _, plane := range p.Planes {
					plane[i] = float32(n * math.Pow(float64(plane[i]), 3))
				}
			}
		},
	} {
		clean := (&camera.Picture{Width: w, Height: h, Planes: drawn[:]}).Clone()
		noisy := clean.Clone()
		add(clean, func() float64 { return 0 })
		add(noisy, rand.New(rand.NewPCG(9, 9)).NormFloat64)
		r, found, best := gains(t, clean, noisy, Options{Noise: Camera, Sigma: 8}, Options{Noise: Camera, Sigma: 16},
			Options{Noise: Camera, Sigma: 32})
		t.Logf("%s: %v, gain %.2f dB, with one level %.2f", name, r, found, best)
		if r.Noise != Curve || found < best-0.2 {
			t.Errorf("%s: %v, gain %.2f dB, with one level %.2f", name, r, found, best)
		}
	}
}

// The range of the samples does not matter.
func TestCurveOfAnyRange(t *testing.T) {
	_, noisy := fallingNoise(3, 0.02)
	want := noiseIn(image{noisy.Planes, noisy.Width, noisy.Height}, Options{}).result()
	low := noisy.Clone()
	low.Each(func(v float64) float64 { return (v + 1) / 64 })
	got := noiseIn(image{low.Planes, low.Width, low.Height}, Options{}).result()
	for i := range want.Range {
		if got.Noise != Curve || math.Abs(64*got.Range[i]/want.Range[i]-1) > 0.1 {
			t.Errorf("%v in a 64th of the range: %v", want, got)
		}
	}
}

func TestEvenNoiseIsNoCurve(t *testing.T) {
	drawn := scenetest.Draw(320, 240)
	for _, sigma := range []float64{0, 2, 10, 40} {
		for _, planes := range []int{1, 3} {
			p := (&camera.Picture{Width: 320, Height: 240, Planes: drawn[:planes]}).Clone()
			rng := rand.New(rand.NewPCG(8, 8))
			p.Each(func(v float64) float64 { return min(1, max(0, v+sigma/255*rng.NormFloat64())) })
			p = p.Quantise()
			if r := noiseIn(image{p.Planes, p.Width, p.Height}, Options{}).result(); r.Noise == Curve {
				t.Errorf("%d planes, noise of %g: %v", planes, sigma, r)
			}
		}
	}
}
