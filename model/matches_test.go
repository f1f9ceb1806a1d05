package model

import (
	"context"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

func TestMatches(t *testing.T) {
	l := testNonLocal(t, 3, 12)
	m := new(Matches)
	g, err := patchify.NewGrid(60, 50, 8, 3)
	if err != nil {
		t.Fatal(err)
	}
	pass := func(p patchify.Plane) []int32 {
		t.Helper()
		groups, err := m.groups(context.Background(), l, g, p, Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		return slices.Clone(groups.Corners)
	}
	pilots := [3]patchify.Plane{}
	for i := range pilots {
		pilots[i] = noisy(squares(60, 50), 0.2, uint64(i))
	}
	first, second, third := pass(pilots[0]), pass(pilots[1]), pass(pilots[2])
	if slices.Equal(first, second) {
		t.Error("the second stage did not search on its pilot")
	}
	if !slices.Equal(second, third) {
		t.Error("the third stage has other groups than the second")
	}
	m.again() // for another plane
	for i, want := range [][]int32{first, second, third} {
		if !slices.Equal(pass(squares(60, 50)), want) {
			t.Errorf("stage %d of the second run has other groups", i+1)
		}
	}
	m.start()
	if slices.Equal(pass(squares(60, 50)), first) {
		t.Error("groups of another plane are still there")
	}
}

// A run whose stages do not fit searches on its own, and leaves what there is.
func TestMatchesThatDoNotFit(t *testing.T) {
	l, other := testNonLocal(t, 3, 12), testNonLocal(t, 3, 11)
	m := new(Matches)
	p := noisy(squares(60, 50), 0.2, 1)
	groups := func(l *NonLocal, stride int) *patchify.Groups {
		t.Helper()
		g, err := patchify.NewGrid(p.Width, p.Height, 8, stride)
		if err != nil {
			t.Fatal(err)
		}
		groups, err := m.groups(context.Background(), l, g, p, Options{Workers: 1, GroupStride: stride})
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

// Stages whose windows or steps differ, as a model file may have them, find what reaches as far as they say.
func TestMatchesOfUnequalStages(t *testing.T) {
	y := noisy(squares(90, 80), 0.1, 4)
	for name, stages := range map[string][]Stage{
		"window": {testNonLocal(t, 3, 7), testNonLocal(t, 3, 30), testNonLocal(t, 3, 7)},
		"step":   {testNonLocal(t, 3, 9), testNonLocal(t, 4, 9), testNonLocal(t, 3, 9)},
	} {
		m := testModel(t)
		m.Stages = append(m.Stages, stages...)
		want := denoised(t, m, y, 0.1, Options{Workers: 1})
		if got := denoised(t, m, y, 0.1, Options{Workers: 3}); !slices.Equal(got.Pix, want.Pix) {
			t.Errorf("%s: three workers give other bytes than one", name)
		}
		full := 0
		for _, s := range m.Stages {
			full += s.Reach()
		}
		if got := m.Reach(Options{}); got != full {
			t.Errorf("%s: reach %d, but all three stages search: %d", name, got, full)
		}
	}
}
