package denoise

import (
	"fmt"
	goimage "image"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/micrograph"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/models"
)

// grayKinds are options that reach the model for luma in different ways.
var grayKinds = map[string]Options{
	"white":  {Sigma: 30, Quality: Fast},
	"weak":   {Sigma: 4, Quality: Fast, KeepLuma: 0.25},
	"stride": {Sigma: 30, Quality: Fast, Stride: 3},
	"photon": {Noise: Poisson, Photons: PhotonNoise{Gain: 0.02, ReadNoise: 0.01}, Quality: Fast},
	"broad":  {Noise: Camera, Quality: Fast},
	"passes": {Noise: Camera},
}

func TestLumaOfTilesHasNoSeams(t *testing.T) {
	const w, h = 297, 215
	noisy := squares(w, h)
	for name, o := range grayKinds {
		whole := slices.Clone(noisy)
		o.Workers = 1
		if _, err := Planes(t.Context(), [][]float32{whole}, w, h, o); err != nil {
			t.Fatal(err)
		}
		for workers, side := range map[int]int{2: 0, 3: 110} {
			tiled := slices.Clone(noisy)
			o.Workers, o.tileSide = workers, side
			if _, err := Planes(t.Context(), [][]float32{tiled}, w, h, o); err != nil {
				t.Fatal(err)
			}
			if i := firstDifference(tiled, whole); i >= 0 {
				t.Errorf("%s: tiles of %d differ at (%d, %d)", name, side, i%w, i/w)
			}
		}
	}
}

func TestLumaOfPartsIsThatOfTheWhole(t *testing.T) {
	const w, h = 297, 215
	noisy := squares(w, h)
	for name, o := range grayKinds {
		whole := slices.Clone(noisy)
		if _, err := Planes(t.Context(), [][]float32{whole}, w, h, o); err != nil {
			t.Fatal(err)
		}
		img := &imageio.Image{Width: w, Height: h, Planes: [][]float32{noisy}, Depth: imageio.DepthFloat32, Format: imageio.TIFF}
		a, err := Analyse(t.Context(), img, FileOptions{Options: o})
		if err != nil {
			t.Fatal(err)
		}
		for _, area := range []goimage.Rectangle{goimage.Rect(0, 0, 9, 8), goimage.Rect(131, 77, 180, 99), goimage.Rect(250, 200, w, h)} {
			want := cutOut(whole, w, area)
			part, err := a.Part(t.Context(), img, area, 0, o)
			if err != nil {
				t.Fatal(err)
			}
			cropped, c := slices.Clone(noisy), o
			c.Crop = area
			if _, err := Planes(t.Context(), [][]float32{cropped}, w, h, c); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(part.Planes[0], want) || !slices.Equal(cutOut(cropped, w, area), want) {
				t.Errorf("%s: the part %v differs", name, area)
			}
		}
	}
}

// At all levels, also beyond those that the model was trained for, luma is at least as good as what local stages leave.
func TestLumaIsBetterThanLocalStages(t *testing.T) {
	const w, h = 192, 160
	local, err := ShippedModels(models.Local)
	if err != nil {
		t.Fatal(err)
	}
	for sigma, least := range map[float64]float64{1: 0, 3: 0, 8: 0.2, 25: 0.3, 60: 0.3, 120: 0.1, 250: 0} {
		t.Run(fmt.Sprint(sigma), func(t *testing.T) {
			clean, noisy := noisyScene(w, h, sigma)
			var psnr [2]float64
			for i, set := range []ModelSet{local, {}} {
				out := clone(noisy[:1])
				if _, err := Planes(t.Context(), out, w, h, Options{Sigma: sigma, Quality: Fast, Models: set}); err != nil {
					t.Fatal(err)
				}
				psnr[i] = metric.PSNRPlanes(clean[:1], out)
			}
			if psnr[1] < psnr[0]+least {
				t.Errorf("%.2f dB, local stages have %.2f", psnr[1], psnr[0])
			}
		})
	}
}

// The work that is expected is the work that is done.
func TestProgressOfLumaEndsAtOne(t *testing.T) {
	const w, h = 150, 130
	last := 0.0
	o := Options{Sigma: 30, Quality: Fast, Workers: 1, Progress: func(share float64) { last = share }}
	if _, err := Planes(t.Context(), [][]float32{squares(w, h)}, w, h, o); err != nil {
		t.Fatal(err)
	}
	if last < 0.9 {
		t.Errorf("the last report was of %.2f", last)
	}
}

// At all levels, the last stage does no harm to what the passes leave of three drawn scenes, on average. It learned from photographs, and there is
// next to nothing for it to gain in a drawn scene. A level in a wrong unit would cost whole decibels.
func TestLastLumaDoesNoHarm(t *testing.T) {
	sizes := [][2]int{{128, 112}, {112, 128}, {144, 96}}
	const harm = 0.02
	for _, sigma := range []float64{1, 3, 8, 25, 60, 120} {
		for _, q := range []Quality{Balanced, Best} {
			if q == Best && sigma != 25 { // it takes three times as long
				continue
			}
			t.Run(fmt.Sprint(sigma, q), func(t *testing.T) {
				gain := 0.0
				for _, size := range sizes {
					gain += gainOfLastLuma(t, size[0], size[1], sigma, q) / float64(len(sizes))
				}
				t.Logf("%.3f dB", gain)
				if gain < -harm {
					t.Errorf("%.3f dB less than the passes leave", -gain)
				}
			})
		}
	}
}

// gainOfLastLuma returns by how much the last stage improves what the passes leave of a drawn scene, in dB.
func gainOfLastLuma(t *testing.T, w, h int, sigma float64, q Quality) float64 {
	clean, noisy := noisyScene(w, h, sigma)
	out := clone(noisy[:1])
	if _, err := Planes(t.Context(), out, w, h, Options{Sigma: sigma, Quality: q}); err != nil {
		t.Fatal(err)
	}
	passes, err := LastPlanes(t.Context(), clone(clean[:1]), clone(noisy[:1]), w, h, sigma/255, q, 0)
	if err != nil {
		t.Fatal(err)
	}
	inUnits(255/sigma, passes)
	return metric.PSNRPlanes(clean[:1], out) - metric.PSNRPlanes(clean[:1], passes)
}

// The last stage has learned the shapes of microscopes, too.
func TestLastLumaKnowsMicrographs(t *testing.T) {
	const side, sigma = 160, 30
	gain := 0.0
	for seed := range uint64(6) {
		clean := micrograph.Draw(2000+seed, side).Planes // it was trained on others
		noisy := clone(clean)
		noise.AddGaussian(noisy[0], clean[0], sigma/255.0, rand.New(rand.NewPCG(seed, 1)))
		out := clone(noisy)
		if _, err := Planes(t.Context(), out, side, side, Options{Sigma: sigma}); err != nil {
			t.Fatal(err)
		}
		passes, err := LastPlanes(t.Context(), clone(clean), clone(noisy), side, side, sigma/255.0, Balanced, 0)
		if err != nil {
			t.Fatal(err)
		}
		inUnits(255.0/sigma, passes)
		gain += (metric.PSNRPlanes(clean, out) - metric.PSNRPlanes(clean, passes)) / 6
	}
	t.Logf("%.3f dB more than the passes", gain)
	if gain < 0.2 {
		t.Errorf("%.3f dB more than the passes, not 0.2", gain)
	}
}
