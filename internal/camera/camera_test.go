package camera

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/scene"
)

func drawn(width, height int) *Picture {
	p := scene.Draw(width, height)
	return (&Picture{Width: width, Height: height, Planes: p[:]}).Quantise()
}

func farthest(a, b *Picture) (most float64) {
	for c := range a.Planes {
		for i, v := range a.Planes[c] {
			most = max(most, math.Abs(float64(v-b.Planes[c][i])))
		}
	}
	return most
}

func psnr(a, b *Picture) float64 { return 10 * math.Log10(255*255/meanSquare(a, b)) }

func TestJPEGOfHighQualityChangesLittle(t *testing.T) {
	p := drawn(64, 48)
	if d := psnr(JPEG(p, 100, false), p); d < 48 {
		t.Errorf("4:4:4 at quality 100 is %.1f dB from the picture", d)
	}
	if d := psnr(JPEG(p.Gray().Quantise(), 100, false), p.Gray().Quantise()); d < 50 {
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
	p := NewPicture(40, 30, 3)
	for c := range p.Planes {
		for i := range p.Planes[c] {
			p.Planes[c][i] = float32(0.2 + 0.5*float64(i%40)/40)
		}
	}
	for _, edgeAware := range []bool{false, true} {
		c := Draw(rand.New(rand.NewPCG(1, 1)))
		c.EdgeAware, c.Scale, c.Quality, c.Chroma, c.Luma, c.SigmaFilter, c.SharpAmount = edgeAware, 1, 0, 0, 0, 0, 0
		c.Photons, c.Read = 1e12, 0
		noisy, clean := c.Develop(p, rand.New(rand.NewPCG(2, 2)))
		inner := func(p *Picture) *Picture { // without the edges
			q := NewPicture(34, 24, 3)
			for c := range q.Planes {
				for i := range q.Planes[c] {
					q.Planes[c][i] = p.Planes[c][(3+i/34)*40+3+i%34]
				}
			}
			return q.Quantise()
		}
		if d := farthest(inner(clean), inner(p)); d > 0.02 {
			t.Errorf("edge-aware %v: off by %g", edgeAware, d)
		}
		if d := farthest(noisy.Quantise(), clean.Quantise()); d > 0.005 {
			t.Errorf("edge-aware %v: noise of %g without photon noise", edgeAware, d)
		}
	}
}

func TestFlatPicturesStayFlat(t *testing.T) {
	p := NewPicture(20, 17, 3)
	p.Each(func(float64) float64 { return 0.4 })
	for name, q := range map[string]*Picture{
		"blur": Blur(p, 1.3), "sharpen": Sharpen(p, 1, 1), "chroma": blurChroma(p, 2), "smooth": smooth(p, 0.1, 1),
		"half": Resize(p, 0.5, true), "larger": Resize(p, 1.7, false), "soft": Resize(p, 1.7, true),
	} {
		for _, plane := range q.Planes {
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
	small := Resize(p, 0.5, true)
	if small.Width != 32 || small.Height != 32 {
		t.Fatalf("%d x %d", small.Width, small.Height)
	}
	mean := func(p *Picture) (m float64) {
		for _, v := range p.Planes[1] {
			m += float64(v) / float64(len(p.Planes[1]))
		}
		return m
	}
	if math.Abs(mean(p)-mean(small)) > 0.01 {
		t.Errorf("mean %g becomes %g", mean(p), mean(small))
	}
}

func TestToneCurveComesBack(t *testing.T) {
	c := Camera{Contrast: 0.6}
	for v := 0.0; v <= 1; v += 0.05 {
		if got := c.bend(c.straighten(v)); math.Abs(got-v) > 1e-3 {
			t.Errorf("%g comes back as %g", v, got)
		}
	}
}

// meanSquare is the mean squared difference in gray levels.
func meanSquare(a, b *Picture) (sum float64) {
	for c := range a.Planes {
		for i, v := range a.Planes[c] {
			d := 255 * float64(v-b.Planes[c][i])
			sum += d * d / float64(len(a.Planes)*len(a.Planes[c]))
		}
	}
	return sum
}
