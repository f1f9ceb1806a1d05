package baseline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Image is a denoiser of gray planes for white Gaussian noise.
type Image interface {
	// Name is short, in lower case.
	Name() string
	// Denoise returns the restored plane. The samples of the plane are on a scale of 0 to 1, and so is sigma > 0, the
	// standard deviation of the noise. The result does not depend on the number of workers; 0 = all processors.
	Denoise(ctx context.Context, noisy patchify.Plane, sigma float64, workers int) (patchify.Plane, error)
}

// Images are the denoisers by which results are measured, the best known first.
func Images() []Image { return []Image{BM3D{}, AnalysisKSVD{}, TV{}, DCT{}} }

// ErrUnknown is returned for a name that no denoiser has.
var ErrUnknown = errors.New("unknown baseline")

// ByName returns the denoiser of that name.
func ByName(name string) (Image, error) {
	var names []string
	for _, d := range Images() {
		if d.Name() == name {
			return d, nil
		}
		names = append(names, d.Name())
	}
	return nil, fmt.Errorf("%w %q: there are %s", ErrUnknown, name, strings.Join(names, ", "))
}

// Planes denoises one gray or three colour planes with the same noise in place. Colours are rotated by an orthonormal
// matrix first, into their sum and two differences, each of which is denoised as a gray plane.
func Planes(ctx context.Context, d Image, planes [][]float32, width, height int, sigma float64, workers int) error {
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

// rotate multiplies each pixel by an orthonormal matrix, or by its transpose.
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
