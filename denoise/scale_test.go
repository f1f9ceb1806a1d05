package denoise

import (
	"math"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// Tiny floats give the result of floats of a usual size, to the last digit.
func TestTinyFloats(t *testing.T) {
	const w, h = 96, 80
	_, noisy := noisyScene(w, h, 20)
	for _, p := range noisy {
		for i, v := range p {
			p[i] = min(v, 0.99) // so that the scales of all differ by the factor alone
		}
	}
	at := func(exponent int, o Options) ([][]float32, Result) {
		by := math.Ldexp(1, exponent)
		img := &imageio.Image{Width: w, Height: h, Planes: clone(noisy), Depth: imageio.DepthFloat32}
		multiply(img.Planes, by, 0)
		o.Sigma *= by
		o.Photons = o.Photons.over(1 / by)
		r, err := Decoded(t.Context(), img, FileOptions{Options: o})
		if err != nil {
			t.Fatal(err)
		}
		multiply(img.Planes, 1/by, 0)
		return img.Planes, r
	}
	for name, o := range map[string]Options{
		"found": {Quality: Fast}, "white": {Quality: Fast, Sigma: 20}, "camera": {Quality: Fast, Noise: Camera},
		"photons": {Quality: Fast, Noise: Poisson, Photons: PhotonNoise{Gain: 0.02}},
	} {
		want, r := at(0, o)
		for _, exponent := range []int{-90, -64, -37, -13} {
			got, s := at(exponent, o)
			for c, p := range got {
				if i := firstDifference(p, want[c]); i >= 0 {
					t.Fatalf("%s, times 2^%d: plane %d, sample %d is %g, want %g", name, exponent, c, i, p[i],
						want[c][i])
				}
			}
			by := math.Ldexp(1, exponent)
			if s.Noise != r.Noise || s.Sigma != r.Sigma*by || s.Photons != r.Photons.over(1/by) {
				t.Errorf("%s, times 2^%d: %v, want %v", name, exponent, s, r)
			}
		}
	}
}

// A missing value or a sample of usual size among tiny ones leaves the image on its scale.
func TestScaleIsForTinyImagesAlone(t *testing.T) {
	const w, h = 96, 80
	_, noisy := noisyScene(w, h, 20)
	img := &imageio.Image{Width: w, Height: h, Planes: noisy[:1], Depth: imageio.DepthFloat32}
	multiply(img.Planes, math.Ldexp(1, -100), 0)
	if got := scaleOf(img); got > math.Ldexp(1, -98) {
		t.Errorf("of a tiny image: %g", got)
	}
	for _, far := range []float32{-math.MaxFloat32, 1} {
		if noisy[0][7*w+7] = far; scaleOf(img) != 1 {
			t.Errorf("beside %g: %g", far, scaleOf(img))
		}
	}
}
