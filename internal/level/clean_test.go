package level

import (
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/estimate"
)

// What other networks take for noise in a clean picture is not removed. Real noise stays as told, and no level rises.
func TestCleanPicturesAreRecognised(t *testing.T) {
	if len(shippedClean) > 1_000_000 {
		t.Errorf("the file has %d bytes", len(shippedClean))
	}
	const w, h, told = 400, 300, 6.0 / 255
	orClean := func(p [][]float32, sigma float64) float64 {
		white := estimate.Sigma(p, w, h, 0)
		return Estimate{Sigma: sigma, Known: true}.orClean(p, w, h, white, Steps{}, nil, 0).Sigma
	}
	for _, planes := range []int{1, 3} {
		if got := orClean(soft(w, h)[:planes], told); 255*got >= leastNoise {
			t.Errorf("%d planes: a clean picture is told %.2f", planes, 255*got)
		}
		if got := orClean(drawn(w, h)[:planes], 0.6/255); got > 0.6/255 {
			t.Errorf("%d planes: a low level became %.2f", planes, 255*got)
		}
		if got := orClean(rounded(broadNoise(soft(w, h)[:planes], w, h, 4)), told); got != told {
			t.Errorf("%d planes: a noisy picture is told %.2f", planes, 255*got)
		}
	}
}
