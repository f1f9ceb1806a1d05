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

// Samples of few values, of as many as are counted and of more.
func TestSortOfFewValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 256, mostValues, mostValues + 1, 4 * mostValues} {
		some := make([]float32, n)
		for i := range some {
			some[i] = float32(rng.NormFloat64())
			if i < len(special) {
				some[i] = float32(special[i])
			}
		}
		got := make([]float32, 5*mostValues)
		for i := range got {
			got[i] = some[rng.IntN(n)]
		}
		want, counted := slices.Clone(got), slices.Clone(got)
		slices.Sort(want)
		Sort(got)
		for i, v := range want {
			if cmp.Compare(got[i], v) != 0 {
				t.Fatalf("%d values: at %d is %g, want %g", n, i, got[i], v)
			}
		}
		if ok := sortFew(counted); ok && n > mostValues || !ok && n <= 256 {
			t.Errorf("%d values: counted is %v", n, ok)
		}
	}
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
