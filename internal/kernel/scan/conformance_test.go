package scan

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// problem holds operands of the loops. The samples have few different values, so that there are ties, and some are
// infinite.
type problem struct {
	columns, pitch     int
	ys                 []int
	places             []int32
	a, b, bounds, sums []float32
	hits               []int32
	near               []float32
}

const guard = -77

func newProblem(rng *rand.Rand, rows, references, vectors, spare int) *problem {
	p := &problem{columns: vectors * Lanes}
	for range rows {
		p.ys = append(p.ys, rng.IntN(20))
	}
	slices.Sort(p.ys)
	p.pitch = p.columns + spare
	draw := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(rng.IntN(5)) * 0.3
			if rng.IntN(500) == 0 {
				v[i] = float32(math.Inf(1))
			}
		}
		return v
	}
	n := (p.ys[rows-1]+assemblySize-1)*p.pitch + p.columns
	p.a, p.b, p.bounds = draw(n), draw(n), draw(roundUp(references))
	p.places = make([]int32, len(p.bounds))
	for i := range p.bounds {
		p.bounds[i] = p.bounds[i]*20 + 5
		p.places[i] = int32(rng.IntN(rows*p.columns - assemblySize + 1))
		if i >= references {
			p.bounds[i], p.places[i] = -1, 0
		}
	}
	p.sums = guarded[float32](rows * p.columns)
	p.hits, p.near = guarded[int32](len(p.bounds)+Lanes), guarded[float32](len(p.bounds)+Lanes)
	return p
}

// guarded returns memory that is followed by guards.
func guarded[T int32 | float32](n int) []T {
	v := make([]T, n+Lanes)
	for i := range v {
		v[i] = guard
	}
	return v[:n]
}

func intact[T int32 | float32](t *rapid.T, v []T) {
	for _, g := range v[len(v):cap(v)] {
		if g != guard {
			t.Fatal("a loop wrote beyond its memory")
		}
	}
}

// results runs a loop of every kernel and fails the test unless all have the same hits.
func results(t *rapid.T, p *problem, loop func(k *loops) int) {
	var hits []int32
	var near []float32
	for i, k := range kernels {
		n := loop(k)
		intact(t, p.hits)
		intact(t, p.near)
		intact(t, p.sums)
		if i == 0 {
			hits, near = slices.Clone(p.hits[:n]), slices.Clone(p.near[:n])
			continue
		}
		if !slices.Equal(p.hits[:n], hits) || !slices.Equal(p.near[:n], near) {
			t.Fatalf("%s: %d hits differ from %d of plain Go", k.name, n, len(hits))
		}
	}
}

func TestScanIsTheSameOnAllKernels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		p := newProblem(rng, rapid.IntRange(1, 12).Draw(t, "rows"), rapid.IntRange(1, 70).Draw(t, "references"),
			rapid.IntRange(1, 4).Draw(t, "vectors"), rng.IntN(9))
		results(t, p, func(k *loops) int {
			return k.scan(p.hits, p.near, p.sums, p.a, p.b, p.bounds, p.places, p.ys, assemblySize, p.columns, p.pitch)
		})
	})
}

func TestLineIsTheSameOnAllKernels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		lanes := rapid.IntRange(1, 6).Draw(t, "vectors") * Lanes
		p := newProblem(rng, 1, lanes, lanes/Lanes+1, rng.IntN(9))
		bound := rapid.SampledFrom([]float32{-1, 0, 2, 5, 10, 20, 30, farthest}).Draw(t, "bound")
		results(t, p, func(k *loops) int {
			return k.line(p.hits, p.near, p.a, p.b, bound, assemblySize/2, lanes, p.pitch)
		})
	})
}

func TestInsertIsTheSameOnAllKernels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		count, n := rapid.IntRange(2, 16).Draw(t, "count"), rapid.IntRange(0, 60).Draw(t, "hits")
		const references = 5
		corners := []int32{100, 200, 300, 400, 500}
		hits, near := make([]int32, n), make([]float32, n)
		for i := range hits {
			hits[i], near[i] = int32(rng.IntN(references)), float32(rng.IntN(6))
		}
		var want []int32
		for _, k := range kernels {
			if k.maxList < count {
				continue
			}
			bounds, distances, found := make([]float32, references), guarded[float32](references*count),
				guarded[int32](references*count)
			for i := range found {
				distances[i], found[i] = farthest, corners[i/count]
				if i%count == 0 {
					distances[i] = -1
				}
			}
			for i := range hits { // one hit at a time: patches of a list differ
				k.insert(bounds, distances, found, corners, hits[i:i+1], near[i:i+1], count, (i*7)%61-30)
			}
			k.insert(bounds, distances, found, corners, nil, nil, count, 0)
			intact(t, distances)
			intact(t, found)
			got := slices.Clone(found)
			for _, v := range slices.Concat(distances, bounds) {
				got = append(got, int32(math.Float32bits(v)))
			}
			if want == nil {
				want = got
			} else if !slices.Equal(got, want) {
				t.Fatalf("%s differs from plain Go", k.name)
			}
		}
	})
}

func TestChoose(t *testing.T) {
	defer kernel.Select(kernel.Name())
	for _, name := range kernel.Available() {
		must.Do(t, kernel.Select(name))
		k := kernels[len(kernels)-1] // without a kernel of this name, the fastest
		if i := slices.IndexFunc(kernels, func(k *loops) bool { return k.name == name }); i >= 0 {
			k = kernels[i]
		}
		if got := choose(assemblySize, 2); got != k {
			t.Errorf("%s: %s is chosen", k.name, got.name)
		}
		if got := choose(assemblySize, 100); got.name != k.name || got.maxList < 100 {
			t.Errorf("%s: %s is chosen for long lists", k.name, got.name)
		}
		if got := choose(assemblySize+1, 2); got != &generic {
			t.Errorf("%s is chosen for other sizes", got.name)
		}
	}
}
