package baseline

import (
	"context"
	"fmt"
	"math"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Planes denoises an image of one gray or three colour planes in place. Each plane has width x height samples on a
// scale of 0 to 1 and noise of standard deviation sigma on that scale. Colour planes are rotated by an orthonormal
// matrix first, into their sum and two differences, and each of these is denoised as a gray plane. workers is the
// number of goroutines; 0 = one for each processor.
//
// The error is of kind ErrArgument, and the planes are unchanged, or it is the error of the context, and they are
// partly denoised.
func Planes(ctx context.Context, d Denoiser, planes [][]float32, width, height int, sigma float64, workers int) error {
	if d == nil {
		return fmt.Errorf("%w: no denoiser", ErrArgument)
	}
	if len(planes) != 1 && len(planes) != 3 {
		return fmt.Errorf("%w: %d planes, not 1 or 3", ErrArgument, len(planes))
	}
	for _, p := range planes {
		if err := check(patchify.Plane{Width: width, Height: height, Pix: p}, sigma); err != nil {
			return err
		}
	}
	if len(planes) == 3 {
		rotate(planes, false)
		defer rotate(planes, true)
	}
	for _, p := range planes {
		out, err := d.Denoise(ctx, patchify.Plane{Width: width, Height: height, Pix: p}, sigma, workers)
		if err != nil {
			return err
		}
		copy(p, out.Pix)
	}
	return nil
}

// rotate multiplies the three samples of each pixel by an orthonormal matrix, or by its transpose if back is set.
func rotate(planes [][]float32, back bool) {
	r2, r3, r6 := float32(1/math.Sqrt(2)), float32(1/math.Sqrt(3)), float32(1/math.Sqrt(6))
	m := [3][3]float32{{r3, r3, r3}, {r2, 0, -r2}, {r6, -2 * r6, r6}}
	for i := range planes[0] {
		v := [3]float32{planes[0][i], planes[1][i], planes[2][i]}
		for j := range 3 {
			sum := float32(0)
			for l := range 3 {
				if back {
					sum += m[l][j] * v[l]
				} else {
					sum += m[j][l] * v[l]
				}
			}
			planes[j][i] = sum
		}
	}
}
