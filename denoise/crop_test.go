package denoise

import (
	"context"
	"fmt"
	goimage "image"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// A crop has the same samples as the whole denoised image, whatever the noise. Samples outside it do not change.
func TestCropIsPartOfTheWhole(t *testing.T) {
	const height = 156
	_, white := noisyScene(181, height, 20)
	_, broad := broadScene(181, height, 8)
	_, wide := broadScene(301, height, 8) // crops at its ends do not see each other
	_, photons := photonScene(181, height, PhotonNoise{Gain: 0.05, ReadNoise: 0.01})
	for name, test := range map[string]struct {
		noisy [][]float32
		o     Options
	}{
		"white":          {white, Options{Sigma: 20}},
		"white, found":   {white, Options{Quality: Fast}},
		"gray, a blend":  {white[:1], Options{Sigma: 20, Keep: 0.3}},
		"grain":          {white, Options{Sigma: 20, Quality: Fast, Grain: 0.5}},
		"camera, found":  {broad, Options{}},
		"camera":         {wide, Options{Models: setOf(t, cameraModel(t)), Quality: Fast}},
		"photons, found": {photons[:1], Options{Noise: Poisson, Quality: Fast}},
		"photons, chroma": {photons, Options{Noise: Poisson, Photons: PhotonNoise{Gain: 0.05, ReadNoise: 0.01},
			KeepChroma: 0.5, Quality: Fast}},
		"none": {white, Options{Noise: None}},
	} {
		width := len(test.noisy[0]) / height
		whole, found := cleaned(t, test.noisy, width, height, test.o)
		crops := []goimage.Rectangle{goimage.Rect(0, 0, 30, 40), goimage.Rect(140, 121, 171, 150),
			goimage.Rect(width-11, height-5, width, height)}
		if test.o.Quality == Fast { // the others take long
			crops = append(crops, goimage.Rect(7, 130, 8, 131), goimage.Rect(0, 0, width, height))
		}
		for _, crop := range crops {
			o := test.o
			o.Crop = crop
			part := clone(test.noisy)
			r, err := Planes(context.Background(), part, width, height, o)
			if err != nil || !reflect.DeepEqual(r, found) {
				t.Fatalf("%s: %v: found %v, not %v (%v)", name, crop, r, found, err)
			}
			for c := range part {
				for i, v := range part[c] {
					want := test.noisy[c][i]
					if (goimage.Point{X: i % width, Y: i / width}).In(crop) {
						want = whole[c][i]
					}
					if v != want {
						t.Fatalf("%s: %v: sample %d,%d of plane %d is %g, not %g", name, crop, i%width, i/width, c, v,
							want)
					}
				}
			}
		}
	}
}

// Any part that holds the crop with its margins, and is aligned, is enough.
func TestCropMargins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := margins{align: rapid.IntRange(1, 12).Draw(t, "align"), after: rapid.IntRange(1, 90).Draw(t, "after")}
		width, height := rapid.IntRange(1, 400).Draw(t, "width"), rapid.IntRange(1, 400).Draw(t, "height")
		x, y := rapid.IntRange(0, width-1).Draw(t, "x"), rapid.IntRange(0, height-1).Draw(t, "y")
		crop := goimage.Rect(x, y, rapid.IntRange(x+1, width).Draw(t, "right"),
			rapid.IntRange(y+1, height).Draw(t, "bottom"))
		area := m.around(crop, width, height)
		all := goimage.Rect(0, 0, width, height)
		if !area.In(all) || !crop.Inset(-m.after).Intersect(all).In(area) || area.Min.X%m.align != 0 ||
			area.Min.Y%m.align != 0 {
			t.Fatalf("%v around %v", area, crop)
		}
	})
}

// Every function returns the crop alone, with alpha, in files of several pages and for each ink.
func TestCropOfFiles(t *testing.T) {
	for _, planes := range []int{1, 3, 4} {
		pages := []*imageio.Image{pageOf(70, 50, planes, 20), pageOf(70, 50, planes, 20)}
		if planes < 4 {
			for _, p := range pages {
				p.Alpha = make([]float32, 70*50)
				p.Alpha[30*70+20] = 1
			}
		}
		file := tiffOf(t, pages...)
		read := func(o Options) *imageio.Image {
			out, _ := streamed(t, file, FileOptions{Options: o})
			all := pagesOf(t, out)
			if len(all) != 2 {
				t.Fatalf("%d pages", len(all))
			}
			return all[1]
		}
		o, area := Options{Sigma: 20, Quality: Fast}, goimage.Rect(20, 30, 45, 42)
		whole := read(o)
		o.Crop = area
		part := read(o)
		if part.Width != 25 || part.Height != 12 {
			t.Fatalf("%d x %d", part.Width, part.Height)
		}
		if part.Alpha != nil && part.Alpha[0] != 1 {
			t.Error("alpha was not cropped")
		}
		samePlanes(t, fmt.Sprintf("%d planes", planes), part.Planes, cutAll(whole.Planes, 70, area))
	}
	img := goimage.NewGray(goimage.Rect(0, 0, 60, 40)).SubImage(goimage.Rect(10, 10, 50, 40))
	out, _, err := Image(context.Background(), img, Options{Sigma: 10, Quality: Fast, Crop: goimage.Rect(5, 6, 15, 16)})
	if err != nil || out.Bounds() != goimage.Rect(15, 16, 25, 26) {
		t.Errorf("%v, %v", out.Bounds(), err)
	}
}

func TestCropOutsideIsRefused(t *testing.T) {
	for _, crop := range []goimage.Rectangle{goimage.Rect(0, 0, 9, 8), goimage.Rect(-1, 0, 4, 4),
		{Max: goimage.Pt(0, 4)}, {Min: goimage.Pt(4, 4)}, goimage.Rect(8, 8, 9, 9)} {
		_, err := Planes(context.Background(), [][]float32{make([]float32, 64)}, 8, 8, Options{Sigma: 5, Crop: crop})
		must.Fail(t, crop, err, ErrArgument)
	}
}
