package denoise

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/models"
)

// broadScene has large fields of colour with noise as cameras leave it, rounded to 8 bits: averaged over 3 x 3 samples
// twice, the same in all colours, and stronger in the dark.
func broadScene(width, height int, sigma float64) (clean, noisy [][]float32) {
	rng := rand.New(rand.NewPCG(5, 1))
	grain := make([]float32, width*height)
	noise.AddGaussian(grain, grain, 6*sigma/255, rng) // averaging leaves a sixth
	grain = smooth(smooth(grain, width, height), width, height)
	for c := range 3 {
		p, q := make([]float32, len(grain)), make([]float32, len(grain))
		for i := range p {
			p[i] = 0.2 + 0.25*float32((i%width/45+i/width/(40+c))%3)
			q[i] = float32(math.Round(float64(255*(p[i]+grain[i]*(1.3-p[i]))))) / 255
		}
		clean, noisy = append(clean, p), append(noisy, q)
	}
	return clean, noisy
}

// smooth averages over 3 x 3 samples, around the edges as on a torus.
func smooth(p []float32, width, height int) []float32 {
	out := make([]float32, len(p))
	for i := range p {
		for j := range 9 {
			x, y := (i%width+j%3+width-1)%width, (i/width+j/3+height-1)%height
			out[i] += p[y*width+x] / 9
		}
	}
	return out
}

func shipped(t testing.TB) Options {
	t.Helper()
	local, err := ShippedModels(models.Local)
	if err != nil {
		t.Fatal(err)
	}
	return Options{Models: local, Stride: 4}
}

func TestAutoTellsCamerasFromWhiteNoise(t *testing.T) {
	const width, height = 256, 192
	_, broad := broadScene(width, height, 5)
	clean, _ := noisyScene(width, height, 0)
	_, faint := noisyScene(width, height, 2)
	_, strong := noisyScene(width, height, 40)
	for name, c := range map[string]struct {
		planes [][]float32
		want   Noise
	}{"broad": {broad, Camera}, "clean": {clean, Gaussian}, "faint": {faint, Gaussian}, "strong": {strong, Gaussian}} {
		for n := 1; n <= 3; n += 2 {
			if got := shipped(t).measure(c.planes[:n], width, height).result(); got.Noise != c.want || !got.Estimated {
				t.Errorf("%s, %d planes: %v noise, want %v", name, n, got.Noise, c.want)
			}
		}
		if got := options(t).measure(c.planes, width, height).result(); got.Noise != Gaussian {
			t.Errorf("%s: %v noise without a model for it", name, got.Noise)
		}
	}
}

func TestCameraModelGains(t *testing.T) {
	const width, height = 160, 120
	clean, noisy := broadScene(width, height, 6)
	for n := 1; n <= 3; n += 2 {
		o := shipped(t)
		o.Noise = Camera
		out := clone(noisy[:n])
		r, err := Planes(context.Background(), out, width, height, o)
		if err != nil {
			t.Fatal(err)
		}
		before, after := metric.PSNRPlanes(clean[:n], noisy[:n]), metric.PSNRPlanes(clean[:n], out)
		if after < before+1 || r.Noise != Camera {
			t.Errorf("%d planes: %.2f dB before, %.2f dB after, as %v noise", n, before, after, r.Noise)
		}
	}
}

// A gray plane is denoised as the luma of the same image in colour.
func TestGrayCameraImagesAreLuma(t *testing.T) {
	const width, height = 64, 48
	_, noisy := broadScene(width, height, 6)
	gray := noisy[0]
	o := shipped(t)
	o.Noise = Camera
	one, three := clone([][]float32{gray}), clone([][]float32{gray, gray, gray})
	for _, planes := range [][][]float32{one, three} {
		if _, err := Planes(context.Background(), planes, width, height, o); err != nil {
			t.Fatal(err)
		}
	}
	for i, v := range one[0] {
		if d := v - three[1][i]; d > 1e-4 || d < -1e-4 {
			t.Fatalf("sample %d is %g in gray, %g in colour", i, v, three[1][i])
		}
	}
}

func TestCameraNoiseNeedsItsModel(t *testing.T) {
	_, noisy := broadScene(64, 48, 6)
	o := options(t)
	o.Noise = Camera
	if _, err := Planes(context.Background(), clone(noisy), 64, 48, o); !errors.Is(err, ErrArgument) {
		t.Errorf("a model for white noise: %v", err)
	}
}
