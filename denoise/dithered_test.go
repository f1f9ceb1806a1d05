package denoise

import (
	"bytes"
	"fmt"
	goimage "image"
	"math"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
)

// sky is a soft ramp with white noise of 4 levels, rounded to 8 bits.
func sky(planes, width, height int) *imageio.Image {
	img := &imageio.Image{Width: width, Height: height, Depth: imageio.Depth8, Format: imageio.PNG}
	for c := range planes {
		p := filled(width*height, func(i int) float32 {
			return (90 + float32(20*c) + 0.04*float32(i%width) + 0.09*float32(i/width)) / 255
		})
		noise.AddGaussian(p, p, 4./255, noise.Source(uint64(c), "sky"))
		for i, v := range p {
			p[i] = float32(math.Round(float64(v)*255)) / 255
		}
		img.Planes = append(img.Planes, p)
	}
	return img
}

// levelsOf returns how many of the samples are levels of 8 bits.
func levelsOf(p []float32) (n int) {
	for _, v := range p {
		if v == float32(math.Round(float64(v)*255))/255 {
			n++
		}
	}
	return n
}

func copyOf(img *imageio.Image) *imageio.Image {
	c := *img
	c.Planes = clonePlanes(img.Planes)
	return &c
}

// A denoised sky has levels of the file where it is smooth. It has not where the file can hold more, or loses dither,
// or where nobody wants it.
func TestWhatIsDithered(t *testing.T) {
	const w, h = 96, 80
	for name, test := range map[string]struct {
		o        FileOptions
		depth    imageio.Depth
		format   imageio.Format
		dithered bool
	}{
		"PNG":       {FileOptions{}, imageio.Depth8, imageio.PNG, true},
		"7 bits":    {FileOptions{}, 7, imageio.PNG, true},
		"no format": {FileOptions{}, imageio.Depth8, 0, true},
		"to TIFF": {FileOptions{Write: imageio.WriteOptions{Format: imageio.TIFF}}, imageio.Depth8, imageio.JPEG,
			true},
		"JPEG": {FileOptions{}, imageio.Depth8, imageio.JPEG, false},
		"to JPEG": {FileOptions{Write: imageio.WriteOptions{Format: imageio.JPEG}}, imageio.Depth8, imageio.PNG,
			false},
		"16 bits": {FileOptions{Write: imageio.WriteOptions{Depth: imageio.Depth16}}, imageio.Depth8, imageio.PNG,
			false},
		"of 16":  {FileOptions{}, imageio.Depth16, imageio.PNG, false},
		"float":  {FileOptions{}, imageio.DepthFloat32, imageio.TIFF, false},
		"signed": {FileOptions{}, imageio.DepthInt8, imageio.TIFF, false},
		"off":    {FileOptions{NoDither: true}, imageio.Depth8, imageio.PNG, false},
	} {
		img := sky(1, w, h)
		img.Depth, img.Format = test.depth, test.format
		o := test.o
		o.Sigma, o.Quality = 4, Fast
		mustDecoded(t, img, o)
		if n := levelsOf(img.Planes[0]); test.dithered != (n > w*h*9/10) {
			t.Errorf("%s: %d of %d samples are levels", name, n, w*h)
		}
	}
}

// A crop and a part of an analysed image have the samples of the whole, also with grain.
func TestDitherOfParts(t *testing.T) {
	const w, h = 150, 131
	for _, planes := range []int{1, 3, 4} {
		for _, grain := range []float64{0, 0.05} {
			o := FileOptions{Options: Options{Sigma: 4, Quality: Fast, Grain: grain}}
			samePieces(t, fmt.Sprintf("%d planes, grain %g", planes, grain), sky(planes, w, h), o,
				goimage.Rect(0, 0, 9, 7), goimage.Rect(61, 50, 122, 101), goimage.Rect(147, 129, 150, 131))
		}
	}
}

// Each page has the pattern at the same place, whatever the number of workers.
func TestDitherOfPages(t *testing.T) {
	page := sky(1, 90, 70)
	page.Format = imageio.TIFF
	file := tiffOf(t, page, page)
	var before []byte
	for _, workers := range []int{1, 4} {
		out, _ := streamed(t, file, FileOptions{Options: Options{Sigma: 4, Quality: Fast, Workers: workers}})
		if before != nil && !bytes.Equal(out, before) {
			t.Error("other bytes with other workers")
		}
		before = out
	}
	pages := pagesOf(t, before)
	samePlanes(t, "the second page", pages[1].Planes, pages[0].Planes)
}

// What is no noise stays exactly as it is: files without noise, and areas of one value in noisy ones.
func TestDitherLeavesCleanAreas(t *testing.T) {
	const w, h = 120, 100
	img := sky(1, w, h)
	for y := range h / 2 {
		for x := range w / 2 {
			img.Planes[0][y*w+x] = 100.0 / 255
		}
	}
	before := copyOf(img)
	mustDecoded(t, img, FileOptions{Options: Options{Sigma: 4, Quality: Fast}})
	for y := range h / 2 {
		for x := range w / 2 {
			if img.Planes[0][y*w+x] != 100.0/255 {
				t.Fatalf("the area of one value has %g at %d, %d", img.Planes[0][y*w+x]*255, x, y)
			}
		}
	}
	clean, _ := cleanedImage(t, before, FileOptions{Options: Options{Noise: None}})
	samePlanes(t, "without noise", clean.Planes, before.Planes)
}
