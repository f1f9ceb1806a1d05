package noise

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestAddGaussianMoments(t *testing.T) {
	const size = 200_000
	for _, sigma := range []float64{0.02, 0.1, 0.5} {
		src := make([]float32, size)
		for i := range src {
			src[i] = float32(i%7) / 6
		}
		dst := make([]float32, size)
		AddGaussian(dst, src, sigma, Source(1, "moments"))

		var sum, squares, product, outside float64
		previous := 0.0
		for i := range dst {
			z := (float64(dst[i]) - float64(src[i])) / sigma
			sum += z
			squares += z * z
			product += z * previous
			previous = z
			if math.Abs(z) > 1.959964 {
				outside++
			}
		}
		// The tolerances are five standard errors.
		tolerance := 5 / math.Sqrt(size)
		if mean := sum / size; math.Abs(mean) > tolerance {
			t.Errorf("sigma %g: mean of the noise is %g sigma, want 0", sigma, mean)
		}
		if std := math.Sqrt(squares / size); math.Abs(std-1) > tolerance {
			t.Errorf("sigma %g: standard deviation is %g sigma, want 1", sigma, std)
		}
		if correlation := product / size; math.Abs(correlation) > tolerance {
			t.Errorf("sigma %g: neighbours correlate by %g, want 0", sigma, correlation)
		}
		if share := outside / size; math.Abs(share-0.05) > 0.22*tolerance {
			t.Errorf("sigma %g: share beyond 1.96 sigma is %g, want 0.05", sigma, share)
		}
	}
}

func TestAddGaussianDoesNotClip(t *testing.T) {
	samples := make([]float32, 1000)
	AddGaussian(samples, samples, 2, Source(1, "clip"))
	if low, high := slices.Min(samples), slices.Max(samples); low > -1 || high < 1 {
		t.Errorf("samples within [%g, %g], want some below -1 and above 1", low, high)
	}
}

func TestAddGaussianSigmaZeroCopies(t *testing.T) {
	src := []float32{0, 0.25, 1, -3}
	dst := make([]float32, len(src))
	AddGaussian(dst, src, 0, Source(1, "copy"))
	if !slices.Equal(dst, src) {
		t.Errorf("got %v, want %v", dst, src)
	}
}

func TestAddGaussianRefusesUnequalLengths(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic for slices of different length")
		}
	}()
	AddGaussian(make([]float32, 2), make([]float32, 3), 1, Source(1, "length"))
}

func TestSourceIndependentOfOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		names := rapid.SliceOfNDistinct(rapid.String(), 2, 6, rapid.ID).Draw(t, "names")
		first := map[string]uint64{}
		for _, name := range names {
			first[name] = Source(seed, name).Uint64()
		}
		slices.Reverse(names)
		seen := map[uint64]string{}
		for _, name := range names {
			value := Source(seed, name).Uint64()
			if value != first[name] {
				t.Fatalf("%q: %d in one order, %d in the other", name, first[name], value)
			}
			if other, ok := seen[value]; ok {
				t.Fatalf("%q and %q share a stream", name, other)
			}
			seen[value] = name
		}
		if name := names[0]; Source(seed+1, name).Uint64() == first[name] {
			t.Fatalf("%q: seeds %d and %d give one stream", name, seed, seed+1)
		}
	})
}

// Every published figure depends on the streams, so they must never change.
func TestSourceIsPinned(t *testing.T) {
	rng := Source(1, "kodim01.png")
	got := []uint64{rng.Uint64(), rng.Uint64()}
	want := []uint64{13554023986678943641, 1785508916327977101}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func ExampleAddGaussian() {
	clean := []float32{0.5, 0.5, 0.5}
	noisy := make([]float32, len(clean))
	AddGaussian(noisy, clean, 0.1, Source(1, "example.png"))
	again := make([]float32, len(clean))
	AddGaussian(again, clean, 0.1, Source(1, "example.png"))
	fmt.Println(slices.Equal(noisy, again))
	// Output: true
}
