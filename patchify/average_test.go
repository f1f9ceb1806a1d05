package patchify

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

const testLanes = 5

// fold is an operation on patches that is not the identity.
func fold(v []float32) {
	for i := range v {
		v[i] *= v[i] * v[i]
	}
}

// averageRuns passes all patches through panels in the order of the grid.
func averageRuns(t testing.TB, p Plane, size, stride, workers int) Plane {
	return average(t, p, size, stride, workers, func(b Band, acc *Accumulator) {
		panel := make([]float32, size*size*testLanes)
		for at := 0; at < b.Grid.Len(); at += testLanes {
			to := min(at+testLanes, b.Grid.Len())
			b.Grid.Runs(at, to, func(i int, xs []int, y int) {
				ExtractRun(panel, testLanes, i-at, p, xs, y, size)
			})
			fold(panel)
			b.Grid.Runs(at, to, func(i int, xs []int, y int) { acc.AddRun(panel, testLanes, i-at, xs, y) })
		}
	})
}

// averageKinds passes the patches one by one: first those with a dark corner, then those with a bright one.
func averageKinds(t testing.TB, p Plane, size, stride, workers int) Plane {
	return average(t, p, size, stride, workers, func(b Band, acc *Accumulator) {
		panel := make([]float32, size*size*testLanes)
		for kind := range 2 {
			for i := range b.Grid.Len() {
				x, y := b.Grid.At(i)
				if (p.Row(y)[x] > 0.5) != (kind == 1) {
					continue
				}
				lane := i % testLanes
				ExtractLane(panel, testLanes, lane, p, x, y, size)
				fold(panel)
				acc.AddLane(panel, testLanes, lane, x, y)
				clear(panel)
			}
		}
	})
}

// averageSums passes the patches one by one and adds them to Sums.
func averageSums(t testing.TB, p Plane, size, stride, workers int) Plane {
	return average(t, p, size, stride, workers, func(b Band, acc *Accumulator) {
		patch := make([]float32, size*size)
		for i := range b.Grid.Len() {
			x, y := b.Grid.At(i)
			ExtractLane(patch, 1, 0, p, x, y, size)
			fold(patch)
			sums, pitch := acc.Sums()
			for j, v := range patch {
				sums[int(acc.Index(x, y))+j/size*pitch+j%size] += v
			}
		}
	})
}

func average(t testing.TB, p Plane, size, stride, workers int, work func(b Band, acc *Accumulator)) Plane {
	t.Helper()
	g, err := NewGrid(p.Width, p.Height, size, stride)
	must(t, err)
	out := NewPlane(p.Width, p.Height)
	for i := range out.Pix {
		out.Pix[i] = -7 // must be overwritten
	}
	if err := Average(context.Background(), out, g, workers, func(_ int, b Band,
		acc *Accumulator) {
		work(b, acc)
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAverageIsTheMeanOfAllPatches(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		size := rapid.IntRange(1, 9).Draw(rt, "size")
		stride := rapid.IntRange(1, size).Draw(rt, "stride")
		p := randomPlane(rapid.IntRange(size, 60).Draw(rt, "w"), rapid.IntRange(size, 90).Draw(rt, "h"), 3)
		for _, f := range []func(testing.TB, Plane, int, int, int) Plane{averageRuns, averageKinds, averageSums} {
			for i, v := range f(t, p, size, stride, 2).Pix {
				// All patches have the same value here, so it is their mean.
				want := p.Pix[i] * p.Pix[i] * p.Pix[i]
				if d := v - want; d > 1e-5 || d < -1e-5 {
					rt.Fatalf("sample %d is %g, want %g", i, v, want)
				}
			}
		}
	})
}

// A part of a plane that starts at multiples of Alignment gives the same bytes as the whole plane, for samples whose
// patches lie inside the part.
func TestAverageOfAWindowSameBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for stride := 1; stride <= 8; stride++ {
		const size = 8
		p := randomPlane(150+rng.IntN(40), 150+rng.IntN(40), uint64(stride))
		align := Alignment(stride)
		x0, y0 := align*(1+rng.IntN(2)), align*(1+rng.IntN(2))
		x1, y1 := p.Width-rng.IntN(30), p.Height-rng.IntN(30)
		window := Crop(p, x0, y0, x1-x0, y1-y0)
		for _, f := range []func(testing.TB, Plane, int, int, int) Plane{averageRuns, averageKinds, averageSums} {
			whole, part := f(t, p, size, stride, 2), f(t, window, size, stride, 3)
			right, bottom := margin(x1, p.Width, size), margin(y1, p.Height, size)
			for y := y0 + size - 1; y < y1-bottom; y++ {
				a := whole.Row(y)[x0+size-1 : x1-right]
				b := part.Row(y - y0)[size-1 : x1-x0-right]
				if !slices.Equal(a, b) {
					t.Fatalf("stride %d: row %d differs", stride, y)
				}
			}
		}
	}
}

// margin returns how many samples at an end differ because some of their patches are outside the part. There are none
// at the end of the plane.
func margin(end, length, size int) int {
	if end == length {
		return 0
	}
	return size
}

func TestAverageSameBytesForAnyWorkers(t *testing.T) {
	p := randomPlane(120, 350, 5)
	want := averageKinds(t, p, 8, 1, 1)
	for _, workers := range []int{2, 3, 8} {
		if got := averageKinds(t, p, 8, 1, workers); !slices.Equal(got.Pix, want.Pix) {
			t.Fatalf("%d workers give other bytes than one", workers)
		}
	}
}

// High bands give the bytes of other bands. Each worker has one, and keeps the sums of few rows.
func TestAverageHighBandsSameBytes(t *testing.T) {
	p := randomPlane(400, 1000, 6)
	g, err := NewGrid(p.Width, p.Height, 8, 4)
	must(t, err)
	var bands, slots atomic.Int32
	work := func(_ int, b Band, acc *Accumulator) {
		bands.Add(1)
		panel := make([]float32, 64)
		for i := range b.Grid.Len() {
			x, y := b.Grid.At(i)
			ExtractLane(panel, 1, 0, p, x, y, 8)
			acc.AddLane(panel, 1, 0, x, y)
			if x == 0 && y%24 == 0 {
				acc.Done(y)
			}
		}
		slots.Store(max(slots.Load(), int32(len(acc.sums)/(acc.rows*acc.pitch))))
	}
	want, got := NewPlane(p.Width, p.Height), NewPlane(p.Width, p.Height)
	must(t, Average(t.Context(), want, g, 2, work))
	for workers, count := range map[int]int32{1: 1, 2: 2, 7: 3} { // three bands have minBandPatches
		bands.Store(0)
		slots.Store(0)
		must(t, AverageHighBands(t.Context(), got, g, workers, work))
		if !slices.Equal(got.Pix, want.Pix) {
			t.Errorf("%d workers: other bytes", workers)
		}
		if bands.Load() != count {
			t.Errorf("%d workers have %d bands", workers, bands.Load())
		}
		if n := slots.Load(); n > 3 { // 24 rows of corners are in two groups, below one that is not yet added to them
			t.Errorf("%d workers: memory for %d groups of rows", workers, n)
		}
	}
}
