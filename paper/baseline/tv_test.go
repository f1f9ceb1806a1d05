package baseline

import (
	"context"
	"math"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/golden"
	"github.com/blorc-denoise/blorc-denoise/internal/metric"
)

// The gap bounds how far the objective is above its minimum, so a small gap proves the solution.
func TestTVClosesItsDualityGap(t *testing.T) {
	_, noisy := drawn(40, 30, 0.1)
	s := newTVSolver(noisy, 0.1)
	s.iterate()
	first := s.gap()
	for range 2000 {
		s.iterate()
	}
	if last := s.gap(); last > 1e-3*first || last < -1e-6*first {
		t.Errorf("the duality gap went from %g to %g", first, last)
	}
}

// The power law stays within 8 % of the strengths that were measured, see tvStrength. That costs some hundredths of a
// dB.
func TestTVStrengthFitsTheMeasurements(t *testing.T) {
	for _, m := range []struct{ sigma, bsd400, urban100 float64 }{
		{10, 0.551, 0.551}, {15, 0.627, 0.638}, {25, 0.712, 0.771}, {50, 0.851, 0.893}, {75, 0.921, 0.967},
	} {
		got := tvStrength(m.sigma / 255)
		for _, want := range []float64{m.bsd400, m.urban100} {
			if math.Abs(math.Log(got/want)) > 0.08 {
				t.Errorf("sigma %g: strength %.3f, measured %.3f", m.sigma, got, want)
			}
		}
	}
}

// For drawn scenes another strength is best, but the default is still within 1 dB of it.
func TestTVStrengthOnDrawnScenes(t *testing.T) {
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
		t.Logf("sigma %.1f: best strength %.3f, %.2f dB; default %.3f, %.2f dB", 255*sigma, best, psnr(best),
			tvStrength(sigma), psnr(tvStrength(sigma)))
		if psnr(best)-psnr(0) > 1 {
			t.Errorf("sigma %.1f: the default is %.2f dB below the best strength", 255*sigma, psnr(best)-psnr(0))
		}
	}
}

// gap returns the primal minus the dual objective. The objective is at most that far above its minimum.
func (s *tvSolver) gap() float64 {
	u := s.image()
	w, h := u.Width, u.Height
	gap := 0.0
	for i := range u.Pix {
		var gx, gy float32
		if i%w+1 < w {
			gx = u.Pix[i+1] - u.Pix[i]
		}
		if i/w+1 < h {
			gy = u.Pix[i+w] - u.Pix[i]
		}
		gap += math.Hypot(float64(gx), float64(gy)) - float64(gx*s.px[i]+gy*s.py[i])
	}
	return s.strength * gap
}
