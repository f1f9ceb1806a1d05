package denoise

import (
	"errors"
	"math"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/models"
)

func TestRefiningModelsAreNoModelsOfTheirOwn(t *testing.T) {
	for _, name := range []string{models.Luma, models.Chroma, models.BroadLuma, models.BroadChroma} {
		if _, err := ShippedModels(name); !errors.Is(err, ErrArgument) {
			t.Errorf("ShippedModels(%q): %v", name, err)
		}
		family := must.Get(models.Named(name))(t)
		m := must.Get(family[0].Load())(t)
		if _, err := UseModel(m); !errors.Is(err, ErrArgument) {
			t.Errorf("UseModel of %s: %v", name, err)
		}
	}
}

// colourCard returns a gray picture with red bars of 3 pixels, with noise and without.
func colourCard(side int, bars bool, sigma float64, seed uint64) (clean, noisy [][]float32) {
	for c := range 3 {
		p := make([]float32, side*side)
		for i := range p {
			p[i] = 0.5
			if x, y := i%side, i/side; bars && x%16 < 3 && y%32 < 24 {
				p[i] = []float32{0.8, 0.3, 0.3}[c]
			}
		}
		q := make([]float32, len(p))
		noise.AddGaussian(q, p, sigma/255, noise.Source(seed, string(rune('a'+c))))
		clean, noisy = append(clean, p), append(noisy, q)
	}
	return clean, noisy
}

// chromaSpread returns the standard deviation of both chroma planes after a blur by boxes of the given radius, in gray
// levels.
func chromaSpread(planes [][]float32, side, radius int) float64 {
	sum, sum2, n := 0.0, 0.0, 0.0
	for y := radius; y+radius < side; y += radius {
		for x := radius; x+radius < side; x += radius {
			var mean [3]float64
			for dy := -radius; dy <= radius; dy++ {
				for dx := -radius; dx <= radius; dx++ {
					for c := range mean {
						mean[c] += 255 * float64(planes[c][(y+dy)*side+x+dx]) / float64((2*radius+1)*(2*radius+1))
					}
				}
			}
			for _, v := range []float64{(mean[0] - mean[2]) / math.Sqrt2,
				(mean[0] - 2*mean[1] + mean[2]) / math.Sqrt(6)} {
				sum, sum2, n = sum+v, sum2+v*v, n+1
			}
		}
	}
	return math.Sqrt(sum2/n - sum*sum/n/n)
}

// Small coloured details keep their colour.
func TestRedBarsStayRed(t *testing.T) {
	const side, sigma = 160, 25
	clean, noisy := colourCard(side, true, sigma, 3)
	mustPlanes(t, noisy, side, side, Options{Sigma: sigma})
	is, want, n := 0.0, 0.0, 0
	for i := range clean[0] {
		if x, y := i%side, i/side; x%16 == 1 && y%32 > 2 && y%32 < 21 {
			is += float64(noisy[0][i] - noisy[2][i])
			want += float64(clean[0][i] - clean[2][i])
			n++
		}
	}
	if n == 0 || is < 0.9*want {
		t.Errorf("red bars keep %.1f %% of their colour", 100*is/want)
	}
}
