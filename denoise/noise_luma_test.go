package denoise

import (
	"math/rand/v2"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/camera"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
)

// The program finds noise that is the same in red, green and blue, and leaves the colours as they are.
func TestNoiseOfBrightnessAlone(t *testing.T) {
	const w, h = 320, 240
	drawn := scenetest.Draw(w, h)
	clean := &camera.Picture{Width: w, Height: h, Planes: drawn[:]}
	for _, sigma := range []float64{5, 12, 25} {
		noisy := clean.Clone()
		rng := rand.New(rand.NewPCG(11, 2))
		for i := range w * h {
			n := float32(sigma / 255 * rng.NormFloat64())
			for _, p := range noisy.Planes {
				p[i] += n
			}
		}
		noisy = noisy.Quantise()
		r, found, best := gains(t, clean, noisy, Options{Sigma: 0.8 * sigma}, Options{Sigma: sigma},
			Options{Sigma: 1.3 * sigma}, Options{Sigma: 1.7 * sigma})
		t.Logf("noise of %g: %v, gain %.2f dB, with one level %.2f", sigma, r, found, best)
		if r.Noise != Gaussian || r.SigmaChroma == 0 || r.SigmaChroma > 0.1*r.Sigma || found < best+0.3 {
			t.Errorf("noise of %g: %v, gain %.2f dB, with one level %.2f", sigma, r, found, best)
		}
	}
}

// Independent noise is not that of the brightness alone.
func TestNoiseOfColoursIsFound(t *testing.T) {
	const w, h = 320, 240
	drawn := scenetest.Draw(w, h)
	for _, sigma := range []float64{0, 3, 12, 40} {
		p := (&camera.Picture{Width: w, Height: h, Planes: drawn[:]}).Clone()
		rng := rand.New(rand.NewPCG(12, 2))
		p.Each(func(v float64) float64 { return min(1, max(0, v+sigma/255*rng.NormFloat64())) })
		p = p.Quantise()
		if r := noiseIn(image{p.Planes, w, h}, Options{}).result(); r.SigmaChroma > 0 && r.SigmaChroma < 0.5*r.Sigma {
			t.Errorf("noise of %g: %v", sigma, r)
		}
	}
}
