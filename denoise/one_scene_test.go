package denoise

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// A file tells whether its pages show one scene, unless that is used already.
func TestOneScene(t *testing.T) {
	const w, h = 128, 96
	_, related := panSeries(4, w, h, 15, pan)
	_, unrelated := panSeries(4, w, h, 15, func(i int) (x, y float64) {
		return float64(1000 * i),
			float64(3000 * i * i)
	})
	_, noise := panSeries(4, w, h, 15, pan)
	for _, p := range noise {
		clear(p)
	}
	for _, test := range []struct {
		name  string
		pages [][]float32
		o     Options
		want  bool
	}{
		{"one scene", related, Options{}, true},
		{"together", related, Options{Together: true}, false},
		{"several scenes", unrelated, Options{}, false},
		{"two pages", related[:2], Options{}, false},
		{"nothing", noise, Options{}, false},
	} {
		var file bytes.Buffer
		if err := imageio.EncodePages(&file, len(test.pages), imageio.WriteOptions{Format: imageio.TIFF},
			func(i int) (*imageio.Image, error) {
				return &imageio.Image{Width: w, Height: h, Depth: imageio.Depth8, Planes: test.pages[i : i+1]}, nil
			}); err != nil {
			t.Fatal(err)
		}
		test.o.Noise, test.o.Sigma = Gaussian, 15
		r, err := Stream(context.Background(), io.Discard, &file, FileOptions{Options: test.o})
		if err != nil || r.OneScene != test.want {
			t.Errorf("%s: %v, %v", test.name, r.OneScene, err)
		}
	}
}
