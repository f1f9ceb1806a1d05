package chart

import (
	"math"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/mosaic/dngtest"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// The noise of a mosaic is measured in green alone, whose noise is the line.
func TestNoiseOfMosaic(t *testing.T) {
	f := dngtest.File{Width: 301, Height: 251, Black: []uint32{512}, Active: []uint32{1, 3, 251, 301}}
	f.Scene(1, 1e-3, 1e-6)
	f.Noise = []float64{9e-3, 1e-6, 1e-3, 1e-6, 9e-3, 1e-6}
	img := must.Get(imageio.Decode(f.Bytes(), imageio.ReadOptions{}))(t)
	a := must.Get(denoise.Analyse(t.Context(), img, denoise.FileOptions{}))(t)
	n := OfImage(img, a.Result(), 0, 1)
	points := Deviations(n.Curve.Points, n.Full)
	if len(points) == 0 {
		t.Fatal("nothing was measured")
	}
	for _, p := range points {
		if sigma, _ := n.Result.At(p.X); math.Abs(p.Y/sigma-1) > 0.15 {
			t.Errorf("%.0f at brightness %.0f, and the line is at %.0f", p.Y, p.X, sigma)
		}
	}
}
