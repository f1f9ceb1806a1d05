package baseline

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// drawn returns a drawn scene in gray, clean and with noise.
func drawn(width, height int, sigma float64) (clean, noisy patchify.Plane) {
	clean = patchify.Plane{Width: width, Height: height, Pix: scenetest.Gray(scenetest.Draw(width, height))}
	noisy = patchify.NewPlane(width, height)
	noise.AddGaussian(noisy.Pix, clean.Pix, sigma, noise.Source(1, "baseline"))
	return clean, noisy
}

// quick returns the denoiser, with less work if it is slow.
func quick(d Denoiser) Denoiser {
	if d.Name() == "aksvd" {
		return AnalysisKSVD{PatchSize: 6, Iterations: 2, Examples: 600}
	}
	return d
}

// BM3D is ahead of the others, as in the literature.
func TestDenoisersGain(t *testing.T) {
	const sigma = 25.5 / 255
	clean, noisy := drawn(72, 64, sigma)
	before := metric.PSNR(clean.Pix, noisy.Pix)
	gain := map[string]float64{}
	for _, d := range All() {
		out, err := quick(d).Denoise(context.Background(), noisy, sigma, 2)
		if err != nil {
			t.Fatal(err)
		}
		gain[d.Name()] = metric.PSNR(clean.Pix, out.Pix) - before
		t.Logf("%s gains %.2f dB", d.Name(), gain[d.Name()])
	}
	for name, least := range map[string]float64{"bm3d": 5, "aksvd": 2.5, "tv": 3, "dct": 3.5} {
		if gain[name] < least {
			t.Errorf("%s gains %.2f dB, want %g or more", name, gain[name], least)
		}
	}
	if gain["bm3d"] < gain["dct"] || gain["bm3d"] < gain["tv"] || gain["bm3d"] < gain["aksvd"] {
		t.Errorf("BM3D is not the best: %v", gain)
	}
}

func TestDenoisersDoNotDependOnWorkers(t *testing.T) {
	_, noisy := drawn(30, 70, 0.1)
	for _, d := range All() {
		one, err := quick(d).Denoise(context.Background(), noisy, 0.1, 1)
		if err != nil {
			t.Fatal(err)
		}
		three, err := quick(d).Denoise(context.Background(), noisy, 0.1, 3)
		if err != nil || !slices.Equal(one.Pix, three.Pix) {
			t.Errorf("%s: error %v, or the samples differ with 3 workers", d.Name(), err)
		}
	}
}

func TestDenoisersKeepConstantImagesOfAnySize(t *testing.T) {
	for _, d := range All() {
		for _, size := range [][2]int{{1, 1}, {3, 20}, {17, 5}} {
			p := patchify.NewPlane(size[0], size[1])
			for i := range p.Pix {
				p.Pix[i] = 0.4
			}
			out, err := quick(d).Denoise(context.Background(), p, 0.1, 1)
			if err != nil || out.Width != p.Width || out.Height != p.Height {
				t.Fatalf("%s, %v: %v, %d x %d", d.Name(), size, err, out.Width, out.Height)
			}
			for _, v := range out.Pix {
				if math.Abs(float64(v)-0.4) > 1e-3 {
					t.Fatalf("%s, %v: a constant 0.4 became %g", d.Name(), size, v)
				}
			}
		}
	}
}

func TestCancelledContextEndsTheWork(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, noisy := drawn(24, 24, 0.1)
	for _, d := range All() {
		if _, err := d.Denoise(ctx, noisy, 0.1, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", d.Name(), err)
		}
	}
}

func TestPlanesRotatesBack(t *testing.T) {
	planes := scenetest.Draw(12, 10)
	got := [][]float32{slices.Clone(planes[0]), slices.Clone(planes[1]), slices.Clone(planes[2])}
	if err := Planes(context.Background(), DCT{}, got, 12, 10, 1e-9, 1); err != nil {
		t.Fatal(err)
	}
	for c := range got {
		for i, v := range got[c] {
			if math.Abs(float64(v-planes[c][i])) > 1e-5 {
				t.Fatalf("plane %d changed by %g, want no change without noise", c, v-planes[c][i])
			}
		}
	}
}

// On a plane of one patch, coefficients below the threshold become 0. The mean and all others stay.
func TestDCTThresholds(t *testing.T) {
	const sigma = 0.1
	basis := newSeparable(cosines(dctSize))
	scratch := make([]float32, dctSize*dctSize)
	want := make([]float32, dctSize*dctSize)
	want[0], want[1], want[9], want[20] = 0.01, 0.31, -0.5, 0.29 // the last one is below 3 sigma = 0.3
	plane := patchify.NewPlane(dctSize, dctSize)
	basis.apply(basis.inverse, plane.Pix, want, scratch)
	want[20] = 0
	out, err := DCT{}.Denoise(context.Background(), plane, sigma, 1)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float32, len(want))
	basis.apply(basis.forward, got, out.Pix, scratch)
	for i, v := range got {
		if math.Abs(float64(v-want[i])) > 1e-6 {
			t.Errorf("coefficient %d is %g, want %g", i, v, want[i])
		}
	}
}

func TestByName(t *testing.T) {
	if _, err := ByName("bm4d"); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}
