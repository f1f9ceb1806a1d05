package denoise

import (
	"bytes"
	"context"
	"fmt"
	goimage "image"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// jobOf returns a job that does not end.
func jobOf(o Options) job { return newJob(context.Background(), o) }

// noiseIn returns the noise that options give, or that is found in an image.
func noiseIn(img image, o Options) noiseModel {
	f, err := jobOf(o).noiseOf(channel{image: img})
	if err != nil {
		panic(err)
	}
	return f.noise
}

// tiled is Planes with tiles of about a side.
func tiled(planes [][]float32, width, height int, o Options, side int) (Result, error) {
	j := jobOf(o)
	j.tileSide = side
	return j.planes(planes, width, height)
}

// viewIn returns the view of an image that is all picture.
func viewIn(img image) view {
	v, err := jobOf(Options{}).measured(img)
	if err != nil {
		panic(err)
	}
	return v
}

// removeByStages removes white noise without a network.
func removeByStages(n evenNoise, img image, o Options) error {
	if len(img.planes) == 3 {
		decorrelate(img.planes, pool{})
		defer correlate(img.planes, pool{})
	}
	choose := n.chooseFor(plans[whiteNoise][o.Quality], len(img.planes), o)
	var tasks []task
	for i, p := range img.planes {
		m, err := choose(i)
		if err != nil {
			return err
		}
		tasks = append(tasks, task{plane: patchify.Plane{Width: img.width, Height: img.height, Pix: p}, planeModel: m})
	}
	c := evenClamp(n.sigma, n.chroma, len(img.planes))
	return newTiler(tasks, jobOf(o), c).denoise(context.Background())
}

// removeEven removes noise of one level.
func removeEven(n evenNoise, img image, o Options) error {
	_, err := noiseModel{even: n}.remove(jobOf(o), img)
	return err
}

// tester is a test, of package testing or of rapid.
type tester interface {
	Context() context.Context
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// mustPlanes denoises planes, and ends the test after an error. So do the others.
func mustPlanes(t tester, planes [][]float32, width, height int, o Options) Result {
	t.Helper()
	return must.Get(Planes(t.Context(), planes, width, height, o))(t)
}

func mustDecoded(t tester, img *imageio.Image, o FileOptions) Result {
	t.Helper()
	return must.Get(Decoded(t.Context(), img, o))(t)
}

func mustAnalyse(t tester, img *imageio.Image, o FileOptions) *Analysis {
	t.Helper()
	return must.Get(Analyse(t.Context(), img, o))(t)
}

func mustPart(t tester, a *Analysis, img *imageio.Image, area goimage.Rectangle, o Options) *imageio.Image {
	t.Helper()
	return must.Get(a.Part(t.Context(), img, area, 0, o))(t)
}

// cleaned returns what Planes makes of a copy of planes.
func cleaned(t tester, planes [][]float32, width, height int, o Options) ([][]float32, Result) {
	t.Helper()
	out := clone(planes)
	return out, mustPlanes(t, out, width, height, o)
}

// cleanedImage returns what Decoded makes of a copy of an image.
func cleanedImage(t tester, img *imageio.Image, o FileOptions) (*imageio.Image, Result) {
	t.Helper()
	out := copyOf(img)
	return out, mustDecoded(t, out, o)
}

// samePlanes checks that planes have the samples that they should have.
func samePlanes(t testing.TB, what string, got, want [][]float32) {
	t.Helper()
	for c, p := range want {
		if len(got[c]) != len(p) {
			t.Errorf("%s: %d samples of plane %d, not %d", what, len(got[c]), c, len(p))
		} else if i := firstDifference(got[c], p); i >= 0 {
			t.Errorf("%s: sample %d of plane %d is %g, not %g", what, i, c, got[c][i], p[i])
		}
	}
}

// samePieces checks that crops of an image, and parts of one that was analysed, have the samples of the whole result.
// It returns that, and what the analysis has found.
func samePieces(t testing.TB, name string, img *imageio.Image, o FileOptions,
	areas ...goimage.Rectangle) (whole *imageio.Image, found Result) {
	t.Helper()
	whole, _ = cleanedImage(t, img, o)
	a := mustAnalyse(t, img, o)
	for _, area := range areas {
		want, cut := cutAll(whole.Planes, img.Width, area), o
		cut.Crop = area
		cropped, _ := cleanedImage(t, img, cut)
		samePlanes(t, fmt.Sprintf("%s, crop of %v", name, area), cropped.Planes, want)
		part := mustPart(t, a, img, area, o.Options)
		samePlanes(t, fmt.Sprintf("%s, part of %v", name, area), part.Planes, want)
	}
	return whole, a.Result()
}

// noSeams checks that tiles of some sides have the samples of the whole result, each with a number of workers.
func noSeams(t testing.TB, name string, noisy [][]float32, width, height int, o Options, sides map[int]int) {
	t.Helper()
	whole, _ := cleaned(t, noisy, width, height, o)
	if slices.Equal(whole[0], noisy[0]) {
		t.Fatalf("%s: nothing was done in place", name)
	}
	for workers, side := range sides {
		got := clone(noisy)
		o.Workers = workers
		must.Get(tiled(got, width, height, o, side))(t)
		samePlanes(t, fmt.Sprintf("%s, tiles of %d", name, side), got, whole)
	}
}

// filled returns n samples of a function.
func filled(n int, at func(i int) float32) []float32 {
	p := make([]float32, n)
	for i := range p {
		p[i] = at(i)
	}
	return p
}

// tiffOf returns a file of pages.
func tiffOf(t testing.TB, pages ...*imageio.Image) []byte {
	t.Helper()
	var file bytes.Buffer
	must.Do(t, imageio.EncodePages(&file, len(pages), imageio.WriteOptions{Format: imageio.TIFF},
		func(i int) (*imageio.Image, error) { return pages[i], nil }))
	return file.Bytes()
}

// tiffIn writes a file of pages into a new folder, and returns its path and that of another file there.
func tiffIn(t testing.TB, pages ...*imageio.Image) (in, out string) {
	t.Helper()
	dir := t.TempDir()
	in = filepath.Join(dir, "in.tif")
	must.Do(t, os.WriteFile(in, tiffOf(t, pages...), 0o666))
	return in, filepath.Join(dir, "out.tif")
}

// pagesOf returns the pages of a file.
func pagesOf(t testing.TB, data []byte) (pages []*imageio.Image) {
	t.Helper()
	r := must.Get(imageio.NewReader(data, imageio.ReadOptions{}))(t)
	for i := range r.Pages() {
		pages = append(pages, must.Get(r.Page(i))(t))
	}
	return pages
}

// streamed returns what Stream makes of a file.
func streamed(t testing.TB, data []byte, o FileOptions) ([]byte, Result) {
	t.Helper()
	var out bytes.Buffer
	r := must.Get(Stream(t.Context(), &out, bytes.NewReader(data), o))(t)
	return out.Bytes(), r
}
