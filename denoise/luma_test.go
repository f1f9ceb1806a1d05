package denoise

import (
	"fmt"
	goimage "image"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
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
		o.Workers = 1
		noSeams(t, name, [][]float32{noisy}, w, h, o, map[int]int{2: 0, 3: 110})
	}
}

func TestLumaOfPartsIsThatOfTheWhole(t *testing.T) {
	const w, h = 297, 215
	noisy := squares(w, h)
	for name, o := range grayKinds {
		whole, _ := cleaned(t, [][]float32{noisy}, w, h, o)
		img := &imageio.Image{Width: w, Height: h, Planes: [][]float32{noisy}, Depth: imageio.DepthFloat32,
			Format: imageio.TIFF}
		a := mustAnalyse(t, img, FileOptions{Options: o})
		for _, area := range []goimage.Rectangle{goimage.Rect(0, 0, 9, 8), goimage.Rect(131, 77, 180, 99),
			goimage.Rect(250, 200, w, h)} {
			want := cutAll(whole, w, area)
			part := mustPart(t, a, img, area, o)
			c := o
			c.Crop = area
			cropped, _ := cleaned(t, [][]float32{noisy}, w, h, c)
			samePlanes(t, name+", part", part.Planes, want)
			samePlanes(t, name+", crop", cutAll(cropped, w, area), want)
		}
	}
}

// At all levels, also beyond those that the model was trained for, luma is at least as good as what local stages leave.
func TestLumaIsBetterThanLocalStages(t *testing.T) {
	const w, h = 192, 160
	local := must.Get(ShippedModels(models.Local))(t)
	for sigma, least := range map[float64]float64{1: 0, 3: 0, 8: 0.2, 25: 0.3, 60: 0.3, 120: 0.1, 250: 0} {
		t.Run(fmt.Sprint(sigma), func(t *testing.T) {
			clean, noisy := noisyScene(w, h, sigma)
			var psnr [2]float64
			for i, set := range []ModelSet{local, {}} {
				out := clone(noisy[:1])
				mustPlanes(t, out, w, h,
					Options{Sigma: sigma, Quality: Fast, Models: set})
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
	mustPlanes(t, [][]float32{squares(w, h)}, w, h, o)
	if last < 0.9 {
		t.Errorf("the last report was of %.2f", last)
	}
}
