package denoise

import (
	"math"
	"os"
	"slices"
	"testing"

	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// tile draws a texture that repeats.
func tile(width, height int) []float32 {
	return filled(width*height, func(i int) float32 {
		x, y := 2*math.Pi*float64(i%width)/float64(width), 2*math.Pi*float64(i/width)/float64(height)
		return float32(0.5 + 0.12*math.Sin(9*x+2*math.Cos(y)) + 0.12*math.Cos(7*y+3*math.Sin(2*x)))
	})
}

// seam returns the mean step across both seams of a texture, divided by that between other columns and rows.
func seam(p []float32, width, height int) float64 {
	at := func(x, y int) float64 { return float64(p[other(y, height)*width+other(x, width)]) }
	var across, inside float64
	for y := range height {
		for x := range width {
			right, down := math.Abs(at(x, y)-at(x+1, y)), math.Abs(at(x, y)-at(x, y+1))
			inside += (right + down) / float64(2*width*height)
			if x == width-1 {
				across += right / float64(width+height)
			}
			if y == height-1 {
				across += down / float64(width+height)
			}
		}
	}
	return across / inside
}

// The sides of a texture that repeats fit together after denoising, too.
func TestWrap(t *testing.T) {
	const width, height = 120, 104
	noisy := noisy(tile(width, height), 0.08, "tile")
	imageOf := func(p []float32) *imageio.Image {
		return &imageio.Image{Width: width, Height: height, Planes: [][]float32{p}, Depth: imageio.DepthFloat32}
	}
	steps := map[bool]float64{}
	for _, wrap := range []bool{false, true} {
		img := imageOf(slices.Clone(noisy))
		o := FileOptions{Options: Options{Quality: Fast, Wrap: wrap}}
		r, err := Decoded(t.Context(), img, o)
		if err != nil || img.Width != width || img.Height != height || r.Noise != Gaussian {
			t.Fatalf("%v, %v", r, err)
		}
		steps[wrap] = seam(img.Planes[0], width, height)
		planes := [][]float32{slices.Clone(noisy)}
		if _, err := Planes(t.Context(), planes, width, height, o.Options); err != nil {
			t.Fatal(err)
		}
		samePlanes(t, "planes", planes, img.Planes)
		part := imageOf(slices.Clone(noisy))
		o.Crop = goimage.Rect(90, 3, 120, 40)
		if _, err := Decoded(t.Context(), part, o); err != nil {
			t.Fatal(err)
		}
		samePlanes(t, "crop", part.Planes, cutAll(img.Planes, width, o.Crop))
	}
	if steps[true] > 1.15 || steps[false] < 1.25 {
		t.Errorf("the step at the seam is %.3f times the others, and %.3f without Wrap", steps[true], steps[false])
	}
}

// A shifted texture gives the shifted result. The places of patches and of what a
// network halves stay the same if the distance is a multiple of them.
func TestWrapOfShifted(t *testing.T) {
	const width, height = 192, 144
	shifted := func(p []float32, dx, dy int) []float32 {
		return filled(len(p), func(i int) float32 {
			return p[other(i/width-dy, height)*width+other(i%width-dx, width)]
		})
	}
	for _, o := range []Options{{Sigma: 20}, {Sigma: 20, Noise: Camera}} {
		o.Wrap, o.Quality = true, Fast
		most := func(o Options) (most float64) {
			texture := noisy(tile(width, height), 0.08, "tile")
			moved := [][]float32{shifted(texture, previewAlign, 2*previewAlign)}
			still := [][]float32{texture}
			for _, planes := range [][][]float32{still, moved} {
				if _, err := Planes(t.Context(), planes, width, height, o); err != nil {
					t.Fatal(err)
				}
			}
			for i, v := range shifted(still[0], previewAlign, 2*previewAlign) {
				most = max(most, 255*math.Abs(float64(v-moved[0][i])))
			}
			return most
		}
		got := most(o)
		if o.Wrap = false; got > 1 || most(o) < 3 {
			t.Errorf("%v: samples differ by %.2f steps, and by %.2f without Wrap", o.Noise, got, most(o))
		}
	}
}

// A file and an image in memory come to the same, pages and all.
func TestWrapAndInterlacedOfAFile(t *testing.T) {
	folder := t.TempDir()
	img := &imageio.Image{Width: 60, Height: 41, Planes: [][]float32{noisy(tile(60, 41), 0.08, "tile")},
		Depth: imageio.DepthFloat32, Format: imageio.TIFF}
	in, out := folder+"/in.tif", folder+"/out.tif"
	if err := imageio.Write(in, img, imageio.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	plain := mustCleaned(t, img, Options{Sigma: 20, Quality: Fast})
	for _, o := range []Options{{Wrap: true}, {Interlaced: true}} {
		o.Sigma, o.Quality = 20, Fast
		if _, err := File(t.Context(), in, out, FileOptions{Options: o}); err != nil {
			t.Fatal(err)
		}
		got := must.Get(imageio.Read(out, imageio.ReadOptions{}))(t)
		want := mustCleaned(t, img, o)
		if samePlanes(t, "file", got.Planes, want); slices.Equal(want[0], plain[0]) {
			t.Errorf("%+v makes no difference", o)
		}
		os.Remove(out)
	}
}

func mustCleaned(t *testing.T, img *imageio.Image, o Options) [][]float32 {
	t.Helper()
	out, _ := cleanedImage(t, img, FileOptions{Options: o})
	return out.Planes
}

// There is no map of the noise of fields, and none of a picture that repeats.
func TestNoMapOfWrapped(t *testing.T) {
	img := &imageio.Image{Width: 40, Height: 30, Planes: [][]float32{squares(40, 30)}, Depth: imageio.Depth8}
	for _, o := range []Options{{Wrap: true}, {Interlaced: true}} {
		a := mustAnalyse(t, img, FileOptions{Options: o})
		must.Fail(t, o, must.Err(a.Map(t.Context(), img)), ErrArgument)
	}
	o := FileOptions{Options: Options{Interlaced: true}, Seen: goimage.Rect(0, 4, 40, 5)}
	must.Fail(t, o.Seen, must.Err(Analyse(t.Context(), img, o)), ErrArgument)
}

// What has no noise stays as it is.
func TestWrapOfNothing(t *testing.T) {
	clean := tile(40, 30)
	img := &imageio.Image{Width: 40, Height: 30, Planes: [][]float32{slices.Clone(clean)}, Alpha: slices.Clone(clean),
		Depth: imageio.DepthFloat32}
	if _, err := Decoded(t.Context(), img, FileOptions{Options: Options{Noise: None, Wrap: true}}); err != nil ||
		!slices.Equal(img.Planes[0], clean) || !slices.Equal(img.Alpha, clean) {
		t.Errorf("it has changed (%v)", err)
	}
}

// The fields of an interlaced frame show two moments, and are better denoised apart. What is outside of a crop stays.
func TestInterlaced(t *testing.T) {
	const width, height = 96, 81
	clean := filled(width*height, func(i int) float32 {
		x, y := i%width, i/width
		return float32(0.5 + 0.3*math.Sin(float64(x+14*(y%2))/5)*math.Cos(float64(y/2)/6))
	})
	grainy := noisy(clean, 0.05, "fields")
	rms := map[bool]float64{}
	for _, interlaced := range []bool{false, true} {
		planes := [][]float32{slices.Clone(grainy)}
		o := Options{Quality: Fast, Sigma: 12.75, Interlaced: interlaced}
		if _, err := Planes(t.Context(), planes, width, height, o); err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i, v := range planes[0] {
			sum += math.Pow(float64(v-clean[i]), 2)
		}
		rms[interlaced] = math.Sqrt(sum / width / height)
		part := [][]float32{slices.Clone(grainy)}
		o.Crop = goimage.Rect(8, 5, 50, 40)
		if _, err := Planes(t.Context(), part, width, height, o); err != nil {
			t.Fatal(err)
		}
		samePlanes(t, "crop", cutAll(part, width, o.Crop), cutAll(planes, width, o.Crop))
		if part[0][0] != grainy[0] || part[0][width*height-1] != grainy[width*height-1] {
			t.Error("samples outside of the crop have changed")
		}
	}
	if rms[true] > 0.8*rms[false] {
		t.Errorf("an error of %.4f for fields, %.4f for the frame", rms[true], rms[false])
	}
}
