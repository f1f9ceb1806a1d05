package denoise

import (
	"fmt"
	goimage "image"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/metric"
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
			got := slices.Clone(noisy)
			o.Workers = workers
			if _, err := tiled([][]float32{got}, w, h, o, side); err != nil {
				t.Fatal(err)
			}
			if i := firstDifference(got, whole); i >= 0 {
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
		img := &imageio.Image{Width: w, Height: h, Planes: [][]float32{noisy}, Depth: imageio.DepthFloat32,
			Format: imageio.TIFF}
		a, err := Analyse(t.Context(), img, FileOptions{Options: o})
		if err != nil {
			t.Fatal(err)
		}
		for _, area := range []goimage.Rectangle{goimage.Rect(0, 0, 9, 8), goimage.Rect(131, 77, 180, 99),
			goimage.Rect(250, 200, w, h)} {
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
				if _, err := Planes(t.Context(), out, w, h,
					Options{Sigma: sigma, Quality: Fast, Models: set}); err != nil {
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
