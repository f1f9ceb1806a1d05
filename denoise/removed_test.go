package denoise

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
)

// grainOn adds noise of a level in gray levels, two samples broad, to a copy of planes.
func grainOn(planes [][]float32, w, h int, level float64) [][]float32 {
	r, out := rand.New(rand.NewPCG(21, 22)), clone(planes)
	for _, p := range out {
		white := filled((w+1)*(h+1), func(int) float32 { return float32(level / 255 / 2 * r.NormFloat64()) })
		for i := range p {
			at := i/w*(w+1) + i%w
			p[i] += white[at] + white[at+1] + white[at+w+1] + white[at+w+2]
		}
	}
	return out
}

// boundOf lowers a level for a picture of 8 bits.
func boundOf(t *testing.T, img image, level float64, workers int) float64 {
	t.Helper()
	j := jobOf(Options{Workers: workers})
	v := view{normalised: img.normalise(j.pool()), j: j, curve: noisecurve.Curve{Step: 1.0 / 255}}
	return must.Get(v.byRemoved(level))(t)
}

// The level of noise that is everywhere stays. Where there is only texture, a level is lowered, the more the higher it
// was.
func TestLevelsAreBoundByWhatIsRemoved(t *testing.T) {
	const w, h = 320, 240
	clean := scenetest.Draw(w, h)
	bound := func(planes [][]float32, level float64) float64 {
		return 255 * boundOf(t, image{planes, w, h}, level/255, 0)
	}
	for _, planes := range []int{1, 3} {
		for _, level := range []float64{6, 15} {
			if got := bound(grainOn(clean[:planes], w, h, level), 2*level); got < 1.9*level {
				t.Errorf("%d planes, noise of %g: %g is left of %g", planes, level, got, 2*level)
			}
		}
		if got := bound(clean[:planes], 12); got > 7 {
			t.Errorf("%d planes without noise: %g is left of 12", planes, got)
		}
	}
	flat := [][]float32{slices.Repeat([]float32{0.5}, w*h)}
	if got := bound(flat, 12); got != 0 {
		t.Errorf("one value: %g is left of 12", got)
	}
	if got := bound([][]float32{slices.Repeat([]float32{1}, w*h)}, 12); got != 12 {
		t.Errorf("all clipped, so that nothing is known: %g is left of 12", got)
	}
}

// Noise that the residual confirms has at least the usual level of photographs of that range.
func TestConfirmedNoiseHasTheUsualLevel(t *testing.T) {
	const w, h = 320, 240
	clean := scenetest.Draw(w, h)
	span, _ := dynamicRange(clean[:1])
	usual := 13 * span
	for _, c := range []struct{ noise, predicted, least, most float64 }{
		{4, 8, usual, usual + 0.5}, {4, 13, 13, 13}, {2, 10, 5, 9},
	} {
		noisy := image{grainOn(clean[:1], w, h, c.noise), w, h}
		if got := 255 * boundOf(t, noisy, c.predicted/255, 0); got < c.least-0.01 || got > c.most+0.01 {
			t.Errorf("noise of %g: %g becomes %g", c.noise, c.predicted, got)
		}
	}
}

// Bright points that are everywhere, as on glitter, are no noise: what is removed of them is skewed.
func TestPointsAreNoNoise(t *testing.T) {
	const w, h = 320, 240
	r := rand.New(rand.NewPCG(3, 4))
	points := filled((w+1)*(h+1), func(int) float32 {
		if r.Float64() > 0.05 {
			return 0
		}
		return float32(math.Exp(0.8*r.NormFloat64())) / 4
	})
	p := filled(w*h, func(i int) float32 {
		at := i/w*(w+1) + i%w
		return min(0.9, 0.2+(points[at]+points[at+1]+points[at+w+1]+points[at+w+2])/2)
	})
	if got := 255 * boundOf(t, image{grainOn([][]float32{p}, w, h, 4), w, h}, 35.0/255, 0); got > 20 {
		t.Errorf("%g is left of 35", got)
	}
}

func TestBoundIsTheSameForAnyNumberOfWorkers(t *testing.T) {
	const w, h = 420, 400
	drawn := scenetest.Draw(w, h)
	img := image{drawn[:], w, h}
	one := boundOf(t, img, 12.0/255, 1)
	for _, workers := range []int{2, 5} {
		if got := boundOf(t, img, 12.0/255, workers); got != one {
			t.Errorf("%d workers: %g, one: %g", workers, got, one)
		}
	}
}
