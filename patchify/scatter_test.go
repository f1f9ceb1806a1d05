package patchify

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
)

// scatterSelf adds each reference patch and some patches near it, unchanged, with random weights.
func scatterSelf(t testing.TB, p Plane, stride, workers int) Plane {
	t.Helper()
	const size, window = 8, 11
	g, err := NewGrid(p.Width, p.Height, size, stride)
	must(t, err)
	out := NewPlane(p.Width, p.Height)
	err = AggregateGroups(context.Background(), out, g, window, workers, func(_ int, b Band, s *Scatter) {
		for i := range b.Grid.Len() {
			x, y := b.Grid.At(i)
			rng := rand.New(rand.NewPCG(uint64(x), uint64(y)))
			for k := range 4 {
				mx, my := x, y
				if k > 0 {
					mx = min(max(0, x+rng.IntN(2*window+1)-window), p.Width-size)
					my = min(max(0, y+rng.IntN(2*window+1)-window), p.Height-size)
				}
				w := rng.Float32() + 0.1
				for r := range size {
					for c := range size {
						at := s.Index(int32((my+r)*p.Width + mx + c))
						s.Numerator[at] += w * p.Row(my + r)[mx+c]
						s.Denominator[at] += w
					}
				}
			}
		}
	})
	must(t, err)
	return out
}

func TestAggregateGroupsOfPatchesIsTheImage(t *testing.T) {
	for _, size := range [][2]int{{8, 8}, {9, 70}, {61, 130}} {
		p := randomPlane(size[0], size[1], 4)
		for _, stride := range []int{1, 3, 4} {
			for i, v := range scatterSelf(t, p, stride, 2).Pix {
				if d := v - p.Pix[i]; d > 1e-5 || d < -1e-5 {
					t.Fatalf("%v stride %d: sample %d is %g, want %g", size, stride, i, v, p.Pix[i])
				}
			}
		}
	}
}

func TestAggregateGroupsSameBytesForAnyWorkers(t *testing.T) {
	p := randomPlane(90, 300, 5)
	want := scatterSelf(t, p, 3, 1)
	for _, workers := range []int{2, 3, 8} {
		if got := scatterSelf(t, p, 3, workers); !slices.Equal(got.Pix, want.Pix) {
			t.Fatalf("%d workers give other bytes than one", workers)
		}
	}
}

func TestAggregateGroupsStopsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	p := randomPlane(40, 800, 6)
	g, _ := NewGrid(p.Width, p.Height, 8, 4)
	err := AggregateGroups(ctx, NewPlane(40, 800), g, 5, 3, func(int, Band, *Scatter) { cancel() })
	if err == nil {
		t.Fatal("no error after the context was done")
	}
}
