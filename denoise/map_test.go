package denoise

import (
	goimage "image"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// uneven draws three planes of a level with white noise, which is three times as strong in the right half.
func uneven(width, height int, sigma float64) (planes [][]float32) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 3 {
		p := make([]float32, width*height)
		for i := range p {
			s := sigma
			if i%width >= width/2 {
				s *= 3
			}
			p[i] = float32(math.Round(255*(0.5+s*rng.NormFloat64())) / 255)
		}
		planes = append(planes, p)
	}
	return planes
}

func mapOf(t *testing.T, img *imageio.Image, o Options) NoiseMap {
	t.Helper()
	a := mustAnalyse(t, img, FileOptions{Options: o})
	m := must.Get(a.Map(t.Context(), img))(t)
	for _, p := range m.Parts {
		if len(p.Cells) != m.Columns*m.Rows || len(p.Levels) != len(p.Sigmas) || !slices.IsSorted(p.Levels) {
			t.Errorf("%s: %d cells, levels %v, noise %v", p.Name, len(p.Cells), p.Levels, p.Sigmas)
		}
	}
	return m
}

func names(m NoiseMap) (names []string) {
	for _, p := range m.Parts {
		names = append(names, p.Name)
	}
	return names
}

// within15 reports whether a number is right but for chance.
func within15(got, want float64) bool { return math.Abs(got-want) <= 0.15*want }

// The map says where the noise is, in levels of the file.
func TestMapFindsTheNoise(t *testing.T) {
	const w, h, sigma = 256, 192, 0.02
	img := pngOf(uneven(w, h, sigma), w)
	m := mapOf(t, img, Options{Noise: Camera, Sigma: 40})
	if got := names(m); !slices.Equal(got, []string{"luma", "colours", "red", "green", "blue"}) {
		t.Fatal(got)
	}
	if m.Area != goimage.Rect(0, 0, w, h) || m.Side != 16 || m.Columns != 16 || m.Rows != 12 {
		t.Errorf("%+v", m)
	}
	for _, p := range m.Parts[2:] {
		sum := [2]float64{}
		for i, v := range p.Cells {
			sum[i%m.Columns/(m.Columns/2)] += v / float64(len(p.Cells)/2)
		}
		if !within15(sum[0], 255*sigma) || !within15(sum[1], 3*255*sigma) {
			t.Errorf("%s: noise of %.2f, drawn with %.2f and three times that", p.Name, sum, 255*sigma)
		}
		if half := p.Scales[1] / p.Scales[0]; !within15(half, 0.5) {
			t.Errorf("%s: %.2f of white noise are left at half the size", p.Name, half)
		}
	}
}

// Noise that was told, and that of photons, is known without removing it.
func TestMapOfKnownNoise(t *testing.T) {
	const w, h = 64, 48
	p := filled(w*h, func(i int) float32 { return float32(i%w) / w })
	img := &imageio.Image{Width: w, Height: h, Planes: [][]float32{p}, Depth: imageio.Depth16, Format: imageio.TIFF}
	m := mapOf(t, img, Options{Sigma: 10})
	if got := names(m); !slices.Equal(got, []string{"gray"}) {
		t.Fatal(got)
	}
	const want = 10 * 65535.0 / 255
	for _, v := range slices.Concat(m.Parts[0].Cells, m.Parts[0].Sigmas) {
		if math.Abs(v-want) > 1e-3*want {
			t.Fatalf("noise of %g, told %g", v, want)
		}
	}
	photons := PhotonNoise{Gain: 100, Offset: 2000, ReadNoise: 300}
	m = mapOf(t, img, Options{Noise: Poisson, Photons: photons})
	for i, level := range m.Parts[0].Levels {
		if want := math.Sqrt(photons.variance(level)); !within15(m.Parts[0].Sigmas[i], want) {
			t.Errorf("noise of %g at %g, told %g", m.Parts[0].Sigmas[i], level, want)
		}
	}
	if m = mapOf(t, img, Options{Noise: None}); m.Parts[0].Scales != [3]float64{} {
		t.Errorf("there is no noise, but %v", m.Parts[0].Scales)
	}
}

// Cells without a picture have no noise, and change none of the others.
func TestMapLeavesOutWhatIsNoPicture(t *testing.T) {
	const w, h, bar = 256, 192, 48
	planes := uneven(w, h, 0.03)
	for _, p := range planes {
		clear(p[:bar*w])
		p[100*w+20] = 1 // a hot pixel
	}
	img := pngOf(planes, w)
	m := mapOf(t, img, Options{Noise: Camera, Sigma: 40})
	for _, p := range m.Parts {
		for i, v := range p.Cells {
			if inBar := i/m.Columns < bar/m.Side; math.IsNaN(v) != inBar {
				t.Fatalf("%s: cell %d has noise of %g", p.Name, i, v)
			}
		}
		if p.Name == "green" && (len(p.Levels) == 0 || p.Levels[0] < 100) {
			t.Errorf("the bar is in the curve: %v", p.Levels)
		}
	}
}

// The map has the same numbers for any number of workers, and stays what it is when the map is asked for again.
func TestMapIsTheSameForAnyWorkers(t *testing.T) {
	const w, h = 150, 100
	img := pngOf(uneven(w, h, 0.02), w)
	want := mapOf(t, img, Options{Noise: Camera, Workers: 1})
	got := mapOf(t, img, Options{Noise: Camera, Workers: 3})
	for i, p := range want.Parts {
		if q := got.Parts[i]; !reflect.DeepEqual(p, q) {
			t.Errorf("%s has other numbers with three workers", p.Name)
		}
	}
	a := mustAnalyse(t, img, FileOptions{})
	first := must.Get(a.Map(t.Context(), img))(t)
	if again, err := a.Map(t.Context(), img); err != nil || !slices.Equal(first.Parts[0].Cells, again.Parts[0].Cells) {
		t.Error("the second map is another one", err)
	}
	other := &imageio.Image{Width: 10, Height: 10, Planes: [][]float32{make([]float32, 100)}}
	if _, err := a.Map(t.Context(), other); err == nil {
		t.Error("a map of another image")
	}
}
