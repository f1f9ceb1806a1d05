package denoise

import (
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/camera"
	"github.com/blorc-denoise/blorc-denoise/internal/metric"
)

// gainOf denoises a copy of a noisy picture, and returns by how many decibels it is nearer to the clean one.
func gainOf(t *testing.T, clean, noisy *camera.Picture, o Options) (Result, float64) {
	t.Helper()
	p := noisy.Clone()
	r := mustPlanes(t, p.Planes, p.Width, p.Height, o)
	return r, metric.PSNRPlanes(clean.Planes, p.Planes) - metric.PSNRPlanes(clean.Planes, noisy.Planes)
}

// gains returns what is found in a picture, by how much it gets better, and by how much with the best of some options.
func gains(t *testing.T, clean, noisy *camera.Picture, others ...Options) (found Result, gain, best float64) {
	t.Helper()
	found, gain = gainOf(t, clean, noisy, Options{Quality: Fast})
	for _, o := range others {
		o.Quality = Fast
		_, other := gainOf(t, clean, noisy, o)
		best = max(best, other)
	}
	return found, gain, best
}
