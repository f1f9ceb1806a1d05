package denoise

import "testing"

func TestHistory(t *testing.T) {
	white := Result{Noise: Gaussian, Sigma: 12.34, Estimated: true, Model: "default-15"}
	for _, c := range []struct {
		o    Options
		r    Result
		want string
	}{
		{Options{}, white, "white noise, sigma 12.3 (found); removed with model default-15; quality balanced"},
		{Options{Quality: Fast, Keep: 0.2, KeepLuma: 0.5, KeepChroma: 0.25, Grain: 0.1, Stride: 3}, white,
			"white noise, sigma 12.3 (found); removed with model default-15; quality fast; strength 0.8; luma 0.5; " +
				"chroma 0.75; grain 0.1; stride 3"},
		{Options{Keep: 1}, Result{Noise: Gaussian, Sigma: 12.34}, "white noise, sigma 12.3 (given); all of it kept"},
		{Options{}, Result{Noise: None, Estimated: true}, "no noise found, samples unchanged"},
		{Options{}, Result{Noise: None, Estimated: true, Hot: 7}, "no noise found, hot pixels removed: 7"},
		{Options{Keep: 1}, Result{Noise: Gaussian, Sigma: 12.34, Hot: 1},
			"white noise, sigma 12.3 (given); hot pixels removed: 1; all of it kept"},
		{Options{}, Result{Noise: None}, "samples unchanged"},
		{Options{}, Result{Noise: Camera, Sigma: 7, Estimated: true, Model: "camera"},
			"camera noise, level 7.0 (found); removed with model camera; quality balanced"},
	} {
		if got := c.o.history(c.r, nil); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
