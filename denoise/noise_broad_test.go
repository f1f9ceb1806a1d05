package denoise

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
)

// compressed returns broad noise on a smooth picture as a JPEG file gives it back.
func compressed(t *testing.T, quality int) *imageio.Image {
	t.Helper()
	const w, h = 256, 192
	r := rand.New(rand.NewPCG(11, 12))
	img := &imageio.Image{Width: w, Height: h, Depth: imageio.Depth8}
	for range 3 {
		p := filled(w*h, func(i int) float32 { return float32(0.1 + 0.8*float64(i%w)/w + 0.05*r.NormFloat64()) })
		img.Planes = append(img.Planes, smooth(p, w, h))
	}
	return asJPEG(t, img, quality)
}

// What the file tells about its quantisation reaches the measurement in all ways to denoise an image, and stays out of
// the options.
func TestStepsReachTheMeasurement(t *testing.T) {
	ctx, img := context.Background(), compressed(t, 80)
	var o FileOptions
	o.Quality = Fast
	known := must.Get(measured(ctx, img, o))(t)
	if known.Noise != Camera {
		t.Fatalf("found %v, which says nothing about the steps", known)
	}
	analysis := must.Get(Analyse(ctx, img, o))(t)
	if got := analysis.Result(); got.Sigma != known.Sigma {
		t.Errorf("analysed %g, measured %g", got.Sigma, known.Sigma)
	}
	bare := *img
	bare.Steps = imageio.Steps{}
	if unknown, err := measured(ctx, &bare, o); err != nil || unknown.Sigma == known.Sigma {
		t.Errorf("%g with and without the steps, error %v", unknown.Sigma, err)
	}
	if r, err := Decoded(ctx, img, o); err != nil || r.Sigma != known.Sigma {
		t.Errorf("denoised for %g, measured %g, error %v", r.Sigma, known.Sigma, err)
	}
}

// Where the quantisation of a JPEG file leaves little of white noise, what is left is not taken for all: other levels
// give hardly a better picture.
func TestHiddenNoiseIsNotToldTooLow(t *testing.T) {
	const w, h, most = 256, 192, 0.2 // dB
	for _, c := range []struct {
		quality int
		sigma   float64
	}{{60, 30}, {70, 20}} {
		r, drawn, clean := rand.New(rand.NewPCG(13, uint64(c.quality))), scenetest.Draw(w, h), scenetest.Draw(w, h)
		for _, p := range drawn {
			for i := range p {
				p[i] += float32(c.sigma / 255 * r.NormFloat64())
			}
		}
		img := asJPEG(t, &imageio.Image{Width: w, Height: h, Depth: imageio.Depth8, Planes: drawn[:]}, c.quality)
		psnr := func(o FileOptions) (float64, Result) {
			o.Quality = Fast
			out, got := cleanedImage(t, img, o)
			return psnrOf(clean[:], out.Planes), got
		}
		found, got := psnr(FileOptions{})
		for _, factor := range []float64{1, 1.2, 1.4} {
			other, _ := psnr(FileOptions{Options: Options{Noise: Camera, Sigma: factor * c.sigma}})
			if other > found+most {
				t.Errorf("quality %d: noise of %g, told %v: %.2f dB, with %g %.2f dB", c.quality, c.sigma, got, found,
					factor*c.sigma, other)
			}
		}
	}
}

// psnrOf returns the PSNR of planes whose samples lie between 0 and 1, in dB.
func psnrOf(clean, planes [][]float32) float64 {
	sum, n := 0.0, 0
	for c, p := range planes {
		for i, v := range p {
			e := float64(v - clean[c][i])
			sum += e * e
			n++
		}
	}
	return -10 * math.Log10(sum/float64(n))
}

// asJPEG returns an image as a JPEG file with chroma at half the size gives it back.
func asJPEG(t *testing.T, img *imageio.Image, quality int) *imageio.Image {
	t.Helper()
	var file bytes.Buffer
	must.Do(t, imageio.Encode(&file, img, imageio.WriteOptions{Format: imageio.JPEG, Quality: quality,
		Subsampling: imageio.Subsampling420}))
	return must.Get(imageio.Decode(file.Bytes(), imageio.ReadOptions{}))(t)
}

// White noise that is much weaker than the largest quantisation step is broad: little of its finest part is left. Finer
// steps leave it white.
func TestWhiteNoiseUnderSteps(t *testing.T) {
	const w, h = 256, 192
	for _, c := range []struct {
		quality int
		sigma   float64
		want    Noise
	}{{75, 20, Camera}, {85, 12, Camera}, {85, 30, Gaussian}, {96, 12, Gaussian}} {
		r, gray := rand.New(rand.NewPCG(14, 3)), scenetest.Draw(w, h)[1]
		for i := range gray {
			gray[i] += float32(c.sigma / 255 * r.NormFloat64())
		}
		img := asJPEG(t, &imageio.Image{Width: w, Height: h, Depth: imageio.Depth8, Planes: [][]float32{gray}},
			c.quality)
		if got, err := measured(context.Background(), img, FileOptions{}); err != nil || got.Noise != c.want {
			t.Errorf("quality %d: found %v, error %v, want %v", c.quality, got, err, c.want)
		}
	}
}

// Pictures that have next to no noise are left to the models for broad noise, which keep more texture.
func TestShareOfThePasses(t *testing.T) {
	for _, c := range []struct{ level, want float64 }{{0.5, 0}, {2.3, 0}, {3.25, 0.2}, {4.6, 0.4}, {30, 0.4}} {
		if got := pilotShare(c.level / 255); math.Abs(float64(got)-c.want) > 0.01 {
			t.Errorf("%g: %g, want %g", c.level, got, c.want)
		}
	}
}
