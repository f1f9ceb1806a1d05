package denoise

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
)

// byHand is a model that needs no training: the DCT at one strength. All tests share it, with what it prepares.
func byHand(t testing.TB) ModelSet {
	t.Helper()
	m := must.Get(dct())(t)
	return setOf(t, m)
}

var dct = sync.OnceValues(func() (*model.Model, error) {
	local, err := stage.NewLocal(8, solve.DefaultSchedule(), []solve.Transform{solve.DCTBasis(8).Scale(1.5)}, nil)
	return &model.Model{Info: model.Info{Name: "dct", Sigma: 25}, Stages: stage.Sequence{local}}, err
})

// setOf makes a model the only one.
func setOf(t testing.TB, m *model.Model) ModelSet {
	t.Helper()
	return must.Get(UseModel(m))(t)
}

func clone(planes [][]float32) [][]float32 {
	out := make([][]float32, len(planes))
	for i, p := range planes {
		out[i] = slices.Clone(p)
	}
	return out
}

func options(t testing.TB) Options {
	return Options{Models: byHand(t)}
}

func noisyScene(width, height int, sigma float64) (clean, noisy [][]float32) {
	drawn := scenetest.Draw(width, height)
	rng := noise.Source(1, "scene")
	for _, p := range drawn {
		clean = append(clean, p)
		n := make([]float32, len(p))
		noise.AddGaussian(n, p, sigma/255, rng)
		noisy = append(noisy, n)
	}
	return clean, noisy
}

func TestColourAndGrayGain(t *testing.T) {
	clean, noisy := noisyScene(160, 120, 25)
	for _, planes := range []int{1, 3} {
		out, r := cleaned(t, noisy[:planes], 160, 120, options(t))
		before, after := metric.PSNRPlanes(clean[:planes], noisy[:planes]), metric.PSNRPlanes(clean[:planes], out)
		if after < before+3.5 {
			t.Errorf("%d planes: %.2f dB before, %.2f dB after", planes, before, after)
		}
		if !r.Estimated || math.Abs(r.Sigma-25) > 4 || r.Model != "dct 25" {
			t.Errorf("%d planes: sigma %g, estimated %v, model %q", planes, r.Sigma, r.Estimated, r.Model)
		}
	}
}

func TestStrengthBlends(t *testing.T) {
	_, noisy := noisyScene(40, 30, 25)
	var results [3][][]float32
	for i, strength := range []float64{0, 0.5, 1} {
		o := options(t)
		o.Sigma, o.Keep = 25, 1-strength
		results[i], _ = cleaned(t, noisy, 40, 30, o)
	}
	for p := range noisy {
		if !slices.Equal(results[0][p], noisy[p]) {
			t.Error("strength 0 changes the image")
		}
		for i := range noisy[p] {
			want := (noisy[p][i] + results[2][p][i]) / 2
			if d := math.Abs(float64(results[1][p][i] - want)); d > 1e-6 {
				t.Fatalf("strength 0.5 is %g away from the middle", d)
			}
		}
	}
}

func TestColourRotationIsOrthonormal(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rgb := make([][]float32, 3)
		norm := 0.0
		for i := range rgb {
			v := rapid.Float32Range(-1, 2).Draw(rt, "v")
			rgb[i] = []float32{v}
			norm += float64(v) * float64(v)
		}
		planes := clone(rgb)
		decorrelate(planes, pool{workers: 1})
		back, energy := clone(planes), 0.0
		correlate(back, pool{workers: 1})
		for i := range rgb {
			energy += float64(planes[i][0]) * float64(planes[i][0])
			if math.Abs(float64(back[i][0]-rgb[i][0])) > 1e-6 {
				rt.Fatalf("%v comes back as %v", rgb, back)
			}
		}
		if math.Abs(energy-norm) > 1e-5 {
			rt.Fatalf("energy %g became %g", norm, energy)
		}
	})
}

func TestConstantAndSaturatedImages(t *testing.T) {
	for gray := range 256 {
		for _, n := range []int{1, 3} {
			for _, sigma := range []float64{0, 30} {
				planes := make([][]float32, n)
				for i := range planes {
					planes[i] = slices.Repeat([]float32{float32(gray) / 255}, 10*9)
				}
				o := options(t)
				o.Sigma, o.Workers = sigma, 1
				mustPlanes(t, planes, 10, 9, o)
				for _, p := range planes {
					for _, v := range p {
						if d := math.Abs(float64(v)*255 - float64(gray)); d > 0.5 {
							t.Fatalf("gray %d, %d planes, sigma %g: became %g", gray, n, sigma, 255*v)
						}
					}
				}
			}
		}
	}
}

func TestSmallImages(t *testing.T) {
	for width := 1; width <= 10; width++ {
		for height := 1; height <= 10; height++ {
			_, noisy := noisyScene(width, height, 30)
			for _, sigma := range []float64{0, 30} {
				planes := clone(noisy)
				o := options(t)
				o.Sigma, o.Workers = sigma, 1
				if _, err := Planes(context.Background(), planes, width, height, o); err != nil {
					t.Fatalf("%d x %d: %v", width, height, err)
				}
				for _, p := range planes {
					for _, v := range p {
						if len(p) != width*height || math.IsNaN(float64(v)) || math.Abs(float64(v)) > 3 {
							t.Fatalf("%d x %d: sample %g", width, height, v)
						}
					}
				}
			}
		}
	}
}

// File keeps depth and alpha, and writes nothing if it fails.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	_, noisy := noisyScene(40, 30, 25)
	alpha := filled(40*30, func(i int) float32 { return float32(i%65536) / 65535 })
	in, out := filepath.Join(dir, "in.png"), filepath.Join(dir, "out.png")
	img := &imageio.Image{Width: 40, Height: 30, Planes: noisy, Alpha: alpha, Depth: imageio.Depth16,
		Format: imageio.PNG}
	must.Do(t, imageio.Write(in, img, imageio.WriteOptions{}))
	r := must.Get(File(context.Background(), in, out, FileOptions{Options: options(t)}))(t)
	got := must.Get(imageio.Read(out, imageio.ReadOptions{}))(t)
	if got.Depth != imageio.Depth16 || !slices.Equal(got.Alpha, alpha) || r.Sigma < 20 {
		t.Errorf("depth %v, alpha kept %v, sigma %g", got.Depth, slices.Equal(got.Alpha, alpha), r.Sigma)
	}
	bad := filepath.Join(dir, "bad.png")
	must.Do(t, os.WriteFile(bad, []byte("text"), 0o666))
	none := filepath.Join(dir, "none.png")
	must.Fail(t, "a text file",
		must.Err(File(context.Background(), bad, none, FileOptions{Options: options(t)})), imageio.ErrFormat)
	must.Fail(t, "an output of a bad input", must.Err(os.Stat(none)), os.ErrNotExist)
}
