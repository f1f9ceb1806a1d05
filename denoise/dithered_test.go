package denoise

import (
	"bytes"
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
		p := make([]float32, width*height)
		for i := range p {
			p[i] = (90 + float32(20*c) + 0.04*float32(i%width) + 0.09*float32(i/width)) / 255
		}
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
		if _, err := Decoded(t.Context(), img, o); err != nil {
			t.Fatal(err)
		}
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
			whole := copyOf(sky(planes, w, h))
			if _, err := Decoded(t.Context(), whole, o); err != nil {
				t.Fatal(err)
			}
			for _, crop := range []goimage.Rectangle{goimage.Rect(0, 0, 9, 7), goimage.Rect(61, 50, 122, 101),
				goimage.Rect(147, 129, 150, 131)} {
				cropped, cut := sky(planes, w, h), o
				cut.Crop = crop
				if _, err := Decoded(t.Context(), cropped, cut); err != nil {
					t.Fatal(err)
				}
				a, err := Analyse(t.Context(), sky(planes, w, h), o)
				if err != nil {
					t.Fatal(err)
				}
				part, err := a.Part(t.Context(), sky(planes, w, h), crop, 0, o.Options)
				if err != nil {
					t.Fatal(err)
				}
				for c, want := range cutAll(whole.Planes, w, crop) {
					for i, v := range want {
						if cropped.Planes[c][i] != v || part.Planes[c][i] != v {
							t.Fatalf("%d planes, grain %g, %v: sample %d is %g in the crop and %g in the part, not %g",
								planes, grain, crop, i, cropped.Planes[c][i]*255, part.Planes[c][i]*255, v*255)
						}
					}
				}
			}
		}
	}
}

// Each page has the pattern at the same place, whatever the number of workers.
func TestDitherOfPages(t *testing.T) {
	var file, out bytes.Buffer
	page := sky(1, 90, 70)
	page.Format = imageio.TIFF
	write := func(int) (*imageio.Image, error) { return copyOf(page), nil }
	if err := imageio.EncodePages(&file, 2, imageio.WriteOptions{Format: imageio.TIFF}, write); err != nil {
		t.Fatal(err)
	}
	var before []byte
	for _, workers := range []int{1, 4} {
		out.Reset()
		if _, err := Stream(t.Context(), &out, bytes.NewReader(file.Bytes()),
			FileOptions{Options: Options{Sigma: 4, Quality: Fast, Workers: workers}}); err != nil {
			t.Fatal(err)
		}
		if before != nil && !bytes.Equal(out.Bytes(), before) {
			t.Error("other bytes with other workers")
		}
		before = bytes.Clone(out.Bytes())
	}
	r, err := imageio.NewReader(before, imageio.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	first, err := r.Page(0)
	if err != nil {
		t.Fatal(err)
	}
	second, err := r.Page(1)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range first.Planes[0] {
		if second.Planes[0][i] != v {
			t.Fatalf("sample %d: %g, and %g on the second page", i, v*255, second.Planes[0][i]*255)
		}
	}
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
	if _, err := Decoded(t.Context(), img, FileOptions{Options: Options{Sigma: 4, Quality: Fast}}); err != nil {
		t.Fatal(err)
	}
	for y := range h / 2 {
		for x := range w / 2 {
			if img.Planes[0][y*w+x] != 100.0/255 {
				t.Fatalf("the area of one value has %g at %d, %d", img.Planes[0][y*w+x]*255, x, y)
			}
		}
	}
	clean := copyOf(before)
	if _, err := Decoded(t.Context(), clean, FileOptions{Options: Options{Noise: None}}); err != nil {
		t.Fatal(err)
	}
	for i, v := range clean.Planes[0] {
		if v != before.Planes[0][i] {
			t.Fatalf("without noise, sample %d became %g", i, v*255)
		}
	}
}
