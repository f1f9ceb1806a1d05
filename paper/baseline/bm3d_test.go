package baseline

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestTransformsInvertAndHaveUnitRows(t *testing.T) {
	for name, a := range map[string]*mat.Dense{"cosines 8": cosines(8), "cosines 12": cosines(12),
		"biorthogonal": biorthogonal(8)} {
		s := newSeparable(a)
		n := s.size
		x, y, scratch := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
		for i := range x {
			x[i] = float32(i*i%17) - 5
		}
		s.apply(s.forward, y, x, scratch)
		s.apply(s.inverse, y, y, scratch)
		for i := range x {
			if math.Abs(float64(x[i]-y[i])) > 1e-3 {
				t.Fatalf("%s: sample %d is %g, want %g", name, i, y[i], x[i])
			}
		}
		for i := range n {
			if norm := mat.Norm(a.RowView(i), 2); math.Abs(norm-1) > 1e-12 {
				t.Errorf("%s: row %d has norm %g, want 1", name, i, norm)
			}
		}
	}
}

// The wavelet has one vanishing moment, so all coefficients of a constant are zero except the first. The dual low-pass
// filter of bior1.5 is exact for polynomials up to degree 4 only away from the ends, so higher degrees are not tested.
func TestBiorthogonalOfAConstant(t *testing.T) {
	a := biorthogonal(8)
	for i := 1; i < 8; i++ {
		if s := mat.Sum(a.RowView(i)); math.Abs(s) > 1e-12 {
			t.Errorf("row %d sums to %g, want 0", i, s)
		}
	}
}

func TestHadamardTwiceMultiplies(t *testing.T) {
	g := []float32{1, 2, 3, 4, 5, 6, 7, 8}
	want := slices.Clone(g)
	hadamard(g, 4, 2)
	if g[0] != 16 || g[1] != 20 {
		t.Errorf("sums %g and %g, want 16 and 20", g[0], g[1])
	}
	hadamard(g, 4, 2)
	for i := range g {
		if g[i] != 4*want[i] {
			t.Fatalf("got %v, want 4 times %v", g, want)
		}
	}
}

func TestSearchFindsWhatBruteForceFinds(t *testing.T) {
	_, plane := drawn(50, 46, 0.1)
	for i := range plane.Pix {
		plane.Pix[i] *= 255
	}
	const size, most, threshold = 8, 16, 5000
	xs, ys := []int{0, 3, 21, 42}, []int{0, 3, 30, 38}
	lists := search(plane, xs, ys, size, most, threshold)
	for i, got := range lists {
		x, y := xs[i%len(xs)], ys[i/len(xs)]
		var want matches
		for v := max(0, y-bm3dWindow); v <= min(plane.Height-size, y+bm3dWindow); v++ {
			for u := max(0, x-bm3dWindow); u <= min(plane.Width-size, x+bm3dWindow); u++ {
				d := float32(0)
				for j := range size * size {
					e := plane.Row(y + j/size)[x+j%size] - plane.Row(v + j/size)[u+j%size]
					d += e * e
				}
				if d < threshold*size*size {
					want = append(want, match{d, int32(v*plane.Width + u)})
				}
			}
		}
		slices.SortStableFunc(want, func(a, b match) int { return cmp.Compare(a.distance, b.distance) })
		want = want[:min(most, len(want))]
		if len(got) != len(want) || got[0].at != want[0].at {
			t.Fatalf("block %d: %d matches, the first at %d, want %d at %d", i, len(got), got[0].at, len(want),
				want[0].at)
		}
		for j := 1; j < len(got); j++ { // running sums round differently
			if math.Abs(float64(got[j].distance-want[j].distance)) > 1e-3*float64(want[j].distance) {
				t.Errorf("block %d, match %d: distance %g, want %g", i, j, got[j].distance, want[j].distance)
			}
		}
	}
}

func TestShrinkage(t *testing.T) {
	g := []float32{10, 1, -9, 0.5}
	if w := hardThreshold(2)(g, nil, 4); w != 0.5 || !slices.Equal(g, []float32{10, 0, -9, 0}) {
		t.Errorf("kept %v with weight %g, want [10 0 -9 0] with 0.5", g, w)
	}
	g = []float32{6, 6}
	wiener(1)(g, []float32{2, 0}, 4)
	if !slices.Equal(g, []float32{3, 0}) {
		t.Errorf("attenuated to %v, want [3 0]", g)
	}
}
