package denoise

import (
	"math"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// Floats of any size give the result of floats of a usual size, to the last digit.
func TestFloatsOfAnySize(t *testing.T) {
	const w, h = 96, 80
	_, noisy := noisyScene(w, h, 20)
	at := func(exponent int, o Options) ([][]float32, Result) {
		by := math.Ldexp(1, exponent)
		img := &imageio.Image{Width: w, Height: h, Planes: clone(noisy), Depth: imageio.DepthFloat32}
		multiply(img.Planes, by, pool{})
		o.Sigma *= by
		o.Photons = o.Photons.over(1 / by)
		r, err := Decoded(t.Context(), img, FileOptions{Options: o})
		if err != nil {
			t.Fatal(err)
		}
		multiply(img.Planes, 1/by, pool{})
		return img.Planes, r
	}
	for name, o := range map[string]Options{
		"found": {Quality: Fast}, "white": {Quality: Fast, Sigma: 20}, "camera": {Quality: Fast, Noise: Camera},
		"photons": {Quality: Fast, Noise: Poisson, Photons: PhotonNoise{Gain: 0.02}},
	} {
		want, r := at(0, o)
		for _, exponent := range []int{-90, -64, -37, -13, 13, 37, 64, 100} {
			if name != "found" && exponent > 13 { // no noise as strong can be given
				continue
			}
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

// A few samples of another size do not decide, and come back as they were.
func TestScaleIsThatOfMostSamples(t *testing.T) {
	const w, h = 96, 80
	_, noisy := noisyScene(w, h, 20)
	img := &imageio.Image{Width: w, Height: h, Planes: noisy[:1], Depth: imageio.DepthFloat32}
	multiply(img.Planes, math.Ldexp(1, -100), pool{})
	for _, far := range []float32{-9999, 1e9} {
		noisy[0][7*w+7] = far
		if got := scaleOf(img); got > math.Ldexp(1, -80) {
			t.Errorf("beside %g, the scale is %g", far, got)
		}
		if _, err := Decoded(t.Context(), img, FileOptions{Options: Options{Quality: Fast}}); err != nil {
			t.Fatal(err)
		}
		if got := noisy[0][7*w+7]; got != far {
			t.Errorf("%g has become %g", far, got)
		}
	}
}
