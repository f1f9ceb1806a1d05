package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// intBackends are those that differ in products of integers.
var intBackends = slices.Clone(backends)

// integers returns n integers of memory with guards.
func integers(m memory, n int) []int16 {
	v := m.floats((n + 1) / 2)
	return unsafe.Slice((*int16)(unsafe.Pointer(unsafe.SliceData(v))), 2*len(v))[:n]
}

// intProduct is a matrix and a panel.
type intProduct struct {
	rows, cols int
	a, b       []float32
}

func newIntProduct(rows, cols int, value func() float32) intProduct {
	return intProduct{rows, cols, values(&guards{}, rows*cols, value), values(&guards{}, cols*Lanes, value)}
}

// on returns the product that a backend computes in memory m.
func (p intProduct) on(t testing.TB, be *backend, m memory) []float32 {
	t.Helper()
	c, b := m.floats(p.rows*Lanes), placed(m, p.b)
	withBackend(t, be, func() {
		a := p.matrix()
		tiles, scales := integers(m, len(a.tiles)), placed(m, a.scales)
		copy(tiles, a.tiles)
		a.tiles, a.scales = tiles, scales
		MulIntegers(c, a, b, &IntScratch{words: integers(m, (p.cols+1)/2*2*Lanes)})
		if !sameBits(scales, p.matrix().scales) || !slices.Equal(tiles, p.matrix().tiles) || !sameBits(b, p.b) {
			t.Errorf("%s, %d x %d: operands have changed", be.name, p.rows, p.cols)
		}
	})
	m.intact(t, fmt.Sprintf("integers of %s, %d x %d", be.name, p.rows, p.cols))
	return c
}

func (p intProduct) matrix() *IntMatrix { return PackIntegers(p.a, p.rows, p.cols) }

// sameOrNaN reports whether values are the same bits, or both NaN.
func sameOrNaN(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(a, b float32) bool {
		return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
	})
}

// sameEverywhere returns the product, which must be the same on all backends.
func (p intProduct) sameEverywhere(t *testing.T) []float32 {
	t.Helper()
	want := p.on(t, &generic, &guards{})
	for _, be := range intBackends[1:] {
		if got := p.on(t, be, &guards{}); !sameOrNaN(got, want) {
			t.Fatalf("%s, %d x %d: not the bytes of plain Go", be.name, p.rows, p.cols)
		}
	}
	return want
}

// What is rounded is at most half a unit of each factor.
func TestIntegersAreNearTheProduct(t *testing.T) {
	for i, size := range append(sizes(), [2]int{13, 192}, [2]int{5, 1024}) {
		p := newIntProduct(size[0], size[1], normal(uint64(i)))
		got, unit := p.sameEverywhere(t), 0.5/float64(most(p.cols))*(1+1e-5)
		for at, v := range got {
			row, lane := p.a[at/Lanes*p.cols:][:p.cols], at%Lanes
			var largest, largestB, want, tolerance float64
			for j, w := range row {
				largest, largestB = max(largest, math.Abs(float64(w))),
					max(largestB, math.Abs(float64(p.b[j*Lanes+lane])))
			}
			for j, w := range row {
				x, y := float64(w), float64(p.b[j*Lanes+lane])
				want += x * y
				tolerance += unit*(largest*math.Abs(y)+largestB*math.Abs(x)) + unit*unit*largest*largestB
			}
			if !(math.Abs(float64(v)-want) <= tolerance+1e-6*math.Abs(want)) {
				t.Fatalf("%d x %d: %g instead of %g +- %.2g", p.rows, p.cols, v, want, tolerance)
			}
		}
	}
}

// The largest sums of all sizes do not overflow: all values are the largest, with all combinations of signs.
func TestIntegersDoNotOverflow(t *testing.T) {
	for cols := 1; cols <= 1100; cols += 1 + cols/4 {
		if m := most(cols); m*m*cols > math.MaxInt32 || m > math.MaxInt16 {
			t.Errorf("%d columns: integers up to %d", cols, m)
		}
		for _, sign := range []float32{1, -1} {
			p := newIntProduct(9, cols, func() float32 { return 3 })
			for i := range p.a {
				p.a[i] *= sign
			}
			for _, v := range p.sameEverywhere(t) {
				if want := 9 * sign * float32(cols); !(math.Abs(float64(v-want)) <= 1e-6*math.Abs(float64(want))) {
					t.Fatalf("%d columns: %g, not %g", cols, v, want)
				}
			}
		}
	}
}

func TestIntegersTakeExtremeValues(t *testing.T) {
	for name, values := range map[string][]float32{
		"denormal": {1e-45, -1e-45, 3e-40, -1e-39, 1e-38, 0},
		"small":    {leastSize, -leastSize / 2, leastSize * 2, 1e-33},
		"zero":     {0, float32(math.Copysign(0, -1))},
		"huge":     {1e18, -1e18, 1e17, 3, 0, 1e-30},
		"overflow": {3.4e38, -3.4e38, 1, 1e-38},
		"halves":   {0.5, 1.5, 2.5, -0.5, -1.5, 1000},
		"infinite": {float32(math.Inf(1)), 1, 2, float32(math.Inf(-1))},
		"none":     {float32(math.NaN()), 1, 2, -3},
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range [][2]int{{1, 1}, {7, 3}, {21, 13}, {8, 48}, {9, 192}} {
				rng := rand.New(rand.NewPCG(3, 4))
				p := newIntProduct(size[0], size[1], func() float32 { return values[rng.IntN(len(values))] })
				if name == "infinite" || name == "none" { // weights are finite
					for i := range p.a {
						p.a[i] = float32(rng.NormFloat64())
					}
				}
				p.sameEverywhere(t)
			}
		})
	}
}

// NaN and infinities make their lane NaN and change no other.
func TestIntegersKeepNaNInItsLane(t *testing.T) {
	const lane = 13
	for _, be := range intBackends {
		p := newIntProduct(11, 6, normal(1))
		clean := p.on(t, be, &guards{})
		for _, bad := range []float64{math.NaN(), math.Copysign(math.NaN(), -1), math.Inf(1), math.Inf(-1)} {
			for row := range p.cols {
				dirty := intProduct{p.rows, p.cols, p.a, slices.Clone(p.b)}
				dirty.b[row*Lanes+lane] = float32(bad)
				for i, v := range dirty.on(t, be, &guards{}) {
					if i%Lanes == lane && v == v || i%Lanes != lane && v != clean[i] {
						t.Fatalf("%s: %g in lane %d makes %g in lane %d", be.name, bad, lane, v, i%Lanes)
					}
				}
			}
		}
	}
}

// Set makes the matrices of the transformed taps, in new memory and in memory that other matrices had.
func TestLargeTileMatrices(t *testing.T) {
	for _, be := range intBackends {
		withBackend(t, be, func() {
			var used LargeTileMatrices
			for i, size := range [][2]int{{60, 20}, {13, 7}, {97, 5}, {1, 1}} {
				out, in := size[0], size[1]
				w := newIntProduct(out, 9*in, normal(uint64(i)))
				read := func(o int, taps []float32) { copy(taps, w.a[o*9*in:][:9*in]) }
				set := func(t *LargeTileMatrices, m *guards) {
					t.Set(out, in, read, values(m, LargeTileTaps*in*Lanes, normal(5)),
						&IntScratch{words: integers(m, (in+1)/2*2*Lanes)})
				}
				var fresh LargeTileMatrices
				m := &guards{}
				set(&fresh, m)
				set(&used, m)
				m.intact(t, be.name)
				for k := range LargeTileTaps {
					want, factors := intProduct{rows: out, cols: in}, make([]float32, LargeTileTaps*Lanes)
					for at := range out * in {
						largeTileWeights(factors, (*[9]float32)(w.a[9*at:]))
						want.a = append(want.a, factors[k*Lanes])
					}
					for _, got := range []*IntMatrix{fresh.Tap(k), used.Tap(k)} {
						a := want.matrix()
						if !slices.Equal(a.tiles, got.tiles) || !slices.Equal(a.scales, got.scales) ||
							got.Rows != out || got.Cols != in {
							t.Fatalf("%s: tap %d of %d x %d differs", be.name, k, out, in)
						}
					}
				}
			}
		})
	}
}

// A matrix keeps its backend when another one is selected.
func TestIntMatrixKeepsItsBackend(t *testing.T) {
	p := newIntProduct(13, 5, normal(1))
	want := p.on(t, &generic, &guards{})
	for _, be := range intBackends {
		var a *IntMatrix
		withBackend(t, be, func() { a = p.matrix() })
		c := make([]float32, len(want))
		withBackend(t, &generic, func() { MulIntegers(c, a, p.b, NewIntScratch(5)) })
		if !sameBits(c, want) {
			t.Errorf("%s: the product differs when another backend is selected", be.name)
		}
	}
}

func TestIntegersCheckSizes(t *testing.T) {
	p := newIntProduct(5, 3, normal(1))
	c, scratch := make([]float32, 5*Lanes), NewIntScratch(3)
	a := p.matrix()
	allPanic(t, map[string]func(){
		"c":       func() { MulIntegers(c[1:], a, p.b, scratch) },
		"b":       func() { MulIntegers(c, a, p.b[1:], scratch) },
		"scratch": func() { MulIntegers(c, a, p.b, NewIntScratch(2)) },
		"matrix":  func() { PackIntegers(p.a[1:], 5, 3) },
		"no rows": func() { PackIntegers(nil, 0, 3) },
		"panels":  func() { new(LargeTileMatrices).Set(5, 3, nil, p.b, scratch) },
	})
}

func BenchmarkIntegers(b *testing.B) {
	for _, be := range intBackends {
		for _, c := range []int{48, 96, 160, 192} {
			p := newIntProduct(c, c, normal(1))
			withBackend(b, be, func() {
				a, dst, scratch := p.matrix(), make([]float32, c*Lanes), NewIntScratch(c)
				b.Run(fmt.Sprintf("%s/%d", be.name, c), func(b *testing.B) {
					for b.Loop() {
						MulIntegers(dst, a, p.b, scratch)
					}
					b.ReportMetric(2*float64(c*c)*Lanes*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GOP/s")
				})
			})
		}
	}
}

func BenchmarkLargeTileMatrices(b *testing.B) {
	const channels = 96
	taps, s := make([]float32, 9*channels), NewIntScratch(channels)
	panels := make([]float32, LargeTileTaps*channels*Lanes)
	var m LargeTileMatrices
	for b.Loop() {
		m.Set(channels, channels, func(o int, to []float32) { copy(to, taps) }, panels, s)
	}
}
