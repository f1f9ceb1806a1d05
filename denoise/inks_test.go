package denoise

import (
	goimage "image"
	"math"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/metric"
)

// inked returns inks that leave the light of red, green and blue. Black takes a share of what it can take.
func inked(rgb [][]float32, width int, share float64) *imageio.Image {
	img := &imageio.Image{Width: width, Height: len(rgb[0]) / width, Depth: imageio.Depth8, Format: imageio.TIFF}
	for range 4 {
		img.Planes = append(img.Planes, make([]float32, len(rgb[0])))
	}
	level := func(v float64) float32 { return float32(math.Round(min(max(v, 0), 1)*255)) / 255 }
	for i := range rgb[0] {
		most := float64(max(rgb[0][i], rgb[1][i], rgb[2][i]))
		k := 1 - share*(1-most)
		for c, p := range rgb {
			img.Planes[c][i] = level(float64(p[i]) / max(k, 1./255))
		}
		img.Planes[3][i] = level(k)
	}
	return img
}

// lightOf returns the light that inks leave.
func lightOf(img *imageio.Image) (light [][]float32) {
	for _, p := range img.Planes[:3] {
		l := make([]float32, len(p))
		for i, v := range p {
			l[i] = v * img.Planes[3][i]
		}
		light = append(light, l)
	}
	return light
}

// A photograph in inks gains what it gains in red, green and blue, however much of it is black.
func TestInksGainAsMuchAsLight(t *testing.T) {
	const width, height = 181, 156
	clean, noisy := noisyScene(width, height, 15)
	o := FileOptions{Options: Options{Quality: Fast}}
	rgb := &imageio.Image{Width: width, Height: height, Depth: imageio.Depth8, Format: imageio.TIFF,
		Planes: clonePlanes(noisy)}
	for _, p := range rgb.Planes {
		for i, v := range p {
			p[i] = float32(math.Round(float64(min(max(v, 0), 1))*255)) / 255
		}
	}
	mustDecoded(t, rgb, o)
	want := metric.PSNRPlanes(clean, rgb.Planes)
	for _, share := range []float64{0, 0.5, 1} {
		img := inked(noisy, width, share)
		r := mustDecoded(t, img, o)
		if got := metric.PSNRPlanes(clean, lightOf(img)); got < want-0.4 || r.Sigma < 10 {
			t.Errorf("with %g of black: %.2f dB, but %.2f dB in red, green and blue (%v)", share, got, want, r)
		}
	}
}

// A crop and a part of inks have the samples of the whole, with dither and grain.
func TestPartsOfInks(t *testing.T) {
	const width, height = 150, 131
	img := inked(sky(3, width, height).Planes, width, 0.7)
	samePieces(t, "inks", img, FileOptions{Options: Options{Sigma: 4, Quality: Fast, Grain: 0.05}},
		goimage.Rect(0, 0, 9, 7), goimage.Rect(61, 50, 122, 101), goimage.Rect(147, 129, 150, 131))
}

// Inks that show different things, and pictures without noise, are no photographs whose light is denoised.
func TestWhatIsNoPhotographInInks(t *testing.T) {
	const width, height = 120, 100
	img := inked(sky(3, width, height).Planes, width, 0.5)
	if jobOf(Options{}).lightOf(img, preparing{}) == nil {
		t.Error("a photograph in inks is none")
	}
	for name, change := range map[string]func(*imageio.Image){
		"premultiplied": func(i *imageio.Image) { i.Premultiplied = true },
		"no data":       func(i *imageio.Image) { i.NoData = []float64{0} },
		"floats":        func(i *imageio.Image) { i.Depth = imageio.DepthFloat32 },
		"colour":        func(i *imageio.Image) { i.Planes = i.Planes[:3] },
	} {
		other := *img
		change(&other)
		if jobOf(Options{}).lightOf(&other, preparing{}) != nil {
			t.Errorf("%s: counts as a photograph in inks", name)
		}
	}
	before := copyOf(img)
	mustDecoded(t, img, FileOptions{Options: Options{Noise: None}})
	samePlanes(t, "without noise", img.Planes, before.Planes)
}

// Extra planes of a photograph in inks are denoised, too.
func TestExtraPlanesBesideInks(t *testing.T) {
	const width, height = 120, 100
	img := inked(sky(3, width, height).Planes, width, 0.5)
	img.Extra = [][]float32{noisy(blobs(width, height, 1), 0.05, "extra")}
	before := slices.Clone(img.Extra[0])
	if _, err := Decoded(t.Context(), img, FileOptions{Options: Options{Quality: Fast}}); err != nil {
		t.Fatal(err)
	}
	if slices.Equal(img.Extra[0], before) {
		t.Error("the extra plane has not changed")
	}
}
