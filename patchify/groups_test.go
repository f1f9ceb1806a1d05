package patchify

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func find(t testing.TB, p Plane, m Matching, g Grid, workers int) *Groups {
	t.Helper()
	groups := new(Groups)
	if err := m.Find(context.Background(), groups, p, g, workers); err != nil {
		t.Fatal(err)
	}
	return groups
}

func TestFindIsMatchForAnyWorkers(t *testing.T) {
	p := quantised(150, 210, 4, 1)
	for _, stride := range []int{3, 5} {
		m := Matching{PatchSize: 8, Count: 16, Window: 12}
		want, g := match(t, p, m, stride)
		for _, workers := range []int{1, 2, 5} {
			if got := find(t, p, m, g, workers); got.Count != 16 || !slices.Equal(got.Corners, want) {
				t.Errorf("stride %d, %d workers: other groups", stride, workers)
			}
		}
	}
}

func TestFindStopsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := randomPlane(50, 50, 1)
	g, err := NewGrid(50, 50, 8, 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := (Matching{PatchSize: 8, Count: 4, Window: 3}).Find(ctx, new(Groups), p, g, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// Nearest on another plane leaves what sorting the candidates by their distance there leaves.
func TestNearest(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		size := rapid.SampledFrom([]int{8, 8, 1, 3, 5, 12}).Draw(rt, "size")
		w, h := rapid.IntRange(size, size+40).Draw(rt, "w"), rapid.IntRange(size, size+40).Draw(rt, "h")
		levels, seed := rapid.SampledFrom([]int{1, 3, 1 << 20}).Draw(rt, "levels"), rapid.Uint64().Draw(rt, "seed")
		m := Matching{size, rapid.IntRange(1, 40).Draw(rt, "candidates"), 9}
		g, err := NewGrid(w, h, size, rapid.IntRange(1, size).Draw(rt, "stride"))
		if err != nil {
			rt.Fatal(err)
		}
		larger, p := find(t, quantised(w, h, levels, seed), m, g, 1), quantised(w, h, levels, seed+1)
		count := rapid.IntRange(1, 70).Draw(rt, "count")
		got := new(Groups)
		if err := got.Nearest(context.Background(), larger, count, p, size, 2); err != nil {
			rt.Fatal(err)
		}
		for i := range g.Len() {
			if want := nearest(p, larger.Of(i), count, size); !slices.Equal(got.Of(i), want) {
				rt.Fatalf("of %v: %v, want %v", larger.Of(i), got.Of(i), want)
			}
		}
	})
}

func nearest(p Plane, candidates []int32, count, size int) []int32 {
	reference := candidates[0]
	others := slices.DeleteFunc(slices.Clone(candidates), func(c int32) bool { return c == reference })
	distance := func(c int32) float32 {
		w := int32(p.Width)
		return patchDistance(p, int(reference%w), int(reference/w), int(c%w), int(c/w), size)
	}
	slices.SortFunc(others, func(a, b int32) int { return cmp.Or(cmp.Compare(distance(a), distance(b)), cmp.Compare(a, b)) })
	group := append([]int32{reference}, others...)
	for len(group) < count {
		group = append(group, reference)
	}
	return group[:count]
}

func BenchmarkNearest(b *testing.B) {
	p := scenePlane(660, 396)
	m := Matching{PatchSize: 8, Count: 32, Window: 45}
	g, err := NewGrid(p.Width, p.Height, m.PatchSize, 5)
	if err != nil {
		b.Fatal(err)
	}
	larger, groups := find(b, p, m, g, 1), new(Groups)
	for b.Loop() {
		if err := groups.Nearest(context.Background(), larger, 16, p, 8, 1); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/float64(p.Width*p.Height)*1e6, "s/MP")
}
