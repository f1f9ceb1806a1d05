package ink

import (
	goimage "image"
	"math"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/noise"
)

// Noise of a black ink that follows the light goes, its edges stay, and a constant one stays constant. A part has the
// samples of the whole.
func TestBlackFollowsLight(t *testing.T) {
	const w, h = 60, 50
	clean, light := make([]float32, w*h), make([]float32, w*h)
	for i := range clean {
		light[i] = 0.3 + 0.2*float32(i%w)/w
		if i/w > 20 {
			light[i] += 0.4
		}
		clean[i] = 1 - 0.6*(1-light[i])
	}
	noisy := make([]float32, w*h)
	noise.AddGaussian(noisy, clean, 0.05, noise.Source(1, "black"))
	all := goimage.Rect(0, 0, w, h)
	rgb := [][]float32{light, light, light}
	got, sum := Black(noisy, rgb, w, all, 1), 0.0
	for i, v := range got {
		sum += math.Pow(float64(v-clean[i]), 2)
	}
	if rms := math.Sqrt(sum / (w * h)); rms > 0.02 {
		t.Errorf("noise of 0.05 became %.3f", rms)
	}
	area := goimage.Rect(17, 9, 41, 33)
	part := Black(noisy, rgb, w, area, 3)
	for i, v := range part {
		if want := got[(area.Min.Y+i/area.Dx())*w+area.Min.X+i%area.Dx()]; v != want {
			t.Fatalf("sample %d of a part is %g, not %g", i, v, want)
		}
	}
	for i := range noisy {
		noisy[i] = 1
	}
	for i, v := range Black(noisy, rgb, w, all, 2) {
		if math.Abs(float64(v)-1) > 1e-6 {
			t.Fatalf("sample %d of a constant ink is %g", i, v)
		}
	}
}
