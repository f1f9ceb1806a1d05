package patchify

import (
	"context"
	"errors"
	"slices"
	"testing"
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
