package baseline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/golden"
	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/scene"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

func drawn(width, height int, sigma float64) (clean, noisy patchify.Plane) {
	clean = patchify.Plane{Width: width, Height: height, Pix: scene.Gray(scene.Draw(width, height))}
	noisy = patchify.NewPlane(width, height)
	noise.AddGaussian(noisy.Pix, clean.Pix, sigma, noise.Source(1, "baseline"))
	return clean, noisy
}

// quick is a baseline with less work, for tests.
func quick(d Image) Image {
	if d.Name() == "aksvd" {
		return AnalysisKSVD{PatchSize: 6, Iterations: 2, Examples: 600}
	}
	return d
}

// The order of the methods is that of the literature.
func TestImagesGainWhatTheyShould(t *testing.T) {
	const sigma = 25.5 / 255
	clean, noisy := drawn(72, 64, sigma)
	before := metric.PSNR(clean.Pix, noisy.Pix)
	gain := map[string]float64{}
	for _, d := range Images() {
		out, err := quick(d).Denoise(context.Background(), noisy, sigma, 2)
		if err != nil {
			t.Fatal(err)
		}
		gain[d.Name()] = metric.PSNR(clean.Pix, out.Pix) - before
		t.Logf("%s gains %.2f dB", d.Name(), gain[d.Name()])
	}
	for name, least := range map[string]float64{"bm3d": 5, "aksvd": 2.5, "tv": 3, "dct": 3.5} {
		if gain[name] < least {
			t.Errorf("%s gains %.2f dB", name, gain[name])
		}
	}
	if gain["bm3d"] < gain["dct"] || gain["bm3d"] < gain["tv"] || gain["bm3d"] < gain["aksvd"] {
		t.Errorf("BM3D is not the best: %v", gain)
	}
}

func TestImagesDoNotDependOnWorkers(t *testing.T) {
	_, noisy := drawn(30, 70, 0.1)
	for _, d := range Images() {
		one, err := quick(d).Denoise(context.Background(), noisy, 0.1, 1)
		if err != nil {
			t.Fatal(err)
		}
		three, err := quick(d).Denoise(context.Background(), noisy, 0.1, 3)
		if err != nil || !slices.Equal(one.Pix, three.Pix) {
			t.Errorf("%s: %v, other samples with 3 workers", d.Name(), err)
		}
	}
}

func TestImagesOfAnySizeAndConstantImages(t *testing.T) {
	for _, d := range Images() {
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
	for _, d := range Images() {
		if _, err := d.Denoise(ctx, noisy, 0.1, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", d.Name(), err)
		}
	}
}

func TestPlanesRotatesAndReturns(t *testing.T) {
	planes := scene.Draw(12, 10)
	got := [][]float32{slices.Clone(planes[0]), slices.Clone(planes[1]), slices.Clone(planes[2])}
	if err := Planes(context.Background(), DCT{}, got, 12, 10, 1e-9, 1); err != nil {
		t.Fatal(err)
	}
	for c := range got {
		for i, v := range got[c] {
			if math.Abs(float64(v-planes[c][i])) > 1e-5 {
				t.Fatalf("plane %d changed by %g without noise", c, v-planes[c][i])
			}
		}
	}
}

// A plane of one patch shows the rule itself: coefficients under the threshold go, all others and the mean stay.
func TestDCTThresholds(t *testing.T) {
	const sigma = 0.1
	basis := newSeparable(cosines(dctSize))
	scratch := make([]float32, dctSize*dctSize)
	want := make([]float32, dctSize*dctSize)
	want[0], want[1], want[9], want[20] = 0.01, 0.31, -0.5, 0.29 // the last one is below 3 sigma
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
			t.Errorf("coefficient %d is %g, not %g", i, v, want[i])
		}
	}
}

func TestByName(t *testing.T) {
	if _, err := ByName("bm4d"); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}

func ExampleByName() {
	d, err := ByName("bm3d")
	if err != nil {
		panic(err)
	}
	clean, noisy := drawn(64, 64, 0.1)
	out, err := d.Denoise(context.Background(), noisy, 0.1, 0)
	if err != nil {
		panic(err)
	}
	fmt.Println(metric.PSNR(clean.Pix, out.Pix) > metric.PSNR(clean.Pix, noisy.Pix)+3)
	// Output: true
}

// The power law goes through what was measured (see tvStrength), to within what is worth some hundredths of a dB.
func TestTVStrengthIsWhatWasMeasured(t *testing.T) {
	for _, m := range []struct{ sigma, bsd400, urban100 float64 }{
		{10, 0.551, 0.551}, {15, 0.627, 0.638}, {25, 0.712, 0.771}, {50, 0.851, 0.893}, {75, 0.921, 0.967},
	} {
		got := tvStrength(m.sigma / 255)
		for _, want := range []float64{m.bsd400, m.urban100} {
			if math.Abs(math.Log(got/want)) > 0.08 {
				t.Errorf("sigma %g: %.3f, measured %.3f", m.sigma, got, want)
			}
		}
	}
}

// The best strength of a drawn scene is not that of photographs, but what is taken is still near its best PSNR.
func TestTVStrengthServesDrawnScenesToo(t *testing.T) {
	for _, sigma := range []float64{15.0 / 255, 50.0 / 255} {
		clean, noisy := drawn(120, 90, sigma)
		psnr := func(strength float64) float64 {
			out, err := TV{Strength: strength}.Denoise(context.Background(), noisy, sigma, 1)
			if err != nil {
				t.Fatal(err)
			}
			return metric.PSNR(clean.Pix, out.Pix)
		}
		best := golden.MinimizeLog(0.2, 2, 0.01, func(s float64) float64 { return -psnr(s) })
		t.Logf("sigma %.1f: best strength %.3f, %.2f dB; taken %.3f, %.2f dB", 255*sigma, best, psnr(best), tvStrength(sigma), psnr(tvStrength(sigma)))
		if psnr(best)-psnr(0) > 1 {
			t.Errorf("sigma %.1f: %.2f dB are lost", 255*sigma, psnr(best)-psnr(0))
		}
	}
}
