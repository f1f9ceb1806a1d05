package baseline_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/blorc-denoise/blorc-denoise/paper/baseline"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// A dark square on a bright ground, with noise of 25 gray levels of 0-255.
func ExampleByName() {
	const side, sigma = 64, 25.0 / 255
	clean, noisy := patchify.NewPlane(side, side), patchify.NewPlane(side, side)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range clean.Pix {
		clean.Pix[i] = 0.8
		if x, y := i%side, i/side; min(x, y) >= 20 && max(x, y) < 44 {
			clean.Pix[i] = 0.2
		}
		noisy.Pix[i] = clean.Pix[i] + float32(sigma*rng.NormFloat64())
	}

	d, err := baseline.ByName("bm3d")
	if err != nil {
		panic(err)
	}
	restored, err := d.Denoise(context.Background(), noisy, sigma, 0)
	if err != nil {
		panic(err)
	}

	rms := func(p patchify.Plane) float64 { // error in gray levels
		sum := 0.0
		for i, v := range p.Pix {
			sum += math.Pow(255*float64(v-clean.Pix[i]), 2)
		}
		return math.Sqrt(sum / float64(len(p.Pix)))
	}
	fmt.Println(rms(noisy) > 20, rms(restored) < 6)
	// Output: true true
}

func ExamplePlanes() {
	const width, height = 20, 10
	planes := [][]float32{make([]float32, width*height), make([]float32, width*height), make([]float32, width*height)}
	err := baseline.Planes(context.Background(), baseline.TV{}, planes, width, height, 10.0/255, 0)
	fmt.Println(err)
	err = baseline.Planes(context.Background(), baseline.TV{}, planes, width, height, -1, 0)
	fmt.Println(err)
	// Output:
	// <nil>
	// bad argument: sigma -1 is not positive and finite
}
