package burst

import (
	"context"
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Samples between others are sums of 6 x 6 of them, with Lanczos' window. Fewer would blur.
const (
	taps   = 6
	phases = 256 // places between two samples
)

var lanczos = func() (all [phases + 1][taps]float32) {
	sinc := func(x float64) float64 {
		if x == 0 {
			return 1
		}
		return math.Sin(math.Pi*x) / (math.Pi * x)
	}
	for p := range all {
		sum := 0.0
		var w [taps]float64
		for i := range w {
			x := float64(i) - (taps/2 - 1) - float64(p)/phases
			w[i] = sinc(x) * sinc(x/(taps/2))
			sum += w[i]
		}
		for i := range w {
			all[p][i] = float32(w[i] / sum)
		}
	}
	return all
}()

// resample writes the planes of a shot, as the reference sees its places, to dst. Inside says which samples lie in the
// shot.
func (f *field) resample(ctx context.Context, dst, shot []patchify.Plane, inside []bool, workers int) error {
	width, height := shot[0].Width, shot[0].Height
	return parallel.For(ctx, workers, height, func(_, y int) {
		var columns, rows [taps]int
		for x := range width {
			dx, dy := f.at(x, y)
			fx, fy := float64(x)+dx, float64(y)+dy
			inside[y*width+x] = fx >= 0 && fy >= 0 && fx <= float64(width-1) && fy <= float64(height-1)
			if !inside[y*width+x] {
				for i := range dst {
					dst[i].Row(y)[x] = 0
				}
				continue
			}
			i, j := int(fx), int(fy)
			wx, wy := &lanczos[int((fx-float64(i))*phases+0.5)], &lanczos[int((fy-float64(j))*phases+0.5)]
			for k := range taps {
				columns[k] = min(max(i+k-(taps/2-1), 0), width-1)
				rows[k] = min(max(j+k-(taps/2-1), 0), height-1) * width
			}
			for p := range dst {
				sum := float32(0)
				for k, r := range rows {
					part := float32(0)
					for l, c := range columns {
						part += wx[l] * shot[p].Pix[r+c]
					}
					sum += wy[k] * part
				}
				dst[p].Row(y)[x] = sum
			}
		}
	})
}
