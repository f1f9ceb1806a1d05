package denoise

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
)

// broadScene has large fields of colour with noise as cameras leave it, rounded to 8 bits: averaged over 3 x 3 samples
// twice, the same in all colours, and stronger in the dark.
func broadScene(width, height int, sigma float64) (clean, noisy [][]float32) {
	rng := rand.New(rand.NewPCG(5, 1))
	grain := make([]float32, width*height)
	noise.AddGaussian(grain, grain, 6*sigma/255, rng) // averaging leaves a sixth
	grain = smooth(smooth(grain, width, height), width, height)
	for c := range 3 {
		p, q := make([]float32, len(grain)), make([]float32, len(grain))
		for i := range p {
			p[i] = 0.2 + 0.25*float32((i%width/45+i/width/(40+c))%3)
			q[i] = float32(math.Round(float64(255*(p[i]+grain[i]*(1.3-p[i]))))) / 255
		}
		clean, noisy = append(clean, p), append(noisy, q)
	}
	return clean, noisy
}

// smooth averages over 3 x 3 samples, around the edges as on a torus.
func smooth(p []float32, width, height int) []float32 {
	out := make([]float32, len(p))
	for i := range p {
		for j := range 9 {
			x, y := (i%width+j%3+width-1)%width, (i/width+j/3+height-1)%height
			out[i] += p[y*width+x] / 9
		}
	}
	return out
}

// imageOf makes an image of the first n planes.
func imageOf(planes [][]float32, n, width, height int) image { return image{planes[:n], width, height} }

func TestAutoTellsKindsOfNoise(t *testing.T) {
	const width, height = 256, 192
	_, broad := broadScene(width, height, 5)
	_, white := noisyScene(width, height, 12)
	_, strong := noisyScene(width, height, 40)
	_, photons := photonScene(width, height, PhotonNoise{Gain: 0.05, ReadNoise: 0.01})
	drawn := [][]float32{make([]float32, width*height)}
	for i := range drawn[0] {
		drawn[0][i] = float32((i%width/60 + i/width/50) % 2)
	}
	for name, c := range map[string]struct {
		planes [][]float32
		want   Noise
	}{"broad": {broad, Camera}, "white": {white, Gaussian}, "strong": {strong, Gaussian}, "photons": {photons, Poisson},
		"drawn": {drawn, None}} {
		for n := 1; n <= len(c.planes); n += 2 {
			if got := noiseIn(imageOf(c.planes, n, width, height), Options{}).result(); got.Noise != c.want {
				t.Errorf("%s, %d planes: %v, want %v noise", name, n, got, c.want)
			}
		}
	}
}

// A picture in a small part of the range is denoised as well as over the whole range.
func TestSmallRangesAreStretched(t *testing.T) {
	const width, height = 160, 120
	clean, noisy := noisyScene(width, height, 20)
	o := Options{Quality: Fast}
	whole := clone(noisy[:1])
	r, err := Planes(context.Background(), whole, width, height, o)
	if err != nil || r.Noise != Gaussian {
		t.Fatal(r, err)
	}
	want := metric.PSNR(clean[0], whole[0])
	for _, c := range []struct{ scale, offset float32 }{{1.0 / 256, 0}, {1.0 / 64, 0.3}, {1000, 0}} {
		got := make([]float32, width*height)
		for i, v := range noisy[0] {
			got[i] = c.scale*v + c.offset
		}
		mustPlanes(t, [][]float32{got}, width, height, o)
		for i, v := range got {
			got[i] = (v - c.offset) / c.scale
		}
		if psnr := metric.PSNR(clean[0], got); psnr < want-0.3 {
			t.Errorf("times %g plus %g: %.2f dB, %.2f over the whole range", c.scale, c.offset, psnr, want)
		}
	}
}

// Noise whose fine part is gone from chroma, as after JPEG with chroma at half the size, is not taken for white.
func TestUnevenColoursAreNotWhite(t *testing.T) {
	const width, height = 200, 160
	_, noisy := noisyScene(width, height, 12)
	whole := image{clone(noisy), width, height}
	if !whole.evenColours(1) {
		t.Error("white noise is uneven")
	}
	decorrelate(noisy, pool{workers: 1})
	for i := 1; i < 3; i++ {
		noisy[i] = smooth(smooth(noisy[i], width, height), width, height)
	}
	correlate(noisy, pool{workers: 1})
	img := image{noisy, width, height}
	if img.evenColours(1) {
		t.Error("smooth chroma is even")
	}
}

func TestCropIsTheMiddle(t *testing.T) {
	img := image{[][]float32{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}, 4, 3}
	got := img.crop(2)
	if got.width != 2 || got.height != 2 || !slices.Equal(got.planes[0], []float32{1, 2, 5, 6}) {
		t.Errorf("%+v", got)
	}
	if whole := img.crop(9); whole.width != 4 || whole.height != 3 || !slices.Equal(whole.planes[0], img.planes[0]) {
		t.Errorf("%+v", whole)
	}
}

// Pictures that were computed have no noise, not even broad one.
func TestComputedPicturesAreLeftAlone(t *testing.T) {
	const width, height = 120, 100
	for name, f := range map[string]func(x, y float64) float64{
		"ramp":   func(x, y float64) float64 { return y / height },
		"bowl":   func(x, y float64) float64 { return ((x-60)*(x-60) + (y-50)*(y-50)) / 6200 },
		"waves":  func(x, y float64) float64 { return 0.5 + 0.4*math.Sin(x/30)*math.Cos(y/34) },
		"stripe": func(x, y float64) float64 { return math.Mod(x, 2) },
	} {
		for _, planes := range []int{1, 3} {
			var img [][]float32
			for range planes {
				img = append(img, filled(width*height, func(i int) float32 {
					return float32(math.Round(255*f(float64(i%width), float64(i/width)))) / 255
				}))
			}
			out := clone(img)
			r, err := Planes(context.Background(), out, width, height, Options{})
			if err != nil {
				t.Errorf("%s, %d planes: %v", name, planes, err)
				continue
			}
			for c, p := range out {
				for i, v := range p {
					if d := 255 * math.Abs(float64(v-img[c][i])); d > 0.5 {
						t.Fatalf("%s, %d planes: sample %d moved by %.2f gray levels (%v)", name, planes, i, d, r)
					}
				}
			}
		}
	}
}

// Fine texture may look like faint noise. What is taken from it must not be seen.
func TestCleanTextureIsKept(t *testing.T) {
	const width, height, least = 400, 300, 47.5
	drawn := scenetest.Draw(width, height)
	planes := drawn[:]
	for _, p := range planes {
		for i, v := range p {
			p[i] = float32(math.Round(255*float64(v)) / 255)
		}
	}
	out := clone(planes)
	mustPlanes(t, out, width, height, Options{})
	sum := 0.0
	for k, p := range out {
		for i, v := range p {
			d := math.Round(255*float64(v)) - 255*float64(planes[k][i])
			sum += d * d
		}
	}
	if psnr := 10 * math.Log10(255*255*3*width*height/sum); psnr < least {
		t.Errorf("%.1f dB are left, not %g", psnr, least)
	}
}

// Noise that is stronger at the right than at the left is removed by place, which is better than one level.
func TestNoiseOfSomePlaces(t *testing.T) {
	const width, height = 320, 240
	drawn := scenetest.Draw(width, height)
	clean, noisy := drawn[:], clone(drawn[:])
	rng := rand.New(rand.NewPCG(9, 9))
	for _, p := range noisy {
		for i := range p {
			x := float64(i%width) / width
			v := float64(p[i]) + (5+20*x*x)/255*rng.NormFloat64()
			p[i] = float32(math.Round(255*min(max(v, 0), 1)) / 255)
		}
	}
	before := metric.PSNRPlanes(clean, noisy)
	gain := func(o Options) (Result, float64) {
		p, r := cleaned(t, noisy, width, height, o)
		return r, metric.PSNRPlanes(clean, p) - before
	}
	v := viewIn(image{noisy, width, height})
	v.divided = true // so that places are not looked at
	f := must.Get(v.detect())(t)
	alike := f.noise.result()
	r, found := gain(Options{Quality: Fast})
	_, one := gain(Options{Quality: Fast, Noise: Camera, Sigma: alike.Sigma})
	_, quiet := gain(Options{Quality: Fast, Sigma: 6})
	t.Logf("%v, gain %.2f dB; %v, gain %.2f dB; that of sigma 6 is %.2f", r, found, alike, one, quiet)
	if r.Places == [2]float64{} || one < quiet+1 || found < one+1 {
		t.Errorf("%v, gain %.2f dB; %v, gain %.2f dB; that of sigma 6 is %.2f", r, found, alike, one, quiet)
	}
}
