package denoise

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
)

// comic draws coloured discs with black outlines and black strokes on cream paper, with smooth edges.
func comic(side int) [][]float32 {
	paper := [3]float64{1, 0.99, 0.94}
	planes := make([][]float32, 3)
	for c := range planes {
		planes[c] = make([]float32, side*side)
		for i := range planes[c] {
			planes[c][i] = float32(paper[c])
		}
	}
	// paint covers samples with a colour where distance, in samples, is negative.
	paint := func(colour [3]float64, distance func(x, y float64) float64) {
		for i := range side * side {
			cover := min(max(0.5-distance(float64(i%side), float64(i/side)), 0), 1)
			for c, p := range planes {
				p[i] += float32(cover * (colour[c] - float64(p[i])))
			}
		}
	}
	rng := rand.New(rand.NewPCG(5, 6))
	at := func() float64 { return rng.Float64() * float64(side) }
	for range 25 {
		x, y, r := at(), at(), 10+rng.Float64()*50
		paint([3]float64{}, func(u, v float64) float64 { return math.Hypot(u-x, v-y) - r })
		colour := [3]float64{0.24 + 0.76*rng.Float64(), 0.24 + 0.76*rng.Float64(), 0.24 + 0.76*rng.Float64()}
		paint(colour, func(u, v float64) float64 { return math.Hypot(u-x, v-y) - r + 3 })
	}
	for range 40 {
		x, y, dx, dy, width := at(), at(), 60*rng.NormFloat64(), 60*rng.NormFloat64(), 0.5+rng.Float64()
		paint([3]float64{}, func(u, v float64) float64 {
			t := min(max(((u-x)*dx+(v-y)*dy)/(dx*dx+dy*dy), 0), 1)
			return math.Hypot(u-x-t*dx, v-y-t*dy) - width
		})
	}
	return planes
}

// addGrain adds noise that is the same in all planes and smoothed by neighbours, as grain of paper is, in grey levels, and rounds to 8 bits.
func addGrain(planes [][]float32, side int, sigma float64, rng *rand.Rand) {
	white := make([]float32, side*side)
	noise.AddGaussian(white, white, 1, rng)
	smooth := func(p []float32) []float32 {
		weights := [3]float32{0.25, 0.5, 0.25}
		out := make([]float32, len(p))
		for i := range p {
			for dy, a := range weights {
				for dx, b := range weights {
					x, y := (i%side+dx-1+side)%side, (i/side+dy-1+side)%side
					out[i] += a * b * p[y*side+x]
				}
			}
		}
		return out
	}
	grain, squares := smooth(smooth(white)), 0.0
	for _, g := range grain {
		squares += float64(g * g)
	}
	scale := sigma / math.Sqrt(squares/float64(len(grain)))
	for _, p := range planes {
		for i, g := range grain {
			p[i] = float32(math.Round(min(max(255*float64(p[i])+scale*float64(g), 0), 255)) / 255)
		}
	}
}

// The strokes of scanned drawings are not taken for noise that would smear them.
func TestGrainOfDrawings(t *testing.T) {
	const side = 400
	clean := comic(side)
	for sigma, least := range map[float64]float64{3: 1, 5: 1, 8: -2} { // gain in dB
		noisy := clone(clean)
		addGrain(noisy, side, sigma, noise.Source(7, "grain"))
		before := metric.PSNRPlanes(clean, noisy)
		r, err := Planes(t.Context(), noisy, side, side, Options{Quality: Fast})
		if err != nil {
			t.Fatal(err)
		}
		if gain := metric.PSNRPlanes(clean, noisy) - before; gain < least {
			t.Errorf("grain of %g: %v, gain %.2f dB", sigma, r, gain)
		}
	}
}

// A caption without noise does not hide the noise of the colours of a photograph.
func TestCaptionsAreNoNoise(t *testing.T) {
	const side, caption = 400, 48
	_, noisy := noisyScene(side, side, 10)
	text := textPage(side, caption, 1, 0)
	dark, bright := [3]float64{30, 30, 40}, [3]float64{245, 245, 247}
	for c, p := range noisy {
		for i, v := range p {
			w := 255 * float64(v)
			if j := i - (side-caption)*side; j >= 0 {
				w = dark[c] + (bright[c]-dark[c])*float64(text[j])
			}
			p[i] = float32(math.Round(min(max(w, 0), 255)) / 255)
		}
	}
	r := Options{}.measure(image{noisy, side, side}).result()
	if r.SigmaChroma != 0 || r.Sigma < 8 || r.Sigma > 12 {
		t.Errorf("found %v", r)
	}
}
