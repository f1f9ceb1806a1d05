package denoise_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
)

// TestKeepInvalid puts samples that are no numbers anywhere into a picture. They stay, bit by bit. All others are
// numbers, and near what they are without those; far from all of them, they are the same if the noise is given.
func TestKeepInvalid(t *testing.T) {
	const width, height, sigma = 90, 80, 12.75
	rapid.Check(t, func(t *rapid.T) {
		planes := rapid.SampledFrom([]int{1, 3}).Draw(t, "planes")
		o := denoise.Options{Quality: denoise.Fast, KeepInvalid: true, Workers: rapid.IntRange(1, 3).Draw(t, "workers")}
		if rapid.Bool().Draw(t, "given") {
			o.Sigma = sigma
		}
		o.Noise = rapid.SampledFrom([]denoise.Noise{denoise.Auto, denoise.Gaussian, denoise.Camera}).Draw(t, "noise")
		drawn := scenetest.Draw(width, height)
		odd := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}
		var clean, noisy, got [][]float32
		for c, p := range drawn[:planes] {
			clean = append(clean, p)
			q := make([]float32, len(p))
			noise.AddGaussian(q, p, sigma/255, noise.Source(uint64(c), "keep"))
			got = append(got, slices.Clone(q))
			noisy = append(noisy, q)
		}
		for range rapid.IntRange(1, 30).Draw(t, "samples") {
			p := got[rapid.IntRange(0, planes-1).Draw(t, "plane")]
			p[rapid.IntRange(0, len(p)-1).Draw(t, "at")] = rapid.SampledFrom(odd).Draw(t, "value")
		}
		if rapid.Bool().Draw(t, "hole") {
			x, y := rapid.IntRange(0, width-1).Draw(t, "x"), rapid.IntRange(0, height-1).Draw(t, "y")
			for i := range got[0] {
				if i%width >= x && i%width < x+20 && i/width >= y && i/width < y+20 {
					got[0][i] = odd[0]
				}
			}
		}
		before := [][]float32{}
		for _, p := range got {
			before = append(before, slices.Clone(p))
		}
		refuse := o
		refuse.KeepInvalid = false
		if _, err := denoise.Planes(t.Context(), got, width, height, refuse); !errors.Is(err, denoise.ErrArgument) {
			t.Fatalf("without KeepInvalid: %v", err)
		}
		must.Get(denoise.Planes(t.Context(), got, width, height, o))(t)
		must.Get(denoise.Planes(t.Context(), noisy, width, height, o))(t)
		for c, p := range got {
			for i, v := range p {
				if old := before[c][i]; old-old != 0 {
					if math.Float32bits(v) != math.Float32bits(old) {
						t.Fatalf("plane %d, sample %d, %d: %g became %g", c, i%width, i/width, old, v)
					}
				} else if d := math.Abs(float64(v - clean[c][i])); !(d < 8*sigma/255) {
					t.Fatalf("plane %d, sample %d, %d: %g of %g, and %g without", c, i%width, i/width, v, clean[c][i],
						noisy[c][i])
				}
			}
		}
	})
}

// TestOnlyInvalid checks that a picture without any number stays as it is.
func TestOnlyInvalid(t *testing.T) {
	p := make([]float32, 40*30)
	for i := range p {
		p[i] = float32(math.NaN())
	}
	img := &imageio.Image{Width: 40, Height: 30, Planes: [][]float32{p}, Depth: imageio.DepthFloat32,
		Format: imageio.TIFF}
	r, err := denoise.Decoded(t.Context(), img, denoise.FileOptions{Options: denoise.Options{KeepInvalid: true}})
	if err != nil || r.Noise != denoise.None {
		t.Errorf("%v, %v", r, err)
	}
	for i, v := range img.Planes[0] {
		if v == v {
			t.Fatalf("sample %d became %g", i, v)
		}
	}
}
