package denoise

import (
	"context"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// Measure tells the noise that Decoded finds and removes.
func TestMeasureTellsWhatDecodedRemoves(t *testing.T) {
	const w, h = 96, 80
	_, noisy := noisyScene(w, h, 20)
	bits := filled(w*h, func(i int) float32 { return float32(i / 7 % 2) })
	tinted := [][]float32{noisy[0], make([]float32, w*h), make([]float32, w*h)}
	for i, v := range noisy[0] {
		tinted[1][i], tinted[2][i] = 0.8*v, 0.2+0.5*v
	}
	for name, img := range map[string]imageio.Image{
		"gray":                  {Planes: noisy[:1]},
		"colour":                {Planes: noisy[:]},
		"tinted":                {Planes: tinted},
		"equal planes":          {Planes: [][]float32{noisy[0], noisy[0], noisy[0]}},
		"one plane of three":    {Planes: [][]float32{bits, bits, noisy[1]}},
		"two levels":            {Planes: [][]float32{bits}},
		"noise in extra planes": {Planes: [][]float32{bits}, Extra: [][]float32{bits, noisy[2]}},
		"noise in all":          {Planes: noisy[:1], Extra: [][]float32{noisy[1]}},
		"alpha":                 {Planes: noisy[:], Alpha: bits},
		"damaged":               {Planes: noisy[:1], MissingBottom: 20},
	} {
		img.Width, img.Height, img.Depth, img.Format = w, h, imageio.Depth8, imageio.TIFF
		img.Planes, img.Extra = clone(img.Planes), clone(img.Extra)
		o := FileOptions{Options: Options{Quality: Fast}}
		told, err := measured(context.Background(), &img, o)
		if err != nil {
			t.Fatal(name, err)
		}
		done, err := Decoded(context.Background(), &img, o)
		if err != nil {
			t.Fatal(name, err)
		}
		if told.String() != done.String() || (told.Noise == None) != (done.Model == "") {
			t.Errorf("%s: %v was told, %v by %q was done", name, told, done, done.Model)
		}
		if want := name == "two levels"; (told.Noise == None) != want {
			t.Errorf("%s: %v", name, told)
		}
	}
}
