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
	must(t, m.Find(context.Background(), groups, p, g, workers))
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

func TestRowsOfGroups(t *testing.T) {
	p := quantised(90, 70, 4, 1)
	m := Matching{PatchSize: 8, Count: 4, Window: 5}
	grid := func(columns, rows int) Grid {
		g, err := NewGrid(90, 70, 8, columns)
		if err == nil {
			g, err = g.WithRows(0, rows)
		}
		must(t, err)
		return g
	}
	all := find(t, p, m, grid(3, 2), 1)
	want := find(t, p, m, grid(3, 8), 1) // the window is searched exhaustively, so no group depends on others
	if some := all.Rows(grid(3, 8)); some == nil || !slices.Equal(some.Corners, want.Corners) {
		t.Error("other groups than those of a search")
	}
	for _, g := range []Grid{grid(3, 3), grid(6, 2)} {
		if all.Rows(g) != nil {
			t.Errorf("groups of %v and %v", g.Xs[:3], g.Ys[:3])
		}
	}
}

func TestFindStopsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := randomPlane(50, 50, 1)
	g, err := NewGrid(50, 50, 8, 3)
	must(t, err)
	if err := (Matching{PatchSize: 8, Count: 4, Window: 3}).Find(ctx, new(Groups), p, g, 2); !errors.Is(err,
		context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestFindAgain starts from groups of the same plane: the first earlierMembers patches are at least as near. Neither
// the number of workers nor the part of the plane may matter.
func TestFindAgain(t *testing.T) {
	const part = 192 // starts there, and nowhere near its edges are groups compared
	p := quantised(420, 300, 4, 3)
	m := Matching{PatchSize: 8, Count: 16, Window: 12}
	grid := func(p Plane, stride int) Grid {
		g, err := NewGrid(p.Width, p.Height, m.PatchSize, stride)
		must(t, err)
		return g
	}
	again := func(p Plane, earlierStride, workers int) *Groups {
		groups := new(Groups)
		if err := m.FindAgain(context.Background(), groups, find(t, p, m, grid(p, earlierStride), 1), p, grid(p, 8),
			workers); err != nil {
			t.Fatal(err)
		}
		return groups
	}

	first, second := find(t, p, m, grid(p, 8), 1), again(p, 8, 1)
	distances := func(i int, groups *Groups) (d []float32) {
		x, y := grid(p, 8).At(i)
		for _, c := range groups.Of(i)[1:] {
			d = append(d, patchDistance(p, x, y, int(c)%p.Width, int(c)/p.Width, m.PatchSize))
		}
		return d
	}
	for i := range grid(p, 8).Len() {
		before := distances(i, first)
		for k, d := range distances(i, second) {
			if k+1 < earlierMembers && d > before[k] {
				t.Fatalf("group %d: distance %g of patch %d, before %g", i, d, k, before[k])
			}
		}
	}

	whole := again(p, 6, 1)
	if !slices.Equal(again(p, 6, 5).Corners, whole.Corners) {
		t.Error("other groups with five workers")
	}
	right := Crop(p, part, 0, p.Width-part, p.Height)
	inPart, g := again(right, 6, 1), grid(right, 8)
	margin := 2 * m.Reach()
	for i := range g.Len() {
		x, y := g.At(i)
		if x < margin {
			continue
		}
		at := slices.Index(grid(p, 8).Xs, x+part) + slices.Index(grid(p, 8).Ys, y)*len(grid(p, 8).Xs)
		for k, c := range inPart.Of(i) {
			if want := whole.Of(at)[k]; int(c)%right.Width+part != int(want)%p.Width ||
				int(c)/right.Width != int(want)/p.Width {
				t.Fatalf("patch %d of the group at (%d, %d) is another one in a part", k, x, y)
			}
		}
	}
}

func TestFindAgainRefusesGroupsOfOtherPlanes(t *testing.T) {
	m := Matching{PatchSize: 8, Count: 4, Window: 9}
	small, large := randomPlane(40, 40, 1), randomPlane(48, 40, 1)
	gridOf := func(p Plane) Grid {
		g, err := NewGrid(p.Width, p.Height, 8, 8)
		must(t, err)
		return g
	}
	groups := find(t, small, m, gridOf(small), 1)
	for name, err := range map[string]error{
		"of another size": m.FindAgain(context.Background(), new(Groups), groups, large, gridOf(large), 1),
		"never found":     m.FindAgain(context.Background(), new(Groups), new(Groups), small, gridOf(small), 1),
		"cut": m.FindAgain(context.Background(), new(Groups),
			&Groups{Count: 4, Corners: groups.Corners[1:], grid: groups.grid}, small, gridOf(small), 1),
		"overwritten": m.FindAgain(context.Background(), groups, groups, small, gridOf(small), 1),
	} {
		if !errors.Is(err, ErrArgument) {
			t.Errorf("%s: error %v, want ErrArgument", name, err)
		}
	}
}
