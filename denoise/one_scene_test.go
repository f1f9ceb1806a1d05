package denoise

import (
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// A file tells whether its pages show one scene, unless that is used already.
func TestOneScene(t *testing.T) {
	const w, h = 128, 96
	_, related := panSeries(4, w, h, 15, pan)
	far := func(i int) (x, y float64) { return float64(1000 * i), float64(3000 * i * i) }
	_, unrelated := panSeries(4, w, h, 15, far)
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
		test.o.Noise, test.o.Sigma = Gaussian, 15
		file := stackFile(t, test.pages, w, h, imageio.Depth8)
		if _, r := streamed(t, file, FileOptions{Options: test.o}); r.OneScene != test.want {
			t.Errorf("%s: %v", test.name, r.OneScene)
		}
	}
}
