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

// Samples of few values: any, and those that the table has a place for each, of as many as are counted and of more.
func TestSortOfFewValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var placed []float32 // the inverse of the factor of the table gives their places
	for i := range uint32(1 << tableBits) {
		if v := sampleOf(i << (32 - tableBits) * 0x0e8b2f51); v == v {
			placed = append(placed, v)
		}
	}
	anyOf := make([]float32, 4*mostValues)
	for i := range anyOf {
		if anyOf[i] = float32(rng.NormFloat64()); i < len(special) {
			anyOf[i] = float32(special[i])
		}
	}
	for _, some := range [][]float32{anyOf[:1], anyOf[:2], anyOf[:200], anyOf, placed[:2], placed[:mostValues],
		placed[:mostValues+1]} {
		got := slices.Clone(some)
		for len(got) < 9*mostValues {
			got = append(got, some[rng.IntN(len(some))])
		}
		rng.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		want, counted := slices.Clone(got), slices.Clone(got)
		slices.Sort(want)
		Sort(got)
		for i, v := range want {
			if cmp.Compare(got[i], v) != 0 {
				t.Fatalf("%d values: at %d is %g, want %g", len(some), i, got[i], v)
			}
		}
		if few := len(some) <= mostValues; &some[0] == &placed[0] || !few {
			if sortFew(counted) != few {
				t.Errorf("%d values: counted is %v", len(some), !few)
			}
		}
	}
}

func TestOrder(t *testing.T) {
	near := rapid.Custom(func(t *rapid.T) float64 { // these differ in the lower half of their bits alone
		v := 1 + float64(rapid.IntRange(0, 99).Draw(t, "step"))*0x1p-50
		return math.Copysign(v, float64(rapid.SampledFrom([]int{1, -1}).Draw(t, "sign")))
	})
	rapid.Check(t, func(t *rapid.T) {
		v := append(values(200).Draw(t, "values"), rapid.SliceOfN(near, 0, 200).Draw(t, "near")...)
		v = rapid.Permutation(v).Draw(t, "order")
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
