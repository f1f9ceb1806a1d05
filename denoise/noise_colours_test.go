package denoise

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
)

// weave draws a picture whose brightness has fine texture, and colours that change slowly.
func weave(width, height int) [][]float32 {
	rng := rand.New(rand.NewPCG(9, 9))
	planes := make([][]float32, 3)
	for i := range width * height {
		x, y := float64(i%width), float64(i/width)
		light := 0.35 + 0.2*math.Sin(x/50) + 0.1*(rng.Float64()-0.5)*(1+math.Sin(y/30))
		for c := range planes {
			planes[c] = append(planes[c], float32(light*(1+0.3*math.Sin((x+y)/90+float64(c)))))
		}
	}
	return planes
}

func addNoise(planes [][]float32, sigma func(plane int, v float64) float64) {
	rng := rand.New(rand.NewPCG(9, 10))
	for c, p := range planes {
		for i, v := range p {
			p[i] = v + float32(sigma(c, float64(v))*rng.NormFloat64())
		}
	}
}

// Photon noise that is weaker than the texture of all places is found in the colours, and so are channels that differ.
func TestPhotonNoiseBelowTexture(t *testing.T) {
	const w, h = 400, 300
	for _, gains := range [][3]float64{{0.0004, 0.0004, 0.0004}, {0.0012, 0.0004, 0.0006}} {
		planes := weave(w, h)
		addNoise(planes, func(c int, v float64) float64 { return math.Sqrt(gains[c] * max(0, v)) })
		r := noiseIn(image{planes, w, h}, Options{}).result()
		got := [3]PhotonNoise{r.Photons, r.Photons, r.Photons}
		if r.Channels != ([3]PhotonNoise{}) {
			got = r.Channels
		}
		for c, want := range gains {
			// The variance in the middle of the range counts: gain, offset and read noise balance each other.
			n := got[c]
			variance := n.Gain*(0.35-n.Offset) + n.ReadNoise*n.ReadNoise
			if r.Noise != Poisson || math.Abs(variance/(0.35*want)-1) > 0.2 {
				t.Errorf("%v: channel %d: %v, variance %g, want %g", gains, c, r, variance, 0.35*want)
			}
		}
	}
}

// White noise of another level in each channel is made even.
func TestWhiteNoiseOfChannels(t *testing.T) {
	const w, h = 400, 300
	sigmas := [3]float64{0.12, 0.04, 0.06}
	planes := [][]float32{}
	for range 3 {
		planes = append(planes, blobs(w, h, 1))
	}
	clean := blobs(w, h, 1)
	addNoise(planes, func(c int, _ float64) float64 { return sigmas[c] })
	img := image{planes, w, h}
	n := noiseIn(img, Options{})
	if n.curve == nil {
		t.Fatalf("found %v", n.result())
	}
	for c, want := range sigmas {
		if got := n.curve.photons[c].ReadNoise; math.Abs(got/want-1) > 0.05 {
			t.Errorf("channel %d: %g, want %g", c, got, want)
		}
	}
	rms := 255 * math.Sqrt((0.12*0.12+0.04*0.04+0.06*0.06)/3)
	if r := n.result(); r.Noise != Gaussian || math.Abs(r.Sigma/rms-1) > 0.05 {
		t.Errorf("%v, want white noise of %g", r, rms)
	}
	errors := func(o Options) float64 {
		o.Quality = Fast
		out, _ := cleaned(t, planes, w, h, o)
		sum := 0.0
		for _, p := range out {
			for i, v := range p {
				sum += float64(v-clean[i]) * float64(v-clean[i])
			}
		}
		return sum
	}
	best := math.Inf(1)
	for _, sigma := range []float64{20, 25} { // 10, 15 and 30 are worse
		best = min(best, errors(Options{Sigma: sigma}))
	}
	if own := errors(Options{}); own > 0.8*best {
		t.Errorf("errors of %g, and %g with the best single level", own, best)
	}
}

// Colours that have more noise than the brightness get a level of their own.
func TestColoursWithMoreNoise(t *testing.T) {
	const w, h = 400, 300
	planes := weave(w, h)
	rng := rand.New(rand.NewPCG(9, 11))
	const luma, chroma = 0.03, 0.09
	decorrelate(planes, pool{workers: 1})
	for i := range planes[0] {
		planes[0][i] += float32(luma * rng.NormFloat64())
		planes[1][i] += float32(chroma * rng.NormFloat64())
		planes[2][i] += float32(chroma * rng.NormFloat64())
	}
	correlate(planes, pool{workers: 1})
	r := noiseIn(image{planes, w, h}, Options{}).result()
	if math.Abs(r.SigmaChroma-255*chroma) > 2 || r.Sigma > 0.8*r.SigmaChroma {
		t.Errorf("%v", r)
	}
}

// What the options say about the kind of noise holds.
func TestGivenKindOfIndependentNoise(t *testing.T) {
	const w, h = 300, 200
	planes := weave(w, h)
	addNoise(planes, func(_ int, v float64) float64 { return math.Sqrt(0.002 * max(0, v)) })
	for kind, want := range map[Noise]Noise{Auto: Poisson, Poisson: Poisson, Camera: Camera, Gaussian: Gaussian} {
		if r := noiseIn(image{planes, w, h}, Options{Noise: kind}).result(); r.Noise != want {
			t.Errorf("%v: found %v", kind, r)
		}
	}
}

// Noise of the brightness that is weaker than that of the colours is measured in the brightness itself.
func TestBrightnessBesideNoisyColours(t *testing.T) {
	const w, h, sigma, left = 400, 300, 12.0, 0.3
	drawn := scenetest.Draw(w, h)
	for name, clean := range map[string][][]float32{"scene": drawn[:], "weave": weave(w, h)} {
		planes := clone(clean)
		rng := rand.New(rand.NewPCG(9, 11))
		for i := range planes[0] {
			n := [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
			for c, p := range planes {
				p[i] += float32(sigma / 255 * (n[c] - (1-left)*(n[0]+n[1]+n[2])/3))
			}
		}
		r := noiseIn(image{planes, w, h}, Options{}).result()
		t.Logf("%s: %v", name, r)
		if math.Abs(r.SigmaChroma/sigma-1) > 0.1 || math.Abs(r.Sigma/(left*sigma)-1) > 0.25 {
			t.Errorf("%s: %v", name, r)
		}
	}
}

// So is noise of the brightness that is stronger, in an image with overexposed parts, too.
func TestBrightnessWithMoreNoise(t *testing.T) {
	const w, h, common, each = 400, 300, 8.0, 4.0
	drawn := scenetest.Draw(w, h)
	planes := clone(drawn[:])
	rng := rand.New(rand.NewPCG(9, 12))
	for i := range planes[0] {
		n := common * rng.NormFloat64()
		for _, p := range planes {
			v := min(1, 1.1*float64(p[i])) + (n+each*rng.NormFloat64())/255
			p[i] = float32(math.Round(255*min(max(v, 0), 1)) / 255)
		}
	}
	want := math.Sqrt(3*common*common + each*each)
	if r := noiseIn(image{planes, w, h}, Options{}).result(); math.Abs(r.SigmaChroma/each-1) > 0.15 ||
		math.Abs(r.Sigma/want-1) > 0.15 {
		t.Errorf("%v, want %.1f and %.1f in the colours", r, want, each)
	}
}
