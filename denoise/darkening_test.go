package denoise

import (
	"fmt"
	goimage "image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/tonecurve"
)

// darkScene draws a picture of even patches from black to white, and what a camera makes of it: noise in the light that
// is correlated with the next sample, clipped, shown by a curve and rounded to 8 bits. The noise is a share of full
// light.
func darkScene(width, height int, noise float64) (clean, noisy []float32) {
	rng := rand.New(rand.NewPCG(7, 7))
	clean, noisy = make([]float32, width*height), make([]float32, width*height)
	row := make([]float64, width+1)
	for y := range height {
		for x := range row {
			row[x] = noise * rng.NormFloat64()
		}
		for x := range width {
			i := y*width + x
			v := float64(x*8/width+8*(y*3/height)) / 23
			clean[i] = float32(v)
			light := math.Pow(v, 2.2) + (row[x]+row[x+1])/math.Sqrt2
			noisy[i] = float32(math.Round(255*math.Pow(min(max(light, 0), 1), 1/2.2)) / 255)
		}
	}
	return clean, noisy
}

// pngOf is an 8-bit file with planes.
func pngOf(planes [][]float32, width int) *imageio.Image {
	height := len(planes[0]) / width
	return &imageio.Image{Width: width, Height: height, Planes: planes, Depth: imageio.Depth8, Format: imageio.PNG}
}

// decodedCopy denoises a copy of the planes of an 8-bit file.
func decodedCopy(t *testing.T, planes [][]float32, width int, o Options) [][]float32 {
	t.Helper()
	img, _ := cleanedImage(t, pngOf(planes, width), FileOptions{Options: o, NoDither: true})
	return img.Planes
}

// meanErrors returns the mean error in gray levels of each patch of darkScene.
func meanErrors(clean, got []float32) map[float32]float64 {
	sums, counts := map[float32]float64{}, map[float32]float64{}
	for i, v := range clean {
		sums[v] += 255 * float64(got[i]-v)
		counts[v]++
	}
	for v, n := range counts {
		sums[v] /= n
	}
	return sums
}

// What noise in light has darkened gets its brightness back.
func TestNoiseInLightKeepsTheBrightness(t *testing.T) {
	const width, height = 320, 180
	clean, noisy := darkScene(width, height, 0.02)
	o := Options{Noise: Camera, Sigma: 50, Quality: Fast}
	after := meanErrors(clean, decodedCopy(t, [][]float32{noisy}, width, o)[0])
	o.KeepMean = true
	before := meanErrors(clean, decodedCopy(t, [][]float32{noisy}, width, o)[0])
	sumBefore, sumAfter := 0.0, 0.0
	for v, e := range after {
		if v < 0.15 { // as much noise as light: several patches look alike
			continue
		}
		sumBefore += math.Abs(before[v])
		sumAfter += math.Abs(e)
		if math.Abs(e) > 1.5 {
			t.Errorf("patch of %.0f: %.2f levels wrong, %.2f without the correction", 255*v, e, before[v])
		}
	}
	if sumAfter > 0.4*sumBefore {
		t.Errorf("mean errors of patches sum up to %.1f, and %.1f without the correction", sumAfter, sumBefore)
	}
}

func TestClippedBlackComesBackBlack(t *testing.T) {
	const side = 128
	rng := rand.New(rand.NewPCG(9, 9))
	noisy := filled(side*side, func(int) float32 { return float32(math.Round(max(35*rng.NormFloat64(), 0)) / 255) })
	got := decodedCopy(t, [][]float32{noisy}, side, Options{Noise: Camera, Sigma: 35, Quality: Fast})[0]
	sum := 0.0
	for _, v := range got {
		sum += float64(v)
	}
	if mean := 255 * sum / float64(len(got)); mean > 3 {
		t.Errorf("black comes back as %.1f", mean)
	}
}

// Only noise of cameras in samples that a tone curve made is corrected.
func TestOtherNoiseKeepsItsMean(t *testing.T) {
	const width, height = 96, 64
	_, noisy := darkScene(width, height, 0.01)
	planes := [][]float32{noisy}
	for name, o := range map[string]Options{
		"white":        {Noise: Gaussian, Sigma: 20},
		"sigma alone":  {Sigma: 20},
		"white, found": {Noise: Gaussian},
		"photons":      {Noise: Poisson, Photons: PhotonNoise{Gain: 3}},
	} {
		o.Quality = Fast
		kept := o
		kept.KeepMean = true
		want := decodedCopy(t, planes, width, kept)[0]
		if got := decodedCopy(t, planes, width, o)[0]; !slices.Equal(got, want) {
			t.Errorf("%s: the mean is corrected", name)
		}
	}
	three := [][]float32{noisy, noisy, noisy}
	low := make([]float32, len(noisy))
	for i, v := range noisy {
		low[i] = v / 10
	}
	told := Options{Noise: Camera}
	const png, jpeg = imageio.PNG, imageio.JPEG
	const depth8, depth16 = imageio.Depth8, imageio.Depth16
	for name, c := range map[string]struct {
		img  imageio.Image
		o    Options
		want bool
	}{
		"gray JPEG":       {imageio.Image{Planes: planes, Depth: depth8, Format: jpeg}, Options{}, true},
		"8 bits, colour":  {imageio.Image{Planes: three, Depth: depth8}, Options{}, true},
		"16 bits, colour": {imageio.Image{Planes: three, Depth: depth16}, Options{}, true},
		"16 bits, gray":   {imageio.Image{Planes: planes, Depth: depth16}, told, true},
		"instrument":      {imageio.Image{Planes: [][]float32{low}, Depth: depth16}, told, false},
		"micrograph":      {imageio.Image{Planes: planes, Depth: depth8, Format: png}, Options{}, false},
		"gray, told":      {imageio.Image{Planes: planes, Depth: depth8, Format: png}, told, true},
		"12 bits":         {imageio.Image{Planes: three, Depth: 12}, Options{}, false},
		"floats":          {imageio.Image{Planes: three, Depth: imageio.DepthFloat32}, Options{}, false},
		"inks":            {imageio.Image{Planes: append(three, noisy), Depth: depth8}, Options{}, false},
		"channels":        {imageio.Image{Planes: three, Extra: planes, Depth: depth8}, Options{}, false},
		"times alpha": {imageio.Image{Planes: three, Alpha: noisy, Premultiplied: true, Depth: depth8}, Options{},
			false},
	} {
		c.img.Width, c.img.Height = width, height
		if got := c.o.toneCurveOf(&c.img).Known(); got != c.want {
			t.Errorf("%s: corrected %v", name, got)
		}
	}
}

// The input has its share in the corrected result, and grain comes on top.
func TestStrengthOfTheCorrectedPicture(t *testing.T) {
	const width, height = 96, 64
	_, noisy := darkScene(width, height, 0.01)
	planes := [][]float32{noisy}
	o := Options{Noise: Camera, Sigma: 30, Quality: Fast}
	full := decodedCopy(t, planes, width, o)[0]
	o.Keep = 0.25
	for i, v := range decodedCopy(t, planes, width, o)[0] {
		if want := full[i] + 0.25*(noisy[i]-full[i]); math.Abs(float64(v-want)) > 1e-6 {
			t.Fatalf("sample %d is %g, not %g", i, v, want)
		}
	}
	o.Keep, o.Grain = 0, 0.5
	want, removed := slices.Clone(full), slices.Clone(noisy)
	giveGrainBack(want, removed, width, o.Grain)
	for i, v := range decodedCopy(t, planes, width, o)[0] {
		if math.Abs(float64(v-want[i])) > 1e-6 {
			t.Fatalf("with grain, sample %d is %g, not %g", i, v, want[i])
		}
	}
	o.Keep = 1
	if got := decodedCopy(t, planes, width, o)[0]; !slices.Equal(got, noisy) {
		t.Error("the input changes at no strength")
	}
}

// Any samples give finite ones, brighter samples stay brighter, and the number of workers does not matter.
func TestDarkeningOfAnySamples(t *testing.T) {
	extreme := []float32{-math.MaxFloat32, -1, -0.001, 0, 1e-30, 0.5, 1, 1.001, 7, math.MaxFloat32 / 4}
	rapid.Check(t, func(t *rapid.T) {
		sample := rapid.OneOf(rapid.Float32Range(0, 1), rapid.SampledFrom(extreme))
		planes := rapid.SampledFrom([]int{1, 3}).Draw(t, "planes")
		size := rapid.IntRange(1, 300).Draw(t, "size")
		draw := func() (p [][]float32) {
			for range planes {
				p = append(p, rapid.SliceOfN(sample, size, size).Draw(t, "samples"))
			}
			return p
		}
		d := measureDarkening([]removal{{draw(), draw()}, {draw(), draw()}}, tonecurve.Display)
		a := draw()
		before, b := clone(a), clone(a)
		d.brighten(a, pool{workers: 1})
		d.brighten(b, pool{workers: 4})
		for c, p := range a {
			if !slices.Equal(p, b[c]) {
				t.Fatal("the number of workers matters")
			}
			for i, v := range p {
				switch at := before[c][i]; {
				case v-v != 0:
					t.Fatalf("%g becomes %g", at, v)
				case at >= 0 && at <= 1 && !(v >= -1e-6 && v <= 1+1e-6):
					t.Fatalf("%g becomes %g", at, v)
				case i > 0 && at > before[c][i-1] && v < p[i-1]-1e-6:
					t.Fatalf("%g becomes %g, and %g less than that", before[c][i-1], p[i-1], at)
				}
			}
		}
	})
}

// What had no noise stays as it is, exactly.
func TestDarkeningWithoutNoise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := [][]float32{rapid.SliceOfN(rapid.Float32(), 1, 200).Draw(t, "samples")}
		d := measureDarkening([]removal{{p, p}}, tonecurve.Display)
		got := clone(p)
		d.brighten(got, pool{workers: 1})
		if !slices.Equal(got[0], p[0]) {
			t.Fatalf("%v becomes %v", p[0], got[0])
		}
	})
	none := darkening{{}}
	nan := []float32{float32(math.NaN())}
	none.brighten([][]float32{nan}, pool{workers: 1}) // does not end the program
}

// Parts count alike, however they are cut.
func TestDarkeningOfParts(t *testing.T) {
	const width, height = 96, 64
	clean, noisy := darkScene(width, height, 0.01)
	whole := measureDarkening([]removal{{[][]float32{noisy}, [][]float32{clean}}}, tonecurve.Display)
	at := 1234
	before := removal{[][]float32{noisy[:at]}, [][]float32{clean[:at]}}
	after := removal{[][]float32{noisy[at:]}, [][]float32{clean[at:]}}
	parts := measureDarkening([]removal{before, after}, tonecurve.Display)
	for i, v := range whole[0] {
		if math.Abs(float64(v-parts[0][i])) > 1e-6 {
			t.Fatalf("step %d: %g and %g", i, v, parts[0][i])
		}
	}
}

func TestDarkWindowsAreWithin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := rapid.IntRange(1, 20_000).Draw(t, "length")
		spans := windowsOn(length)
		if spans[0].from != 0 || spans[len(spans)-1].to != length || len(spans) > maxWindows {
			t.Fatalf("%v", spans)
		}
		for i, s := range spans[1:] {
			if s.from < spans[i].to || s.len() != windowSide {
				t.Fatalf("%v", spans)
			}
		}
	})
}

// A crop and a part have the samples of the whole, with every share of the input.
func TestPartsAreCorrectedAsTheWhole(t *testing.T) {
	const width, height = 320, 180
	_, noisy := darkScene(width, height, 0.01)
	planes := [][]float32{noisy}
	area := goimage.Rect(100, 30, 190, 120)
	all := Options{Noise: Camera, Sigma: 30, Quality: Fast}
	mixed := all
	mixed.Keep, mixed.Grain = 0.3, 0.4
	for _, o := range []Options{all, mixed} {
		samePieces(t, fmt.Sprint(o), pngOf(planes, width), FileOptions{Options: o, NoDither: true}, area)
	}
}

// Noise in light that a tone curve has made uneven is noise of a camera. Its level is shared out over the brightnesses,
// and the picture gets its brightness back, in parts as in the whole.
func TestUnevenNoiseInLight(t *testing.T) {
	const width, height = 320, 180
	clean, noisy := darkScene(width, height, 0.02)
	denoised := func(o Options) (*imageio.Image, Result) {
		img := pngOf([][]float32{slices.Clone(noisy)}, width)
		img.Format, o.Quality = imageio.JPEG, Fast // a gray photograph
		return cleanedImage(t, img, FileOptions{Options: o, NoDither: true})
	}
	whole, r := denoised(Options{})
	if r.Noise != Camera || r.Rule != "curve" || !(r.Range[1] > 2*r.Range[0]) || r.Range[0] <= 0 {
		t.Errorf("%v, range %v by %s", r, r.Range, r.Rule)
	}
	errorOf := func(img *imageio.Image) (rms, mean float64) {
		for v, e := range meanErrors(clean, img.Planes[0]) {
			if v > 0.15 { // else several patches look alike
				mean += math.Abs(e)
			}
		}
		sum := 0.0
		for i, v := range clean {
			d := 255 * float64(img.Planes[0][i]-v)
			sum += d * d
		}
		return math.Sqrt(sum / float64(len(clean))), mean
	}
	even, _ := denoised(Options{Noise: Camera, Sigma: r.Sigma})
	dark, _ := denoised(Options{KeepMean: true})
	rms, mean := errorOf(whole)
	rmsEven, _ := errorOf(even)
	_, meanDark := errorOf(dark)
	if rms > 0.9*rmsEven || mean > 0.6*meanDark {
		t.Errorf("rmse %.2f, with one level %.2f; errors of the mean %.1f of %.1f", rms, rmsEven, mean, meanDark)
	}
	area := goimage.Rect(40, 30, 200, 120)
	part, _ := denoised(Options{Crop: area})
	for i, v := range part.Planes[0] {
		at := goimage.Pt(i%area.Dx(), i/area.Dx()).Add(area.Min)
		if w := whole.Planes[0][at.Y*width+at.X]; math.Abs(float64(v-w)) > 1.01/255 {
			t.Fatalf("%v: %g in a part, %g in the whole", at, v, w)
		}
	}
}
