package denoise

import (
	"context"
	"errors"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/scene"
)

// shotsOf draws shots of one scene with noise.
func shotsOf(n int, sigma float64) (clean [][]float32, shots []*imageio.Image) {
	const width, height = 96, 80
	drawn := scene.Draw(width, height)
	for i := range n {
		img := &imageio.Image{Width: width, Height: height, Depth: imageio.Depth8, Planes: clonePlanes(drawn[:])}
		for c, p := range img.Planes {
			noise.AddGaussian(p, p, sigma/255, noise.Source(uint64(i), string(rune('a'+c))))
		}
		shots = append(shots, img)
	}
	return drawn[:], shots
}

func errorOf(a, b [][]float32) (sum float64) {
	for c := range a {
		for i, v := range a[c] {
			sum += float64(v-b[c][i]) * float64(v-b[c][i])
		}
	}
	return sum
}

func TestBurst(t *testing.T) {
	for _, noise := range []Options{{Quality: Fast}, {Quality: Fast, Sigma: 25}, {Quality: Fast, Noise: Poisson}} {
		o := FileOptions{Options: noise}
		clean, shots := shotsOf(4, 25)
		alone, _ := cleanedImage(t, shots[0], o)
		r, shares, err := Burst(context.Background(), shots[0], 3,
			func(i int) (*imageio.Image, error) { return shots[i+1], nil }, o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Shots != 4 || len(shares) != 3 || shares[0] < 0.8 {
			t.Errorf("%v: %d shots, shares %v", noise.Noise, r.Shots, shares)
		}
		if got, most := errorOf(shots[0].Planes, clean), 0.6*errorOf(alone.Planes, clean); got > most { // 2.2 dB
			t.Errorf("%v: the error is %.3g, that of one shot %.3g", noise.Noise, got, most/0.6)
		}
	}
}

func TestShotsThatDoNotFit(t *testing.T) {
	_, shots := shotsOf(1, 25)
	_, others := shotsOf(1, 25)
	others[0].Planes = others[0].Planes[:1]
	failed := errors.New("failed")
	for _, test := range []struct {
		shot *imageio.Image
		err  error
		o    Options
		want error
	}{
		{others[0], nil, Options{}, ErrShots}, {nil, failed, Options{}, failed},
		{shots[0], nil, Options{Profile: new(Profile)}, ErrArgument},
	} {
		shot := func(int) (*imageio.Image, error) { return test.shot, test.err }
		_, _, err := Burst(context.Background(), shots[0], 1, shot, FileOptions{Options: test.o})
		if !errors.Is(err, test.want) {
			t.Errorf("got %v, want %v", err, test.want)
		}
	}
}
