package denoise

import (
	"context"
	"errors"
	"fmt"
	goimage "image"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
)

// partCases are images and options whose parts must equal the whole.
func partCases(t *testing.T) map[string]struct {
	planes int
	alpha  bool
	small  bool // every part needs the whole picture, whatever its size
	o      Options
} {
	return map[string]struct {
		planes int
		alpha  bool
		small  bool
		o      Options
	}{
		"gray":        {1, true, true, Options{Sigma: 25}},
		"fast colour": {3, false, false, Options{Sigma: 25, Quality: Fast, Keep: 0.2, KeepLuma: 0.1, Grain: 0.5}},
		"found":       {3, false, true, Options{}},
		"broad":       {3, false, true, Options{Noise: Camera}},
		"camera":      {1, false, false, Options{Models: setOf(t, cameraModel(t))}},
		"photons": {1, false, true, Options{Noise: Poisson, Photons: PhotonNoise{Gain: 4}, KeepLuma: 0.3,
			Grain: 0.2}},
		"wrapped": {1, true, false, Options{Sigma: 25, Quality: Fast, Wrap: true}},
		"fields":  {3, true, false, Options{Quality: Fast, Interlaced: true}},
		"inks":    {4, false, false, Options{Sigma: 20, Quality: Fast}},
		"none":    {1, false, false, Options{Noise: None}},
		"models":  {1, false, false, Options{Models: union(t), Sigma: 25, Stride: 3}},
	}
}

func TestPartsEqualTheWhole(t *testing.T) {
	for name, c := range partCases(t) {
		t.Run(name, func(t *testing.T) {
			w, h := 350, 301
			if c.small {
				w, h = 243, 251
			}
			img := &imageio.Image{Width: w, Height: h, Depth: imageio.Depth8, Format: imageio.TIFF}
			for i := range c.planes { // with noise of their own: equal planes are denoised as gray
				p := squares(w, h)
				if i > 0 {
					noise.AddGaussian(p, p, 0.05, noise.Source(uint64(i), "plane"))
				}
				img.Planes = append(img.Planes, p)
			}
			if c.alpha {
				img.Alpha = squares(w, h)
			}
			o := FileOptions{Options: c.o}
			a := mustAnalyse(t, img, o)
			whole, r := cleanedImage(t, img, o)
			r.Model = ""
			if !reflect.DeepEqual(a.Result(), r) {
				t.Errorf("found %+v, but %+v", a.Result(), r)
			}
			for _, area := range []goimage.Rectangle{goimage.Rect(0, 0, 1, 1), goimage.Rect(101, 203, 222, 250),
				goimage.Rect(w-50, h-21, w, h)} {
				part := mustPart(t, a, img, area, c.o)
				want := cutAll(whole.Planes, w, area)
				samePlanes(t, fmt.Sprint(area), part.Planes, want)
				if c.alpha && !slices.Equal(part.Alpha, cutOut(img.Alpha, w, area)) {
					t.Errorf("%v: another alpha", area)
				}
			}
			near := must.Get(a.Part(t.Context(), img, goimage.Rect(101, 203, 222, 250), 48, c.o))(t)
			for i, p := range cutAll(whole.Planes, w, goimage.Rect(101, 203, 222, 250)) {
				sum := 0.0
				for j, v := range p {
					d := 255 * float64(v-near.Planes[i][j])
					sum += d * d
				}
				// of the level that models are told
				if rms := math.Sqrt(sum / float64(len(p))); rms > 0.06*max(25.5, r.Sigma) {
					t.Errorf("with a small margin plane %d is %g levels off", i, rms)
				}
			}
		})
	}
}

// An analysis of an area finds the noise of that area. It serves parts anywhere in the image.
func TestNoiseOfAnArea(t *testing.T) {
	const w, h = 300, 200
	img := &imageio.Image{Width: w, Height: h, Depth: imageio.Depth8}
	for i := range 3 {
		p := squares(w, h)
		noise.AddGaussian(p[:w*h/2], p[:w*h/2], 0.03, noise.Source(uint64(i), "above"))
		noise.AddGaussian(p[w*h/2:], p[w*h/2:], 0.15, noise.Source(uint64(i), "below"))
		img.Planes = append(img.Planes, p)
	}
	o := FileOptions{Options: Options{Quality: Fast}}
	seen := func(area goimage.Rectangle) FileOptions { return FileOptions{Options: o.Options, Seen: area} }
	above := goimage.Rect(10, 0, w, h/2)
	a := mustAnalyse(t, img, seen(above))
	cut := *img
	cut.Width, cut.Height, cut.Planes = above.Dx(), above.Dy(), cutAll(img.Planes, w, above)
	want, err := measured(t.Context(), &cut, o)
	if err != nil || !reflect.DeepEqual(a.Result(), want) {
		t.Errorf("%v in the area, %v, %v", a.Result(), want, err)
	}
	below := goimage.Rect(20, 150, 90, h)
	part, err := a.Part(t.Context(), img, below, 0, o.Options)
	if err != nil || part.Width != below.Dx() || part.Height != below.Dy() {
		t.Error(part, err)
	}
	for _, area := range []goimage.Rectangle{goimage.Rect(5, 5, 5, 9), goimage.Rect(w, 0, w+5, 5)} {
		must.Fail(t, area, must.Err(Analyse(t.Context(), img, seen(area))), ErrArgument)
	}
	if _, err := Analyse(t.Context(), nil, seen(above)); !errors.Is(err, ErrArgument) {
		t.Error(err)
	}
}

func TestPartRefuses(t *testing.T) {
	img := &imageio.Image{Width: 40, Height: 30, Planes: [][]float32{squares(40, 30)}, Depth: imageio.Depth8}
	a := mustAnalyse(t, img, FileOptions{Options: Options{Sigma: 5}})
	for _, area := range []goimage.Rectangle{{}, goimage.Rect(-1, 0, 5, 5), goimage.Rect(0, 0, 41, 5),
		goimage.Rect(math.MaxInt/4, 0, math.MaxInt/2, 5)} {
		must.Fail(t, area, must.Err(a.Part(t.Context(), img, area, 0, Options{})), ErrArgument)
	}
	if _, err := a.Part(t.Context(), img, goimage.Rect(0, 0, 5, 5), -1, Options{}); !errors.Is(err, ErrArgument) {
		t.Error(err)
	}
	if _, err := a.Part(t.Context(), nil, goimage.Rect(0, 0, 5, 5), 0, Options{}); !errors.Is(err, ErrArgument) {
		t.Error(err)
	}
	if _, err := Analyse(t.Context(), nil, FileOptions{}); !errors.Is(err, ErrArgument) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Part(ctx, img, goimage.Rect(0, 0, 5, 5), 0, Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A part is a valid image, with what Decoded does besides denoising.
func TestPartIsAnImage(t *testing.T) {
	const w, h = 64, 60
	img := &imageio.Image{Width: w, Height: h, Depth: 4, Format: imageio.TIFF, Planes: [][]float32{squares(w, h)},
		Extra: [][]float32{squares(w, h)},
		Alpha: make([]float32, w*h), Premultiplied: true, MissingBottom: 20}
	for i, v := range img.Planes[0] {
		img.Alpha[i] = max(v, 0)
		img.Planes[0][i] = max(v, 0)
	}
	o := FileOptions{Options: Options{Sigma: 25, Quality: Fast}}
	a := mustAnalyse(t, img, o)
	area := goimage.Rect(10, 20, 50, 55)
	part := mustPart(t, a, img, area, o.Options)
	o.Crop = area
	mustDecoded(t, img, o)
	samePlanes(t, "part", part.Planes, img.Planes)
	for _, m := range []*imageio.Image{part, img} {
		if m.Depth != imageio.Depth8 || m.MissingBottom != 15 || m.Width != 40 || m.Height != 35 {
			t.Errorf("%v, %d rows are missing of %d x %d", m.Depth, m.MissingBottom, m.Width, m.Height)
		}
		if err := (imageio.WriteOptions{}).Check(m, 1); err != nil {
			t.Error(err)
		}
	}
}
