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
	r, err := Planes(t.Context(), p.Planes, p.Width, p.Height, o)
	if err != nil {
		t.Fatal(err)
	}
	return r, metric.PSNRPlanes(clean.Planes, p.Planes) - metric.PSNRPlanes(clean.Planes, noisy.Planes)
}
