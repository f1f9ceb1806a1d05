package level

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/estimate"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
)

// measure is Measure with the estimator that the program uses. Levels are in gray levels.
func measure(planes [][]float32, width, height int) (sigma, white float64, known bool) {
	white = estimate.Sigma(planes, width, height, 0)
	e := Measure(planes, width, height, white, Steps{}, 0)
	return 255 * e.Sigma, 255 * white, e.Known
}

func rounded(planes [][]float32) [][]float32 {
	for _, p := range planes {
		for i, v := range p {
			p[i] = float32(math.Round(float64(min(max(v, 0), 1)*255)) / 255)
		}
	}
	return planes
}

func TestShippedNetworksFitTheFeatures(t *testing.T) {
	if len(shipped) > 300_000 {
		t.Errorf("the file has %d bytes", len(shipped))
	}
	for _, planes := range []int{1, 3} {
		if _, _, known := measure(whiteNoise(128, 128, planes, 10), 128, 128); !known {
			t.Errorf("no network for %d planes", planes)
		}
	}
}

func TestSmallPicturesAreUnknown(t *testing.T) {
	for _, size := range [][2]int{{0, 0}, {1, 1}, {8, 8}, {8, 300}, {300, 63}, {63, 63}} {
		for _, planes := range []int{1, 3} {
			p := whiteNoise(size[0], size[1], planes, 10)
			e := Measure(p, size[0], size[1], 0.04, Steps{}, 0)
			if e.Known || e.Sigma != 0.04 {
				t.Errorf("%d planes of %v: %+v", planes, size, e)
			}
		}
	}
}

func TestAnySizeIsFinite(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		w, h := 1+r.IntN(150), 1+r.IntN(150)
		p := whiteNoise(w, h, 1+2*r.IntN(2), 40*r.Float64())
		for range r.IntN(4) {
			bad := []float32{float32(math.NaN()), float32(math.Inf(1)), -3e38, 0, 1}[r.IntN(5)]
			for i := r.IntN(w * h); i < w*h && r.IntN(50) > 0; i++ {
				p[0][i] = bad
			}
		}
		e := Measure(p, w, h, 10.0/255, Steps{}, 0)
		if !(e.Sigma >= 0 && e.Sigma < 1) {
			t.Errorf("%d x %d: %+v", w, h, e)
		}
	}
}

func TestFlatPictureHasNoNoise(t *testing.T) {
	p := whiteNoise(200, 200, 3, 0)
	if sigma, _, _ := measure(p, 200, 200); sigma != 0 {
		t.Errorf("sigma %g", sigma)
	}
}

func TestWhiteNoiseIsToldItsLevel(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	for _, sigma := range []float64{8, 15, 40} {
		for _, planes := range []int{1, 3} {
			p := soft(400, 300)[:planes]
			for c := range p {
				for i := range p[c] {
					p[c][i] += float32(sigma / 255 * r.NormFloat64())
				}
			}
			got, white, _ := measure(rounded(p), 400, 300)
			// up to there, the program takes the estimate of white noise
			if math.Abs(math.Log(got/white)) > math.Log(2) {
				t.Errorf("%d planes, sigma %g: told %g, the estimator of white noise says %g", planes, sigma, got,
					white)
			}
		}
	}
}

// drawn is a picture without noise, in 8 bits: half of it is smooth, and half of it is fine texture.
func drawn(width, height int) [][]float32 {
	p := scenetest.Draw(width, height)
	return rounded(p[:])
}

// Models that are told 2.2 keep 48 dB of this picture. Package denoise tests what becomes of it.
func TestCleanPictureHasHardlyAnyNoise(t *testing.T) {
	for _, size := range [][2]int{{400, 300}, {800, 600}} {
		p := drawn(size[0], size[1])
		if sigma, _, _ := measure(p, size[0], size[1]); sigma > 2.2 {
			t.Errorf("%v: sigma %g", size, sigma)
		}
	}
}

// broadNoise adds noise that was filtered with a 3 x 3 kernel of 1 2 1, as demosaicing does; its standard deviation is
// sigma gray levels.
func broadNoise(p [][]float32, width, height int, sigma float64) [][]float32 {
	r := rand.New(rand.NewPCG(8, 9))
	kernel := [3]float64{0.25, 0.5, 0.25}
	gain := sigma / 255 / (0.25*0.25*2 + 0.5*0.5)
	for c := range p {
		white := make([]float64, (width+2)*(height+2))
		for i := range white {
			white[i] = gain * r.NormFloat64()
		}
		for y := range height {
			for x := range width {
				sum := 0.0
				for j, a := range kernel {
					for i, b := range kernel {
						sum += a * b * white[(y+j)*(width+2)+x+i]
					}
				}
				p[c][y*width+x] += float32(sum)
			}
		}
	}
	return rounded(p)
}

// soft is a picture without noise whose finest detail is four samples wide, as in photographs at full size.
func soft(width, height int) [][]float32 {
	small := scenetest.Draw(width/2+1, height/2+1)
	p := make([][]float32, 3)
	for c := range p {
		p[c] = make([]float32, width*height)
		for i := range p[c] {
			x, y := i%width, i/width
			at := y/2*(width/2+1) + x/2
			right, down := x%2, y%2*(width/2+1)
			v := small[c]
			p[c][i] = (v[at] + v[at+right] + v[at+down] + v[at+right+down]) / 4
		}
	}
	return rounded(p)
}

// The finest detail has hardly any of the noise. The drawn scene is nearly all texture, so that the prediction is
// careful.
func TestBroadNoiseIsFound(t *testing.T) {
	for _, level := range []float64{4, 8} {
		sigma, white, _ := measure(broadNoise(soft(400, 300), 400, 300, level), 400, 300)
		if white > level/2 {
			t.Errorf("the estimator of white noise finds %g of %g", white, level)
		}
		if sigma < 4*white || sigma < 0.6*level || sigma > 4*level {
			t.Errorf("noise of %g: told %g", level, sigma)
		}
	}
}

// A gray picture is the same picture when it is stored in three planes; its luma is larger by the root of three.
func TestGrayStoredInColour(t *testing.T) {
	gray := broadNoise(drawn(400, 300)[:1], 400, 300, 6)
	white := estimate.Sigma(gray, 400, 300, 0)
	want := Measure(gray, 400, 300, white, Steps{}, 0)
	got := Measure([][]float32{gray[0], gray[0], gray[0]}, 400, 300, white, Steps{}, 0)
	if math.Abs(got.Sigma/want.Sigma-math.Sqrt(3)) > 1e-9 {
		t.Errorf("%g in colour, %g in gray", got.Sigma, want.Sigma)
	}
}

// BenchmarkMeasure predicts the level of a megapixel on one processor, without the estimate of white noise.
func BenchmarkMeasure(b *testing.B) {
	const side = 1000
	p := broadNoise(drawn(side, side), side, side, 6)
	for b.Loop() {
		Measure(p, side, side, 3.0/255, someSteps(), 1)
	}
}

// Known steps have a say: a file whose fine frequencies are gone shows less of its noise than one that keeps them.
func TestStepsHaveASay(t *testing.T) {
	const width, height = 400, 300
	p := broadNoise(soft(width, height), width, height, 6)
	white := estimate.Sigma(p, width, height, 0)
	unknown := Measure(p, width, height, white, Steps{}, 0)
	known := Measure(p, width, height, white, someSteps(), 0)
	if unknown.Sigma == known.Sigma || known.Sigma <= 0 || !known.Known {
		t.Errorf("%g without steps, %g with them", 255*unknown.Sigma, 255*known.Sigma)
	}
}
