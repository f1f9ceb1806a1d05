package denoise

import (
	"fmt"
	goimage "image"
	"math"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/metric"
)

// A picture far from 0 is denoised as one near 0, but for the digits that float32 has there. Parts of it equal the
// whole.
func TestPedestal(t *testing.T) {
	const w, h, pedestal = 200, 160, 4096
	for _, planes := range []int{1, 3} {
		clean, noisy := noisyScene(w, h, 25)
		low := image{clone(noisy[:planes]), w, h}
		high := image{clone(noisy[:planes]), w, h}
		lift(high.planes, pedestal)
		for i, p := range high.planes { // the same samples
			for j, v := range p {
				low.planes[i][j] = v - pedestal
			}
		}
		if got := low.pedestal(); got != 0 {
			t.Errorf("a usual picture has a pedestal of %g", got)
		}
		if got := high.pedestal(); math.Abs(float64(got)-pedestal) > 1 {
			t.Errorf("a pedestal of %g", got)
		}
		img := &imageio.Image{Width: w, Height: h, Planes: clone(high.planes), Depth: imageio.DepthFloat32,
			Format: imageio.TIFF}
		o := FileOptions{Options: Options{Sigma: 25}}
		a := mustAnalyse(t, img, o)
		area := goimage.Rect(50, 40, 130, 90)
		part := mustPart(t, a, img, area, o.Options)
		for _, one := range []image{low, high} {
			mustPlanes(t, one.planes, w, h, o.Options)
		}
		samePlanes(t, fmt.Sprintf("part of %d planes", planes), part.Planes, cutAll(high.planes, w, area))
		lift(high.planes, -pedestal)
		want, got := metric.PSNRPlanes(clean[:planes], low.planes), metric.PSNRPlanes(clean[:planes], high.planes)
		if math.Abs(got-want) > 0.02 {
			t.Errorf("%d planes: %.3f dB, near 0 %.3f", planes, got, want)
		}
	}
}
