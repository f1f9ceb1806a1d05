package metric

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestPSNR(t *testing.T) {
	inf := math.Inf(1)
	tests := []struct {
		name            string
		clean, restored []float32
		want            float64
	}{
		{"equal", []float32{0, 0.5, 1}, []float32{0, 0.5, 1}, inf},
		{"off by the peak", []float32{0, 1}, []float32{1, 0}, 0},
		{"off by a tenth", []float32{0.5, 0.5}, []float32{0.6, 0.4}, 20},
		{"one of four is off", []float32{0, 0, 0, 0}, []float32{0.5, 0, 0, 0}, 10 * math.Log10(16)},
		{"clipped below and above", []float32{0, 1}, []float32{-7, 9}, inf},
		{"not rounded", []float32{0.5}, []float32{0.501}, 60},
		{"NaN", []float32{0.5}, []float32{float32(math.NaN())}, math.NaN()},
	}
	for _, test := range tests {
		got := PSNR(test.clean, test.restored)
		same := got == test.want || math.IsNaN(got) && math.IsNaN(test.want)
		if !same && !(math.Abs(got-test.want) < 1e-3) {
			t.Errorf("%s: got %g dB, want %g", test.name, got, test.want)
		}
	}
}

func TestPSNRPlanesPoolsError(t *testing.T) {
	clean := [][]float32{{0, 0}, {0, 0}}
	restored := [][]float32{{0, 0}, {0.2, 0.2}} // mean squared error 0.02, not a mean of decibels
	if got, want := PSNRPlanes(clean, restored), 10*math.Log10(1/0.02); math.Abs(got-want) > 1e-5 {
		t.Errorf("got %g dB, want %g", got, want)
	}
}

// A sum of so many samples in float32 would have an error of some per cent.
func TestPSNRAccumulatesInDoublePrecision(t *testing.T) {
	clean := make([]float32, 1<<22)
	restored := make([]float32, len(clean))
	for i := range restored {
		restored[i] = 0.1
	}
	if got := PSNR(clean, restored); math.Abs(got-20) > 1e-6 {
		t.Errorf("got %.9f dB, want 20", got)
	}
}

func TestPSNRProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		size := rapid.IntRange(1, 200).Draw(t, "size")
		a, b := randomPlane(rng, size), randomPlane(rng, size)
		forth, back := PSNR(a, b), PSNR(b, a)
		if forth != back {
			t.Fatalf("%g dB one way, %g the other", forth, back)
		}
		nearer := make([]float32, size)
		for i := range nearer {
			nearer[i] = (a[i] + b[i]) / 2
		}
		if gain := PSNR(a, nearer) - forth; math.Abs(gain-20*math.Log10(2)) > 1e-3 {
			t.Fatalf("with half the error PSNR rises by %g dB, want 6.02", gain)
		}
	})
}

func TestShapesMustMatch(t *testing.T) {
	calls := map[string]func(){
		"PSNR length":       func() { PSNR(make([]float32, 2), make([]float32, 3)) },
		"PSNR empty":        func() { PSNR(nil, nil) },
		"PSNRPlanes planes": func() { PSNRPlanes(make([][]float32, 1), make([][]float32, 2)) },
		"SSIM length":       func() { SSIM(make([]float32, 4), make([]float32, 5), 2, 2) },
		"SSIM size":         func() { SSIM(make([]float32, 4), make([]float32, 4), 2, 3) },
		"SSIMPlanes planes": func() { SSIMPlanes(make([][]float32, 1), make([][]float32, 2), 1, 1) },
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			call()
		})
	}
}

func randomPlane(rng *rand.Rand, size int) []float32 {
	plane := make([]float32, size)
	for i := range plane {
		plane[i] = rng.Float32()
	}
	return plane
}

func ExamplePSNR() {
	clean := []float32{0.2, 0.4, 0.6, 1.0}
	restored := []float32{0.3, 0.3, 0.7, 0.9}
	fmt.Printf("%.2f dB\n", PSNR(clean, restored))
	// Output: 20.00 dB
}
