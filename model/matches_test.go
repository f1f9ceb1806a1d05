package model

import (
	"context"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Stages that search find the nearest patches of their pilots; later ones do so among candidates.
func TestMatches(t *testing.T) {
	l := testNonLocal(t, 3, 12)
	m := new(Matches)
	m.start(3)
	g, err := patchify.NewGrid(60, 50, 8, 3)
	if err != nil {
		t.Fatal(err)
	}
	var passes [3][]int32
	for pass := range passes {
		groups, err := m.groups(context.Background(), l, g, noisy(squares(60, 50), 0.2, uint64(pass)), 2)
		if err != nil {
			t.Fatal(err)
		}
		if want := []int{GroupSize, candidates, GroupSize}[pass]; groups.Count != want {
			t.Errorf("pass %d: groups of %d, want %d", pass, groups.Count, want)
		}
		passes[pass] = groups.Corners
	}
	for i := range g.Len() {
		for _, c := range passes[2][i*GroupSize:][:GroupSize] {
			if !slices.Contains(passes[1][i*candidates:][:candidates], c) {
				t.Fatalf("group %d: %d is no candidate", i, c)
			}
		}
	}
	m.again()
	for pass := range passes {
		groups, err := m.groups(context.Background(), l, g, squares(60, 50), 2)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(groups.Corners, passes[pass]) {
			t.Errorf("pass %d of the second run has other groups", pass)
		}
	}
}

// A run whose stages do not fit searches on its own, and leaves what there is.
func TestMatchesThatDoNotFit(t *testing.T) {
	l, other := testNonLocal(t, 3, 12), testNonLocal(t, 3, 11)
	m := new(Matches)
	m.start(1)
	p := noisy(squares(60, 50), 0.2, 1)
	groups := func(l *NonLocal, stride int) *patchify.Groups {
		t.Helper()
		g, err := patchify.NewGrid(p.Width, p.Height, 8, stride)
		if err != nil {
			t.Fatal(err)
		}
		groups, err := m.groups(context.Background(), l, g, p, 1)
		if err != nil {
			t.Fatal(err)
		}
		return groups
	}
	first := groups(l, 3)
	for name, own := range map[string]func() *patchify.Groups{
		"smaller window": func() *patchify.Groups { return groups(other, 3) },
		"other stride":   func() *patchify.Groups { return groups(l, 4) },
	} {
		m.again()
		if own() == first {
			t.Errorf("%s: the same groups", name)
		}
	}
	m.again()
	if groups(l, 3) != first {
		t.Error("groups of the first run are gone")
	}
}
