package main

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/scene"
)

func drawn(width, height int) *picture {
	p := scene.Draw(width, height)
	return (&picture{width, height, p[:]}).quantise()
}

func farthest(a, b *picture) (most float64) {
	for c := range a.planes {
		for i, v := range a.planes[c] {
			most = max(most, math.Abs(float64(v-b.planes[c][i])))
		}
	}
	return most
}

func psnr(a, b *picture) float64 { return 10 * math.Log10(255*255/meanSquare(a, b, 8)) }

// What the standard library writes and load reads has to be what jpegRoundTrip says, but for rounding within the codecs.
func TestJPEGRoundTripIsThatOfACodec(t *testing.T) {
	p := drawn(93, 70)
	for _, quality := range []int{60, 85, 98} {
		img := image.NewRGBA(image.Rect(0, 0, p.width, p.height))
		for i := range p.width * p.height {
			r, g, b := p.planes[0][i], p.planes[1][i], p.planes[2][i]
			img.Set(i%p.width, i/p.width, color.RGBA{toByte(float64(r)), toByte(float64(g)), toByte(float64(b)), 255})
		}
		var file bytes.Buffer
		if err := jpeg.Encode(&file, img, &jpeg.Options{Quality: quality}); err != nil {
			t.Fatal(err)
		}
		want, err := decodeJPEG(&file)
		if err != nil {
			t.Fatal(err)
		}
		got := jpegRoundTrip(p, quality, true)
		if d, lost := psnr(got, want), psnr(want, p); d < lost+10 {
			t.Errorf("quality %d: %.1f dB from the codec, which is %.1f dB from the picture", quality, d, lost)
		}
	}
}

func TestJPEGOfHighQualityChangesLittle(t *testing.T) {
	p := drawn(64, 48)
	if d := psnr(jpegRoundTrip(p, 100, false), p); d < 48 {
		t.Errorf("4:4:4 at quality 100 is %.1f dB from the picture", d)
	}
	if d := psnr(jpegRoundTrip(p.gray().quantise(), 100, false), p.gray().quantise()); d < 50 {
		t.Errorf("gray at quality 100 is %.1f dB from the picture", d)
	}
}

func TestUpsampleKeepsWhatIsFlatAndStaysBetween(t *testing.T) {
	got := upsample([]uint8{10, 10, 50, 50}, 2, 2, 2)
	want := []uint8{10, 10, 10, 10, 20, 20, 20, 20, 40, 40, 40, 40, 50, 50, 50, 50}
	if !bytes.Equal(got, want) {
		t.Errorf("got %d, want %d", got, want)
	}
}

// The camera gives a gray ramp back when there is no noise and nothing is smoothed.
func TestCameraWithoutNoiseKeepsSmoothPictures(t *testing.T) {
	p := newPicture(40, 30, 3)
	for c := range p.planes {
		for i := range p.planes[c] {
			p.planes[c][i] = float32(0.2 + 0.5*float64(i%40)/40)
		}
	}
	for _, edgeAware := range []bool{false, true} {
		c := drawCamera(rand.New(rand.NewPCG(1, 1)))
		c.edgeAware, c.scale, c.quality, c.chroma, c.luma, c.sigmaFilter, c.sharpAmount = edgeAware, 1, 0, 0, 0, 0, 0
		c.photons, c.read = 1e12, 0
		noisy, clean := c.shoot(p, rand.New(rand.NewPCG(2, 2)))
		inner := func(p *picture) *picture { return p.crop(3, 3, 34, 24) }
		if d := farthest(inner(clean), inner(p)); d > 0.02 {
			t.Errorf("edge-aware %v: off by %g", edgeAware, d)
		}
		if d := farthest(noisy, clean); d > 0.005 {
			t.Errorf("edge-aware %v: noise of %g without photon noise", edgeAware, d)
		}
	}
}

func TestFlatPicturesStayFlat(t *testing.T) {
	p := newPicture(20, 17, 3)
	p.each(func(float64) float64 { return 0.4 })
	for name, q := range map[string]*picture{
		"blur": blur(p, 1.3), "sharpen": sharpen(p, 1, 1), "chroma": blurChroma(p, 2), "smooth": smooth(p, 0.1, 1),
		"half": resize(p, 0.5, true), "larger": resize(p, 1.7, false), "soft": resize(p, 1.7, true),
	} {
		for _, plane := range q.planes {
			for _, v := range plane {
				if math.Abs(float64(v)-0.4) > 1e-6 {
					t.Fatalf("%s makes %g of 0.4", name, v)
				}
			}
		}
	}
}

func TestResizeToHalfAverages(t *testing.T) {
	p := drawn(64, 64)
	small := resize(p, 0.5, true)
	if small.width != 32 || small.height != 32 {
		t.Fatalf("%d x %d", small.width, small.height)
	}
	mean := func(p *picture) (m float64) {
		for _, v := range p.planes[1] {
			m += float64(v) / float64(len(p.planes[1]))
		}
		return m
	}
	if math.Abs(mean(p)-mean(small)) > 0.01 {
		t.Errorf("mean %g becomes %g", mean(p), mean(small))
	}
}

func TestInvert(t *testing.T) {
	m := [3][3]float64{{1.5, -0.3, -0.2}, {-0.1, 1.4, -0.3}, {0, -0.5, 1.5}}
	inverse := invert(m)
	for i := range 3 {
		for j := range 3 {
			sum, want := 0.0, 0.0
			for k := range 3 {
				sum += m[i][k] * inverse[k][j]
			}
			if i == j {
				want = 1
			}
			if math.Abs(sum-want) > 1e-12 {
				t.Errorf("element %d, %d of the product is %g", i, j, sum)
			}
		}
	}
}

func TestToneCurveComesBack(t *testing.T) {
	c := camera{contrast: 0.6}
	for v := 0.0; v <= 1; v += 0.05 {
		if got := c.bend(c.straighten(v)); math.Abs(got-v) > 1e-3 {
			t.Errorf("%g comes back as %g", v, got)
		}
	}
}
