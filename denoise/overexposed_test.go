package denoise

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// Overexposed parts are constant, but do not make a drawing of a photograph.
func TestOverexposedPartsAreNoPaper(t *testing.T) {
	const w, h, sigma = 256, 192, 0.03
	rng := rand.New(rand.NewPCG(1, 1))
	for _, planes := range []int{1, 3} {
		img := &imageio.Image{Width: w, Height: h, Depth: imageio.Depth8, Format: imageio.PNG}
		for range planes {
			p := make([]float32, w*h)
			for i := range p {
				v := 0.4 + 1.5*float64(i%w)/w + sigma*rng.NormFloat64()
				p[i] = float32(math.Round(255*min(1, v)) / 255)
			}
			img.Planes = append(img.Planes, p)
		}
		r, err := Decoded(t.Context(), img, FileOptions{Options: Options{Quality: Fast}})
		if err != nil || r.Noise != Gaussian || math.Abs(r.Sigma-255*sigma) > 1 {
			t.Errorf("%d planes: %v, %v", planes, r, err)
		}
	}
}
