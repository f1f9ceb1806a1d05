package denoise

import (
	goimage "image"
	"math"
	"math/rand/v2"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/inconsolata"
	"golang.org/x/image/math/fixed"

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

// addGrain adds noise that is the same in all planes and smoothed by neighbours, as grain of paper is, in gray levels,
// and rounds to 8 bits.
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
		r := mustPlanes(t, noisy, side, side, Options{Quality: Fast})
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
	r := noiseIn(image{noisy, side, side}, Options{}).result()
	if r.SigmaChroma != 0 || r.Sigma < 8 || r.Sigma > 12 {
		t.Errorf("found %v", r)
	}
}

// textPage draws random words at half the size of the font, so that strokes have grays at their edges.
func textPage(width, height int, paper, ink float32) []float32 {
	mask := goimage.NewAlpha(goimage.Rect(0, 0, 2*width, 2*height))
	rng := rand.New(rand.NewPCG(1, 2))
	d := font.Drawer{Dst: mask, Src: goimage.Opaque, Face: inconsolata.Regular8x16}
	for y := 40; y < 2*height-20; y += 24 {
		for x := 20; x < 2*width-120; {
			word := make([]byte, 1+rng.IntN(9))
			for i := range word {
				word[i] = byte('a' + rng.IntN(26))
			}
			d.Dot = fixed.P(x, y)
			d.DrawBytes(word)
			x = d.Dot.X.Ceil() + 8
		}
	}
	page := make([]float32, width*height)
	for i := range page {
		x, y := 2*(i%width), 2*(i/width)
		cover := 0
		for k := range 4 {
			cover += int(mask.AlphaAt(x+k%2, y+k/2).A)
		}
		page[i] = paper + (ink-paper)*float32(cover)/(4*255)
	}
	return page
}

func TestTextIsNotTakenForNoise(t *testing.T) {
	const width, height = 400, 500
	for _, c := range []struct{ paper, ink float32 }{{1, 0}, {0.2, 0.8}, {0.95, 0.1}} {
		page := textPage(width, height, c.paper, c.ink)
		if found := noiseIn(imageOf([][]float32{page}, 1, width, height), Options{}); found.result().Sigma != 0 {
			t.Errorf("paper %g and ink %g: %+v", c.paper, c.ink, found.result())
		}
		for _, sigma := range []float64{2, 4} {
			noisy := make([]float32, len(page))
			noise.AddGaussian(noisy, page, sigma/255, rand.New(rand.NewPCG(3, 4)))
			for i, v := range noisy { // as a file of 8 bits holds it
				noisy[i] = float32(math.Round(255*min(max(float64(v), 0), 1)) / 255)
			}
			found := noiseIn(imageOf([][]float32{noisy}, 1, width, height), Options{}).result().Sigma
			if found < 0.75*sigma || found > 1.5*sigma {
				t.Errorf("paper %g and ink %g: found %.2f for noise of %g", c.paper, c.ink, found, sigma)
			}
		}
	}
}
