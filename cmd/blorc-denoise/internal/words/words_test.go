package words

import (
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/denoise"
)

func typed(flags []Flag) string {
	text := ""
	for _, f := range flags {
		text += " --" + f.Name + " " + f.Value
	}
	return strings.TrimSpace(text)
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		r           denoise.Result
		text, flags string
		whole       bool
	}{
		{denoise.Result{Noise: denoise.None, Full: 255}, "no noise", "--noise none", true},
		{denoise.Result{Noise: denoise.Camera, Sigma: 14.5731, Full: 255}, "camera noise, medium",
			"--noise camera --sigma 14.6", true},
		{denoise.Result{Noise: denoise.Camera, Sigma: 5.999, SigmaChroma: 60, Full: 255},
			"camera noise, weak, in the colours very strong", "--noise camera --sigma 6", false},
		{denoise.Result{Noise: denoise.Camera, Sigma: 7, SigmaChroma: 8, Full: 255}, "camera noise, medium",
			"--noise camera --sigma 7", false},
		{denoise.Result{Noise: denoise.Gaussian, Sigma: 25.04, Full: 255}, "white noise, strong", "--sigma 25", true},
		{denoise.Result{Noise: denoise.Gaussian, Sigma: 0.004321, Full: 65535}, "white noise", "--sigma 0.00432", true},
		{denoise.Result{Noise: denoise.Gaussian, Sigma: 1.2, Full: 255}, "white noise, very weak", "--sigma 1.2", true},
		{denoise.Result{Noise: denoise.Gaussian, Full: 255}, "no noise", "--noise none", true},
		{denoise.Result{Noise: denoise.Gaussian, Sigma: 12, Places: [2]float64{0.5, 2}, Scale: 2},
			"white noise, medium, not equally strong everywhere, coarse as in an enlarged picture", "--sigma 12",
			false},
		{denoise.Result{Noise: denoise.Poisson, Photons: denoise.PhotonNoise{Gain: 912.34, Offset: 100,
			ReadNoise: 3.444}}, "photon noise", "--noise poisson --gain 912 --offset 100 --read-noise 3.44", true},
		{denoise.Result{Noise: denoise.Poisson, Photons: denoise.PhotonNoise{Gain: 2e7}}, "photon noise",
			"--noise poisson --gain 20000000", true},
		{denoise.Result{Noise: denoise.Curve}, "noise that depends on the brightness", "", true},
	} {
		if text, flags := Of(c.r), typed(Flags(c.r)); text != c.text || flags != c.flags || Whole(c.r) != c.whole {
			t.Errorf("%+v: %q, %q, %v", c.r, text, flags, Whole(c.r))
		}
	}
}
