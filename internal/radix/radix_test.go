package radix

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// special are values that need care, as float32.
var special = []float64{0, math.Copysign(0, -1), 1, -1, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32,
	-math.SmallestNonzeroFloat32, math.Inf(1), math.Inf(-1), math.NaN(), -math.NaN()}

func values(most int) *rapid.Generator[[]float64] {
	return rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(special), rapid.Float64Range(-2, 2), rapid.Float64()), 0, most)
}

func TestSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var got []float32
		for _, v := range values(400).Draw(t, "values") {
			got = append(got, float32(v))
		}
		want := slices.Clone(got)
		slices.Sort(want)
		Sort(got)
		for i, v := range want {
			if cmp.Compare(got[i], v) != 0 {
				t.Fatalf("at %d is %g, want %g", i, got[i], v)
			}
		}
	})
}

func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := values(400).Draw(t, "values")
		want := make([]int, len(v))
		for i := range want {
			want[i] = i
		}
		slices.SortStableFunc(want, func(a, b int) int { return cmp.Compare(v[a], v[b]) })
		got := Order(len(v), func(i int) float64 { return v[i] })
		for i, at := range got {
			if int(at) != want[i] {
				t.Fatalf("at %d is value %d, want %d", i, at, want[i])
			}
		}
	})
}

func BenchmarkSort(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	samples := make([]float32, 1<<16)
	for i := range samples {
		samples[i] = float32(rng.IntN(256)) / 255
	}
	scratch := make([]float32, len(samples))
	for name, sort := range map[string]func([]float32){"radix": Sort, "slices": slices.Sort[[]float32]} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				copy(scratch, samples)
				sort(scratch)
			}
		})
	}
}

func BenchmarkOrder(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, 1<<14)
	for i := range values {
		values[i] = rng.Float64()
	}
	for b.Loop() {
		Order(len(values), func(i int) float64 { return values[i] })
	}
}
