package denoise

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/scene"
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

var detectors = []PhotonNoise{
	{Gain: 1},
	{Gain: 0.5, Offset: 3},
	{Gain: 2, Offset: -1, ReadNoise: 2},
	{Gain: 0.01, Offset: 0.1, ReadNoise: 0.02},
}

func TestStabilizedNoiseHasVarianceOne(t *testing.T) {
	const draws = 10000
	for _, n := range detectors {
		for _, photons := range []float64{2, 3, 5, 10, 50} {
			rng := rand.New(rand.NewPCG(1, uint64(photons)))
			sum, squares := 0.0, 0.0
			for range draws {
				v := n.stabilize(n.draw(rng, photons))
				sum += v
				squares += v * v
			}
			variance := squares/draws - (sum/draws)*(sum/draws)
			if math.Abs(variance-1) > 0.16 { // the most is where reading is as noisy as two photons
				t.Errorf("%+v, %g photons: variance %.3f", n, photons, variance)
			}
		}
	}
}

// The inverse of the mean of stabilized samples is the mean of the samples. The algebraic inverse is not.
func TestInverseIsUnbiased(t *testing.T) {
	const draws = 30000
	for _, n := range detectors {
		for _, photons := range []float64{0.5, 1, 2, 5, 20} {
			rng := rand.New(rand.NewPCG(2, uint64(10*photons)))
			sum := 0.0
			for range draws {
				sum += n.stabilize(n.draw(rng, photons)) / draws
			}
			got := (n.restore(sum) - n.Offset) / n.Gain
			if math.Abs(got-photons) > 0.05*max(photons, 1) {
				t.Errorf("%+v, %g photons: the inverse says %.3f", n, photons, got)
			}
			r := n.ReadNoise / n.Gain
			if algebraic := sum*sum/4 - 3.0/8 - r*r; photons == 5 && math.Abs(algebraic-photons) < 0.15 {
				t.Errorf("%+v: the algebraic inverse says %.3f of %g, so this test shows nothing", n, algebraic, photons)
			}
		}
	}
}

func TestInverseOfNothingIsTheOffset(t *testing.T) {
	for _, n := range detectors {
		last := math.Inf(-1)
		for d := -1.0; d < 60; d += 0.01 {
			v := n.restore(d)
			if math.IsNaN(v) || v < n.Offset || v < last-1e-9 {
				t.Fatalf("%+v: %g becomes %g after %g", n, d, v, last)
			}
			last = v
		}
	}
}

func photonScene(width, height int, n PhotonNoise) (clean, noisy [][]float32) {
	rng := rand.New(rand.NewPCG(7, 1))
	for _, p := range scene.Draw(width, height) {
		q := make([]float32, len(p))
		for i, v := range p {
			q[i] = float32(n.draw(rng, (max(0, float64(v))-n.Offset)/n.Gain))
		}
		clean, noisy = append(clean, p), append(noisy, q)
	}
	return clean, noisy
}

func TestPhotonNoiseIsBetterThanGaussian(t *testing.T) {
	local, err := ShippedModels(models.Local)
	if err != nil {
		t.Fatal(err)
	}
	n := PhotonNoise{Gain: 0.05, ReadNoise: 0.01}
	clean, noisy := photonScene(160, 120, n)
	for _, planes := range []int{1, 3} {
		result := func(o Options) float64 {
			out := clone(noisy[:planes])
			o.Models = local
			if _, err := Planes(context.Background(), out, 160, 120, o); err != nil {
				t.Fatal(err)
			}
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
	}{{imageio.Depth8, 0, 255}, {imageio.Depth16, 5, 65535}, {imageio.DepthFloat32, 0, 1}, {imageio.DepthFloat32, 200, 200}} {
		n := PhotonNoise{c.full, c.full / 2, c.full / 4}.over(fullScale(&imageio.Image{Depth: c.depth}, c.white))
		if want := (PhotonNoise{1, 0.5, 0.25}); n != want {
			t.Errorf("%v, white %g: got %+v", c.depth, c.white, n)
		}
	}
}

func TestRefusesBadPhotonNoise(t *testing.T) {
	nan := math.NaN()
	for _, n := range []PhotonNoise{{}, {Gain: -1}, {Gain: nan}, {1, nan, 0}, {1, 0, -1}, {1, 0, nan}, {math.Inf(1), 0, 0}} {
		o := options(t)
		o.Noise, o.Photons = Poisson, n
		if _, err := Planes(context.Background(), [][]float32{make([]float32, 64)}, 8, 8, o); err == nil {
			t.Errorf("%+v: accepted", n)
		}
	}
}
