package denoise

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
	"github.com/blorc-denoise/blorc-denoise/models"
)

// balanced returns a scene whose channels have photon noise of different gains.
func balanced(gains [3]float64) (clean, noisy [][]float32) {
	const w, h = 256, 192
	rng := rand.New(rand.NewPCG(3, 1))
	for c, p := range scenetest.Draw(w, h) {
		q := make([]float32, len(p))
		for i, v := range p {
			q[i] = float32(gains[c]*poisson(rng, max(0, float64(v))/gains[c]) + 0.002*rng.NormFloat64())
		}
		clean, noisy = append(clean, p), append(noisy, q)
	}
	return clean, noisy
}

// The gain of each channel is found where they differ, and the image is as good as with the true ones.
func TestGainsOfChannelsAreFound(t *testing.T) {
	local := must.Get(ShippedModels(models.Local))(t)
	gains := [3]float64{0.03, 0.01, 0.02}
	clean, noisy := balanced(gains)
	score := func(o Options) (float64, Result) {
		o.Models, o.Quality = local, Fast
		out, r := cleaned(t, noisy, 256, 192, o)
		return metric.PSNRPlanes(clean, out), r
	}
	found, r := score(Options{})
	if r.Noise != Poisson || r.Channels == [3]PhotonNoise{} {
		t.Fatalf("%+v", r)
	}
	for i, n := range r.Channels {
		if math.Abs(math.Log(n.Gain/gains[i])) > 0.2 {
			t.Errorf("gain %d is %.4f, not %.4f", i, n.Gain, gains[i])
		}
	}
	var three []ChannelNoise
	for _, g := range gains {
		three = append(three, ChannelNoise{Gain: g, ReadNoise: 0.002})
	}
	truth, _ := score(Options{Profile: &Profile{Version: profileVersion, Kind: Poisson, FullScale: 1, Channels: three}})
	one, _ := score(Options{Noise: Poisson, Photons: PhotonNoise{Gain: 0.02, ReadNoise: 0.002}})
	t.Logf("%.2f dB found, %.2f with the truth, %.2f with one gain", found, truth, one)
	if found < truth-0.1 || found < one {
		t.Errorf("%.2f dB found, %.2f with the truth, %.2f with one gain", found, truth, one)
	}
}

func TestOneGainStaysOne(t *testing.T) {
	_, noisy := balanced([3]float64{0.02, 0.02, 0.02})
	if r := noiseIn(image{noisy, 256, 192}, Options{}).result(); r.Noise != Poisson || r.Channels != [3]PhotonNoise{} {
		t.Errorf("%+v", r)
	}
}

func TestReflectionKeepsNoiseAndComesBack(t *testing.T) {
	a := [3]float64{0.8, 0.6, 0}
	m := ontoGray(a)
	planes := [][]float32{{0.8, 1}, {0.6, 2}, {0, -3}}
	m.apply(planes, pool{workers: 1})
	for i := range planes {
		if math.Abs(float64(planes[i][0])-1/math.Sqrt(3)) > 1e-6 {
			t.Errorf("the direction becomes %v", planes)
		}
	}
	sum := 0.0
	for i := range planes {
		sum += float64(planes[i][1] * planes[i][1])
	}
	if math.Abs(sum-14) > 1e-5 {
		t.Errorf("the length 14 becomes %g", sum)
	}
	m.apply(planes, pool{workers: 1})
	for i, want := range []float32{1, 2, -3} {
		if math.Abs(float64(planes[i][1]-want)) > 1e-6 {
			t.Errorf("%v comes back", planes)
		}
	}
}

// The variance at each brightness is a number of times as large.
func TestStronger(t *testing.T) {
	got := stronger(noisecurve.Fit{Gain: 2, ReadNoise: 3}, 4)
	if want := (noisecurve.Fit{Gain: 8, ReadNoise: 6}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
