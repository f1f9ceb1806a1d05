package denoise

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/blorc-denoise/blorc-denoise/internal/camera"
	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
)

// enlargedScene returns a scene with white noise, and one without, that were enlarged together.
func enlargedScene(factor, sigma float64) (clean, noisy *camera.Picture) {
	const w, h = 150, 120
	drawn := scenetest.Draw(w, h)
	clean = &camera.Picture{Width: w, Height: h, Planes: drawn[:]}
	noisy = clean.Clone()
	rng := rand.New(rand.NewPCG(5, 5))
	noisy.Each(func(v float64) float64 { return v + sigma/255*rng.NormFloat64() })
	if factor == 1 {
		return clean, noisy.Quantise()
	}
	return camera.Resize(clean, factor, false).Quantise(), camera.Resize(noisy.Quantise(), factor, false).Quantise()
}

func TestNoiseOfEnlargedPicturesIsFound(t *testing.T) {
	for _, c := range []struct {
		factor float64
		scale  int
	}{{3, 0}, {6, 2}, {10, 4}} {
		factor := c.factor
		clean, noisy := enlargedScene(factor, 15)
		before := metric.PSNRPlanes(clean.Planes, noisy.Planes)
		r := mustPlanes(t, noisy.Planes, noisy.Width, noisy.Height, Options{Quality: Fast})
		gain := metric.PSNRPlanes(clean.Planes, noisy.Planes) - before
		t.Logf("enlarged %g times: %v, gain %.2f dB", factor, r, gain)
		if r.Scale != c.scale || gain < 3 {
			t.Errorf("enlarged %g times: %v, gain %.2f dB", factor, r, gain)
		}
	}
}

func TestUsualPicturesAreNotTakenForEnlarged(t *testing.T) {
	for _, sigma := range []float64{0, 2, 25} {
		_, p := enlargedScene(1, sigma)
		if r := noiseIn(image{p.Planes, p.Width, p.Height}, Options{}).result(); r.Scale != 0 {
			t.Errorf("noise of %g: %v", sigma, r)
		}
	}
}

// Pictures that were enlarged five times or more are told, gray ones before that, and dark ones as well.
func TestDetailOfEnlargedPictures(t *testing.T) {
	told := func(p *camera.Picture, gain float32) bool {
		planes := make([][]float32, len(p.Planes))
		for i := range planes {
			for _, v := range p.Planes[i] {
				planes[i] = append(planes[i], gain*v)
			}
		}
		return viewIn(image{planes, p.Width, p.Height}).finest() < 1
	}
	for _, c := range []struct {
		factor, sigma float64
		want          bool
	}{{1, 0, false}, {1, 15, false}, {2, 15, false}, {4, 15, false}, {5, 15, true}, {6, 15, true}, {10, 15, true}} {
		_, p := enlargedScene(c.factor, c.sigma)
		if got := told(p, 1); got != c.want {
			t.Errorf("noise of %g, enlarged %g times: %v", c.sigma, c.factor, got)
		}
		if got := told(p, 1.0/64); got != c.want {
			t.Errorf("noise of %g, enlarged %g times, dark: %v", c.sigma, c.factor, got)
		}
	}
	_, p := enlargedScene(4, 15)
	if gray := (&camera.Picture{Width: p.Width, Height: p.Height, Planes: p.Planes[1:2]}); !told(gray, 1) {
		t.Error("gray, enlarged 4 times: not told")
	}
}

// A sample of the reduced image is the mean of a square.
func TestReduced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		side := rapid.IntRange(1, 8).Draw(t, "side")
		width, height := rapid.IntRange(side, 40).Draw(t, "width"), rapid.IntRange(side, 40).Draw(t, "height")
		p := filled(width*height, func(i int) float32 { return float32(i * i % 251) })
		small := image{[][]float32{p}, width, height}.reduced(side, pool{workers: 2})
		if small.width != width/side || small.height != height/side {
			t.Fatalf("%d x %d", small.width, small.height)
		}
		for i, got := range small.planes[0] {
			sum := 0
			for j := range side * side {
				sum += int(p[(i/small.width*side+j/side)*width+i%small.width*side+j%side])
			}
			if want := float32(sum) / float32(side*side); got != want {
				t.Fatalf("sample %d is %g, want %g", i, got, want)
			}
		}
	})
}

// White noise loses three quarters of its variance at half the size.
func TestHalvedLosesFinestDetail(t *testing.T) {
	const w, h, variance = 193, 192, 4.0
	rng := rand.New(rand.NewPCG(3, 4))
	p := filled(w*h, func(int) float32 { return float32(math.Sqrt(variance) * rng.NormFloat64()) })
	small, lost := image{[][]float32{p}, w, h}.halved()
	if small.width != w/2 || small.height != h/2 || math.Abs(lost/variance-0.75) > 0.1 {
		t.Errorf("%d x %d, lost %.3f of the variance", small.width, small.height, lost/variance)
	}
}

func TestEnlargingKeepsSlopes(t *testing.T) {
	const w, h, scale = 12, 9, 3
	small := filled(w*h, func(i int) float32 { return float32(i%w) + 2*float32(i/w) })
	plane := make([]float32, (w*scale+2)*(h*scale+1))
	addEnlarged(plane, w*scale+2, small, w, h, scale, pool{workers: 2})
	for y := 6; y < h*scale-6; y++ {
		for x := 6; x < w*scale-6; x++ {
			want := (float64(x)+0.5)/scale - 0.5 + 2*((float64(y)+0.5)/scale-0.5)
			if got := plane[y*(w*scale+2)+x]; math.Abs(float64(got)-want) > 1e-4 {
				t.Fatalf("%d, %d: %g, not %g", x, y, got, want)
			}
		}
	}
	back := image{[][]float32{plane}, w*scale + 2, h*scale + 1}.reduced(scale, pool{workers: 1})
	if back.width != w || back.height != h || math.Abs(float64(slices.Max(back.planes[0])-slices.Max(small))) > 0.5 {
		t.Errorf("%d x %d, largest %g", back.width, back.height, slices.Max(back.planes[0]))
	}
}

// Stars are as smooth as if they had been enlarged, but the noise between them is fine.
func TestStarsAreNotTakenForEnlarged(t *testing.T) {
	const w, h = 600, 600
	for _, n := range []PhotonNoise{{Gain: 1.2, Offset: 200, ReadNoise: 8}, {Gain: 0.1, Offset: 200, ReadNoise: 25}} {
		rng := rand.New(rand.NewPCG(6, 1))
		sky := slices.Repeat([]float64{300}, w*h)
		for range 400 {
			x0, y0, light := 6+rng.Float64()*(w-12), 6+rng.Float64()*(h-12), math.Pow(10, 0.9+3.2*rng.Float64())
			for y := int(y0) - 5; y <= int(y0)+5; y++ {
				for x := int(x0) - 5; x <= int(x0)+5; x++ {
					dx, dy := float64(x)-x0, float64(y)-y0
					sky[y*w+x] += light * math.Exp(-(dx*dx+dy*dy)/4.5)
				}
			}
		}
		p := make([]float32, w*h)
		for i, v := range sky {
			photons := v/n.Gain + math.Sqrt(v/n.Gain)*rng.NormFloat64()
			p[i] = float32(math.Round(n.Gain*photons+n.Offset+n.ReadNoise*rng.NormFloat64()) / 65535)
		}
		img := image{[][]float32{p}, w, h}
		if r := noiseIn(img, Options{}).result(); r.Scale > 1 || r.Noise == None {
			t.Errorf("%+v: found %v", n, r)
		}
		if !fineNoise(img) {
			t.Errorf("%+v: there is no fine noise", n)
		}
	}
	_, enlarged := enlargedScene(3, 20)
	if fineNoise(image{enlarged.Planes, enlarged.Width, enlarged.Height}) {
		t.Error("there is fine noise in an enlarged picture")
	}
}

func fineNoise(img image) bool {
	v := viewIn(img)
	f, err := v.detect()
	if err != nil {
		panic(err)
	}
	return f.noise.scale == 0 && v.isFine(f.noise)
}
