package denoise

import (
	goimage "image"
	"math"
	"math/rand/v2"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/inconsolata"
	"golang.org/x/image/math/fixed"

	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
	"github.com/blorc-denoise/blorc-denoise/internal/scene"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
)

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
		if found := (Options{}).measure(imageOf([][]float32{page}, 1, width, height)); found.result().Sigma != 0 {
			t.Errorf("paper %g and ink %g: %+v", c.paper, c.ink, found.result())
		}
		for _, sigma := range []float64{2, 4} {
			noisy := make([]float32, len(page))
			noise.AddGaussian(noisy, page, sigma/255, rand.New(rand.NewPCG(3, 4)))
			for i, v := range noisy { // as a file of 8 bits holds it
				noisy[i] = float32(math.Round(255*min(max(float64(v), 0), 1)) / 255)
			}
			found := (Options{}).measure(imageOf([][]float32{noisy}, 1, width, height)).result().Sigma
			if found < 0.75*sigma || found > 1.5*sigma {
				t.Errorf("paper %g and ink %g: found %.2f for noise of %g", c.paper, c.ink, found, sigma)
			}
		}
	}
}

func TestPhotographsAreNoPages(t *testing.T) {
	const side = 400
	for _, sigma := range []float64{0, 5, 20} {
		img := imageOf([][]float32{scene.Gray(scenetest.Draw(side, side))}, 1, side, side)
		noise.AddGaussian(img.planes[0], img.planes[0], sigma/255, rand.New(rand.NewPCG(5, 6)))
		if paper, ok := img.pageBlocks(noisecurve.Curve{}, 0).paper(); ok {
			t.Errorf("noise of %g: a page with paper of %g", sigma, 255*paper)
		}
	}
}

func TestPaperOfOddPlanes(t *testing.T) {
	nan := float32(math.NaN())
	for name, p := range map[string][]float32{"one value": make([]float32, 400), "not numbers": {399: nan}, "infinite": {5: float32(math.Inf(1)), 399: 0}} {
		if _, ok := imageOf([][]float32{p}, 1, 20, 20).pageBlocks(noisecurve.Curve{}, 0).paper(); ok {
			t.Error(name)
		}
	}
	if _, ok := imageOf([][]float32{{1, 2, 3}}, 1, 3, 1).pageBlocks(noisecurve.Curve{}, 0).paper(); ok {
		t.Error("three samples")
	}
}

// The level of the paper does not depend on the number of workers, and not on what is beside the blocks.
func TestPaperIsTheSameForAnyNumberOfWorkers(t *testing.T) {
	const width, height = 700, 500
	rng := rand.New(rand.NewPCG(7, 8))
	p := make([]float32, width*height)
	for i := range p {
		p[i] = float32(0.9 + 0.01*rng.NormFloat64())
		if x, y := i%width, i/width; x/20%3 == 0 && y/30%2 == 0 {
			p[i] -= 0.8
		}
	}
	img := imageOf([][]float32{p}, 1, width, height)
	want, ok := img.pageBlocks(noisecurve.Curve{}, 1).paper()
	if !ok || math.Abs(want-0.01) > 0.002 {
		t.Fatalf("paper of %g, %v", want, ok)
	}
	for _, workers := range []int{0, 2, 3, 16} {
		for _, curve := range []noisecurve.Curve{{}, noisecurve.Measure(img.planes, width, height, workers)} {
			if got, ok := img.pageBlocks(curve, workers).paper(); !ok || got != want {
				t.Errorf("%d workers: %g, want %g", workers, got, want)
			}
		}
	}
}
