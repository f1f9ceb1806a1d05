package denoise

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
	"github.com/blorc-denoise/blorc-denoise/models"
)

// poisson draws by counting the events of one unit of time.
func poisson(rng *rand.Rand, mean float64) float64 {
	n := 0.0
	for at := rng.ExpFloat64(); at < mean; at += rng.ExpFloat64() {
		n++
	}
	return n
}

// draw is a sample with the noise, for a mean number of photons.
func (n PhotonNoise) draw(rng *rand.Rand, photons float64) float64 {
	return n.Gain*poisson(rng, photons) + n.Offset + n.ReadNoise*rng.NormFloat64()
}

func photonScene(width, height int, n PhotonNoise) (clean, noisy [][]float32) {
	rng := rand.New(rand.NewPCG(7, 1))
	for _, p := range scenetest.Draw(width, height) {
		q := make([]float32, len(p))
		for i, v := range p {
			q[i] = float32(n.draw(rng, (max(0, float64(v))-n.Offset)/n.Gain))
		}
		clean, noisy = append(clean, p), append(noisy, q)
	}
	return clean, noisy
}

func TestPhotonNoiseIsBetterThanGaussian(t *testing.T) {
	local := must.Get(ShippedModels(models.Local))(t)
	n := PhotonNoise{Gain: 0.05, ReadNoise: 0.01}
	clean, noisy := photonScene(160, 120, n)
	for _, planes := range []int{1, 3} {
		result := func(o Options) float64 {
			o.Models = local
			out, _ := cleaned(t, noisy[:planes], 160, 120, o)
			return metric.PSNRPlanes(clean[:planes], out)
		}
		gaussian := 0.0
		for _, sigma := range []float64{0, 20, 25, 30} {
			gaussian = max(gaussian, result(Options{Noise: Gaussian, Sigma: sigma}))
		}
		stabilized := result(Options{Noise: Poisson, Photons: n})
		t.Logf("%d planes: %.2f dB noisy, %.2f as Gaussian at the best sigma, %.2f as Poisson", planes,
			metric.PSNRPlanes(clean[:planes], noisy[:planes]), gaussian, stabilized)
		if stabilized < gaussian+0.05 {
			t.Errorf("%d planes: %.2f dB as Poisson noise, %.2f as Gaussian", planes, stabilized, gaussian)
		}
	}
}

func TestPhotonNoiseBlendsInTheSamplesOwnScale(t *testing.T) {
	n := PhotonNoise{Gain: 0.05}
	_, noisy := photonScene(40, 30, n)
	o := options(t)
	o.Noise, o.Photons = Poisson, n
	var results [3][][]float32
	for i, strength := range []float64{0, 0.25, 1} {
		o.Keep = 1 - strength
		results[i] = clone(noisy)
		r, err := Planes(context.Background(), results[i], 40, 30, o)
		if err != nil || r.Noise != Poisson {
			t.Fatalf("%v, %v", r, err)
		}
	}
	for p := range noisy {
		if !slices.Equal(results[0][p], noisy[p]) {
			t.Error("strength 0 changes the image")
		}
		for i, v := range noisy[p] {
			if want := v + (results[2][p][i]-v)/4; math.Abs(float64(results[1][p][i]-want)) > 1e-6 {
				t.Fatalf("strength 0.25 gives %g, not %g", results[1][p][i], want)
			}
		}
	}
}

func TestPhotonNoiseInUnitsOfTheFile(t *testing.T) {
	for _, c := range []struct {
		depth imageio.Depth
		white float64
		full  float64
	}{{imageio.Depth8, 0, 255}, {imageio.Depth16, 5, 65535}, {imageio.DepthFloat32, 0, 1},
		{imageio.DepthFloat32, 200, 200}} {
		n := PhotonNoise{c.full, c.full / 2, c.full / 4}.over((&imageio.Image{Depth: c.depth}).FullScale(c.white))
		if want := (PhotonNoise{1, 0.5, 0.25}); n != want {
			t.Errorf("%v, white %g: got %+v", c.depth, c.white, n)
		}
	}
}

func TestRefusesBadPhotonNoise(t *testing.T) {
	nan := math.NaN()
	for _, n := range []PhotonNoise{{Gain: -1}, {Gain: nan}, {1, nan, 0}, {1, 0, -1}, {1, 0, nan},
		{math.Inf(1), 0, 0}} {
		o := options(t)
		o.Noise, o.Photons = Poisson, n
		if _, err := Planes(context.Background(), [][]float32{make([]float32, 64)}, 8, 8, o); err == nil {
			t.Errorf("%+v: accepted", n)
		}
	}
}

// Files of detectors that count photons hold the counts, or a multiple of them: few steps between samples, and noise
// that is no larger than some of them.
func TestCountedPhotonsAreFound(t *testing.T) {
	const w, h = 400, 300
	for _, n := range []struct{ most, gain, full float64 }{{2, 1, 255}, {5, 1, 255}, {12, 1, 65535}, {25, 1, 255},
		{12, 4, 255}, {30, 8, 65535}} {
		rng := rand.New(rand.NewPCG(11, uint64(n.most)))
		p := blobs(w, h, 5)
		for i, v := range p {
			p[i] = float32(n.gain * poisson(rng, n.most*float64(v)) / n.full)
		}
		r := mustPlanes(t, [][]float32{p}, w, h, Options{Quality: Fast})
		if got := r.Photons.Gain * n.full; r.Noise != Poisson || math.Abs(got-n.gain) > 0.1*n.gain {
			t.Errorf("up to %g photons of %g levels: %v, gain %g", n.most, n.gain, r.Noise, got)
		}
	}
}

// Photons that are worth half a step each are found, though their noise has few steps. White noise that is clipped in
// the dark is not taken for them.
func TestPhotonNoiseOfFewSteps(t *testing.T) {
	const width, height, full = 160, 120, 65535
	rng := rand.New(rand.NewPCG(9, 1))
	photons, clipped := make([]float32, width*height), make([]float32, width*height)
	for i, v := range scenetest.Draw(width, height)[1] {
		n := PhotonNoise{Gain: 0.5, Offset: 200}
		photons[i] = float32(math.Round(n.draw(rng, 30*float64(max(v, 0)))) / full)
		clipped[i] = float32(math.Round(max(0, 4*float64(v)+4*rng.NormFloat64())) / full)
	}
	for _, c := range []struct {
		name  string
		plane []float32
		kind  Noise
	}{{"photons", photons, Poisson}, {"clipped", clipped, Gaussian}} {
		r := noiseIn(image{[][]float32{c.plane}, width, height}, Options{}).result()
		if r.Noise != c.kind {
			t.Errorf("%s: %v", c.name, r)
		}
	}
}

// Parts of a picture that are masked stay dark, although the offset that is found lies above them.
func TestMaskedPartsStayDark(t *testing.T) {
	const w, h = 160, 120
	_, noisy := photonScene(w, h, PhotonNoise{Gain: 0.02})
	p := noisy[0]
	for i := range p { // the corner is as registration leaves it
		if p[i] += 0.3; i%w+i/w < 60 {
			p[i] = 0
		}
	}
	r := mustPlanes(t, [][]float32{p}, w, h, Options{})
	if r.Noise != Poisson || r.Photons.Offset < 0.1 {
		t.Fatalf("found %v", r)
	}
	for i, v := range p {
		if i%w+i/w < 30 && math.Abs(float64(v)) > 0.02 { // a photon
			t.Fatalf("the sample at %d, %d is %g", i%w, i/w, v)
		}
	}
	// With numbers that are given, nothing is below the offset, but for areas of one value.
	given := filled(w*h, func(i int) float32 { return float32(i%3) / 1000 })
	mustPlanes(t, [][]float32{given}, w, h, Options{Noise: Poisson,
		Photons: PhotonNoise{Gain: 0.02, Offset: 0.3}})
	if v := slices.Min(given); math.Abs(float64(v)-0.3) > 1e-3 {
		t.Errorf("the darkest sample is %g", v)
	}
}
