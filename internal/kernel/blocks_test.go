package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// doubles returns values of different size, some of them at the limits if extreme.
func doubles(n int, seed uint64, extreme bool) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	limits := []float64{0, math.Copysign(0, -1), math.MaxFloat64, -1e-300, math.SmallestNonzeroFloat64, math.Inf(1),
		math.NaN()}
	v := make([]float64, n)
	for i := range v {
		if v[i] = rng.NormFloat64() * math.Ldexp(1, rng.IntN(9)); extreme && rng.IntN(4) == 0 {
			v[i] = limits[rng.IntN(len(limits))]
		}
	}
	return v
}

// sameDoubles reports whether values have the same bits, or are NaN.
func sameDoubles(a, b []float64) bool {
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) && (a[i] == a[i] || b[i] == b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

// All backends give the bytes of the plain Go version, and write nothing else.
func TestBlocksAgree(t *testing.T) {
	const guard = 16
	for _, be := range backends {
		for _, n := range []int{8, 16, 24, 120} {
			for seed := range uint64(6) {
				stride := n + 8*int(seed)
				columns := doubles(PatchSide*stride, seed, seed%2 == 1)
				var places [PatchSide]int
				for i := range places {
					places[i] = i * (stride - n) / (PatchSide - 1)
				}
				for name, f := range map[string]func(b *backend, out []float64){
					"transformLines": func(b *backend, out []float64) { b.transformLines(out, columns, n) },
					"in place": func(b *backend, out []float64) {
						copy(out, columns[:PatchSide*n])
						b.transformLines(out, out, n)
					},
					"blockEnergies": func(b *backend, out []float64) {
						b.blockEnergies(out, columns, &places, n, stride)
					},
					"patchEnergies": func(b *backend, out []float64) {
						b.patchEnergies(out, columns, &places, n, stride)
					},
				} {
					want, got := doubles(PatchSide*n+guard, 9, false), doubles(PatchSide*n+guard, 9, false)
					f(&generic, want)
					f(be, got)
					if !sameDoubles(got, want) {
						t.Fatalf("%s: %s of %d, seed %d, differs", be.name, name, n, seed)
					}
				}
			}
		}
	}
}

// A block of one frequency has all of its energy in one sum.
func TestBlockEnergies(t *testing.T) {
	const n = 8
	for v := range PatchSide {
		for u := range PatchSide {
			columns, places := make([]float64, PatchSide*(n+PatchSide)), [PatchSide]int{0, 1, 2, 3, 4, 5, 6, 7}
			for i := range PatchSide {
				c := math.Sqrt(2. / PatchSide)
				if u == 0 {
					c = math.Sqrt(1. / PatchSide)
				}
				columns[v*(n+PatchSide)+i] = 3 * c * math.Cos(math.Pi*(float64(i)+0.5)*float64(u)/PatchSide)
			}
			block, patch := make([]float64, 4*n), make([]float64, 3*n)
			BlockEnergies(block, columns, &places, n, n+PatchSide)
			PatchEnergies(patch, columns, &places, n, n+PatchSide)
			s := u + v
			for i, x := range []struct {
				got  float64
				want bool
			}{{block[n], s >= 3 && s < 8}, {block[2*n], s >= 8 && s < 11}, {block[3*n], s >= 11},
				{patch[n], s >= 1 && s < 8}, {patch[2*n], s >= 8}} {
				want := 0.
				if x.want {
					want = 9
				}
				if math.Abs(x.got-want) > 1e-12 {
					t.Errorf("frequencies %d and %d: sum %d is %g, not %g", v, u, i, x.got, want)
				}
			}
			want := 0.
			if s == 0 {
				want = 3
			}
			if math.Abs(block[0]-want) > 1e-12 || patch[0] != block[0] {
				t.Errorf("frequencies %d and %d: %g and %g at 0", v, u, block[0], patch[0])
			}
		}
	}
}

func TestBlocksCheckSizes(t *testing.T) {
	places := [PatchSide]int{7: 8}
	sums, columns := make([]float64, 4*8), make([]float64, 8*16)
	allPanic(t, map[string]func(){
		"number":  func() { TransformLines(columns, columns, 12) },
		"lines":   func() { TransformLines(columns[:63], columns, 8) },
		"sums":    func() { BlockEnergies(sums[1:], columns, &places, 8, 16) },
		"columns": func() { BlockEnergies(sums, columns[1:], &places, 8, 16) },
		"places":  func() { PatchEnergies(sums, columns, &[PatchSide]int{9}, 8, 16) },
		"none":    func() { PatchEnergies(sums, columns, &places, 0, 16) },
	})
}

func BenchmarkBlockEnergies(b *testing.B) {
	const n = 128
	columns, sums, places := doubles(PatchSide*(n+8), 1, false), make([]float64, 4*n), [PatchSide]int{4, 5, 6, 7}
	for _, be := range backends {
		b.Run(be.name, func(b *testing.B) {
			for b.Loop() {
				be.blockEnergies(sums, columns, &places, n, n+8)
			}
		})
	}
}
