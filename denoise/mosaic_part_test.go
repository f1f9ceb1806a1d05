package denoise

import (
	"fmt"
	goimage "image"
	"math"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/mosaic/dngtest"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// rawPartCases are raw pictures that are larger than the margins of a part.
var rawPartCases = map[string]func(f *dngtest.File){
	"red first":  nil,
	"green red":  func(f *dngtest.File) { f.Colours = [4]byte{1, 0, 2, 1} },
	"green blue": func(f *dngtest.File) { f.Colours = [4]byte{1, 2, 0, 1} },
	"blue first": func(f *dngtest.File) { f.Colours = [4]byte{2, 1, 1, 0} },
	"active": func(f *dngtest.File) {
		f.Active, f.Black = []uint32{3, 5, 401, 447}, []uint32{512, 530, 500, 508}
		f.Raw = map[uint16]*dngtest.Tag{50830: f.Longs(3, 0, 401, 5), 50715: f.Doubles(slices.Repeat([]float64{3, 0, 1},
			200)[:442]...)}
	},
	"gray": func(f *dngtest.File) { f.Raw = map[uint16]*dngtest.Tag{262: f.Shorts(34892)} },
}

// With a margin of 0, a part of a raw picture has the same samples as the denoised whole, with another one nearly the
// same.
func TestRawParts(t *testing.T) {
	for name, change := range rawPartCases {
		f, _ := rawScene(func(f *dngtest.File) {
			f.Width, f.Height = 450, 401
			if change != nil {
				change(f)
			}
		})
		f.Samples[200*f.Width+211] = 15000 // is hot
		img := must.Get(imageio.Decode(f.Bytes(), imageio.ReadOptions{}))(t)
		o := FileOptions{Options: Options{Quality: Fast, KeepChroma: 0.2, Grain: 0.3}}
		if f.Active != nil {
			o.Quality = Balanced // the network sees a turned mosaic, too
		}
		a := mustAnalyse(t, img, o)
		whole, r := cleanedImage(t, img, o)
		if r.Model, r.Hot, r.Format = "", 0, 0; fmt.Sprint(a.Result()) != fmt.Sprint(r) {
			t.Errorf("%s: found %v, but %v", name, a.Result(), r)
		}
		noise := math.Sqrt(squareError(f.Samples, samplesOf(whole)))
		for _, area := range []goimage.Rectangle{goimage.Rect(191, 180, 256, 233), goimage.Rect(400, 350, 450, 401)} {
			want := cutAll(whole.Planes, img.Width, area)[0]
			for margin, most := range map[int]float64{0: 0, 48: 0.02} {
				part := must.Get(a.Part(t.Context(), img, area, margin, o.Options))(t)
				got := samplesOf(part)
				off := 0.0
				for i, v := range want {
					off += math.Pow(got[i]-65535*float64(v), 2) / float64(len(want))
				}
				if off = math.Sqrt(off); off > most*noise || len(got) != len(want) {
					t.Errorf("%s: %v with a margin of %d is %.2g off, of noise of %.3g", name, area, margin, off, noise)
				}
				checkMosaicOfPart(t, img.Mosaic, part.Mosaic, area)
			}
		}
	}
}

// samplesOf returns the samples in the unit of the file.
func samplesOf(img *imageio.Image) (samples []float64) {
	for _, v := range img.Planes[0] {
		samples = append(samples, 65535*float64(v))
	}
	return samples
}

// checkMosaicOfPart checks that samples mean what they do in the whole.
func checkMosaicOfPart(t *testing.T, whole, part *imageio.Mosaic, area goimage.Rectangle) {
	t.Helper()
	if want := whole.Active.Intersect(area).Sub(area.Min); part.Active != want {
		t.Fatalf("active area %v, want %v", part.Active, want)
	}
	at := part.Active.Min.Add(area.Min).Sub(whole.Active.Min)
	for y := range 5 {
		for x := range 5 {
			if got, want := part.Black(x, y), whole.Black(x+at.X, y+at.Y); got != want {
				t.Errorf("%v: black %g at %d, %d, want %g", area, got, x, y, want)
			}
			if !whole.Gray && part.Colours[y%2][x%2] != whole.Colours[(y+at.Y)%2][(x+at.X)%2] {
				t.Errorf("%v: another colour at %d, %d", area, x, y)
			}
		}
	}
}

// Part keeps the samples of a file that is denoised already or is to stay as it is, and those of the border of any
// file.
func TestRawPartsStay(t *testing.T) {
	f, _ := rawScene(func(f *dngtest.File) { f.Active = []uint32{10, 20, 101, 130} })
	f.First = map[uint16]*dngtest.Tag{50935: f.Doubles(0.9)}
	denoised := must.Get(imageio.Decode(f.Bytes(), imageio.ReadOptions{}))(t)
	f.First = nil
	noisy := must.Get(imageio.Decode(f.Bytes(), imageio.ReadOptions{}))(t)
	inner := goimage.Rect(30, 20, 60, 40)
	for name, c := range map[string]struct {
		img  *imageio.Image
		o    Options
		area goimage.Rectangle
		is   bool // denoised
	}{
		"noisy":            {noisy, Options{}, inner, true},
		"border":           {noisy, Options{}, goimage.Rect(0, 0, 19, 30), false},
		"none":             {noisy, Options{Noise: None}, inner, false},
		"denoised":         {denoised, Options{}, inner, false},
		"denoised, forced": {denoised, Options{Sigma: 1}, inner, true},
	} {
		c.o.Quality = Fast
		a := mustAnalyse(t, c.img, FileOptions{Options: c.o})
		part := must.Get(a.Part(t.Context(), c.img, c.area, 48, c.o))(t)
		if is := !slices.Equal(part.Planes[0], cutOut(c.img.Planes[0], c.img.Width, c.area)); is != c.is {
			t.Errorf("%s: denoised %v", name, is)
		}
		if r := a.Result(); (r.Noise == None) != (name == "none" || name == "denoised") ||
			(len(r.Warnings) > 0) != (name == "denoised") {
			t.Errorf("%s: %+v", name, r)
		}
	}
	must.Fail(t, "models", must.Err(Analyse(t.Context(), noisy,
		FileOptions{Options: Options{Models: must.Get(ShippedModels("local"))(t)}})), imageio.ErrUnsupported)
}

// An active area of one row, column or sample may have no sample of some colours.
func TestSmallRaw(t *testing.T) {
	for _, active := range [][]uint32{{3, 5, 4, 6}, {0, 0, 1, 20}, {0, 1, 20, 2}, {1, 1, 3, 4}} {
		f := &dngtest.File{Width: 20, Height: 20, Black: []uint32{512}, Active: active, Colours: [4]byte{2, 1, 1, 0}}
		f.Scene(1, 1e-2, 1e-6)
		img := must.Get(imageio.Decode(f.Bytes(), imageio.ReadOptions{}))(t)
		o := FileOptions{Options: Options{Quality: Fast, KeepLuma: 0.5}}
		part := mustPart(t, mustAnalyse(t, img, o), img, img.Mosaic.Active, o.Options)
		whole, r := cleanedImage(t, img, o)
		samePlanes(t, fmt.Sprint(active), part.Planes, cutAll(whole.Planes, img.Width, img.Mosaic.Active))
		if r.Model == "" {
			t.Errorf("%v: not denoised", active)
		}
	}
}
