package denoise

import (
	goimage "image"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/camera"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
)

const placesWidth, placesHeight = 384, 320

// strongCorners returns a scene with white noise that is three times as strong in the corners as in the middle, and one
// without.
func strongCorners(planes int, sigma float64) (clean, noisy *camera.Picture) {
	drawn := scenetest.Draw(placesWidth, placesHeight)
	clean = &camera.Picture{Width: placesWidth, Height: placesHeight, Planes: drawn[:planes]}
	noisy = clean.Clone()
	rng := rand.New(rand.NewPCG(9, 9))
	for _, p := range noisy.Planes {
		for i := range p {
			x, y := float64(i%placesWidth)/placesWidth-0.5, float64(i/placesWidth)/placesHeight-0.5
			p[i] += float32(sigma * (1 + 4*(x*x+y*y)) * rng.NormFloat64())
		}
	}
	return clean, noisy
}

func TestNoiseOfPlaces(t *testing.T) {
	for _, planes := range []int{1, 3} {
		for _, sigma := range []float64{4, 12} {
			clean, noisy := strongCorners(planes, sigma/255)
			r, found, best := gains(t, clean, noisy, Options{Sigma: 1.4 * sigma}, Options{Sigma: 2 * sigma},
				Options{Sigma: 3 * sigma})
			t.Logf("%d planes, noise of %g: %v, gain %.2f dB, with one level %.2f", planes, sigma, r, found, best)
			if r.Noise != Gaussian || r.Places[0] == 0 || r.Places[1] < 1.5*r.Places[0] || found < best+0.05 {
				t.Errorf("%d planes, noise of %g: %v, gain %.2f dB, with one level %.2f", planes, sigma, r, found, best)
			}
			if !strings.Contains(r.String(), " times that by place") {
				t.Errorf("%v", r)
			}
		}
	}
}

// Noise that is the same everywhere is not told by place, whatever the picture shows.
func TestEvenNoiseOfAllPlaces(t *testing.T) {
	drawn := scenetest.Draw(placesWidth, placesHeight)
	for _, sigma := range []float64{0, 2, 10, 40} {
		for _, planes := range []int{1, 3} {
			p := (&camera.Picture{Width: placesWidth, Height: placesHeight, Planes: drawn[:planes]}).Clone()
			rng := rand.New(rand.NewPCG(10, 8))
			p.Each(func(v float64) float64 { return min(1, max(0, v+sigma/255*rng.NormFloat64())) })
			p = p.Quantise()
			if r := noiseIn(image{p.Planes, p.Width, p.Height}, Options{}).result(); r.Places != [2]float64{} {
				t.Errorf("%d planes, noise of %g: %v", planes, sigma, r)
			}
		}
	}
}

// A border hides no places, and stays as it is.
func TestPlacesWithinBorder(t *testing.T) {
	_, noisy := strongCorners(1, 8.0/255)
	const side = 40
	w, h := placesWidth+2*side, placesHeight+side
	framed := slices.Repeat([]float32{1}, w*h)
	pasteAll([][]float32{framed}, w, noisy.Planes, goimage.Rect(side, side, side+placesWidth, h))
	r := mustPlanes(t, [][]float32{framed}, w, h, Options{Quality: Fast})
	if r.Places == [2]float64{} {
		t.Errorf("found %v", r)
	}
	for y := range h {
		if v := framed[y*w+3]; v != 1 {
			t.Fatalf("row %d of the border is %g", y, v)
		}
	}
}

// A crop and a part have the samples of the whole image.
func TestPlacesOfParts(t *testing.T) {
	for planes, quality := range map[int]Quality{1: Balanced, 3: Fast} {
		_, noisy := strongCorners(planes, 8.0/255)
		o := Options{Quality: quality}
		whole := noisy.Clone()
		mustPlanes(t, whole.Planes, whole.Width, whole.Height, o)
		area := goimage.Rect(200, 150, 290, 230)
		cropped := noisy.Clone()
		o.Crop = area
		mustPlanes(t, cropped.Planes, cropped.Width, cropped.Height, o)
		o.Crop = goimage.Rectangle{}
		img := &imageio.Image{Width: noisy.Width, Height: noisy.Height, Planes: noisy.Planes}
		a := mustAnalyse(t, img, FileOptions{Options: o})
		if a.Result().Places == [2]float64{} {
			t.Fatalf("%v", a.Result())
		}
		part := mustPart(t, a, img, area, o)
		want := cutAll(whole.Planes, whole.Width, area)
		for i, p := range cutAll(cropped.Planes, cropped.Width, area) {
			for j, v := range p {
				if math.Abs(float64(v-want[i][j])) > 1e-5 || math.Abs(float64(part.Planes[i][j]-want[i][j])) > 1e-5 {
					t.Fatalf("plane %d, sample %d: crop %g, part %g, want %g", i, j, v, part.Planes[i][j], want[i][j])
				}
			}
		}
	}
}

// Dividing and multiplying leave the samples as they are, but for rounding.
func TestDivideByPlaces(t *testing.T) {
	_, noisy := strongCorners(1, 8.0/255)
	s := noiseIn(image{noisy.Planes, noisy.Width, noisy.Height}, Options{}).places
	if s == nil {
		t.Fatal("the noise is the same in all places")
	}
	img := image{[][]float32{slices.Clone(noisy.Planes[0])}, noisy.Width, noisy.Height}
	s.divide(img, goimage.Pt(7, 5), pool{workers: 2})
	s.multiply(img, goimage.Pt(7, 5), pool{workers: 1})
	for i, v := range img.planes[0] {
		if math.Abs(float64(v-noisy.Planes[0][i])) > 1e-6 {
			t.Fatalf("sample %d: %g, want %g", i, v, noisy.Planes[0][i])
		}
	}
}
