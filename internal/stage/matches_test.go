package stage

import (
	"context"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// groupsOf returns the groups of a stage: those that m holds, or new ones.
func groupsOf(t *testing.T, m *Matches, l *NonLocal, p patchify.Plane, o Options) *patchify.Groups {
	t.Helper()
	g := must.Get(l.grid(p, o))(t)
	in := Input{Noisy: noisy(p, 1, 9), Pilot: p}
	groups := must.Get(m.groups(context.Background(), l, g,
		func() patchify.Plane { return MatchingPlane(patchify.NewPlane(p.Width, p.Height), in, l.Residual) }, o))(t)
	return groups
}

func TestMatches(t *testing.T) {
	l := testNonLocal(t, 3, 12)
	m := new(Matches)
	pass := func(p patchify.Plane) []int32 {
		t.Helper()
		return slices.Clone(groupsOf(t, m, l, p, Options{Workers: 2}).Corners)
	}
	var found [3][]int32
	for i := range found {
		found[i] = pass(noisy(squares(60, 50), 0.2, uint64(i)))
		if i > 0 && slices.Equal(found[i], found[i-1]) {
			t.Errorf("stage %d did not search on its pilot", i+1)
		}
	}
	m.again() // for another plane
	for i, want := range found {
		if !slices.Equal(pass(squares(60, 50)), want) {
			t.Errorf("stage %d of the second run has other groups", i+1)
		}
	}
	m.start()
	if slices.Equal(pass(squares(60, 50)), found[0]) {
		t.Error("groups of another plane are still there")
	}
}

// A stage with another search than the one in the matches searches on its own and does not change the matches.
func TestMatchesThatDoNotFit(t *testing.T) {
	l, window := testNonLocal(t, 3, 12), testNonLocal(t, 3, 11)
	offset, residual := testNonLocal(t, 3, 12), testNonLocal(t, 3, 12)
	offset.Offset, residual.Residual = 2, 0.3
	m := new(Matches)
	p := noisy(squares(60, 50), 0.2, 1)
	o := Options{Workers: 1}
	first := groupsOf(t, m, l, p, o)
	corners := slices.Clone(first.Corners)
	for name, own := range map[string]func() *patchify.Groups{
		"smaller window": func() *patchify.Groups { return groupsOf(t, m, window, p, o) },
		"other step":     func() *patchify.Groups { return groupsOf(t, m, l, p, Options{Workers: 1, GroupStride: 4}) },
		"other rows":     func() *patchify.Groups { return groupsOf(t, m, l, p, Options{Workers: 1, GroupRows: 4}) },
		"other offset":   func() *patchify.Groups { return groupsOf(t, m, offset, p, o) },
		"residual":       func() *patchify.Groups { return groupsOf(t, m, residual, p, o) },
	} {
		m.again()
		if slices.Equal(own().Corners, corners) {
			t.Errorf("%s: the same groups", name)
		}
	}
	m.again()
	if groupsOf(t, m, l, squares(60, 50), o) != first || !slices.Equal(first.Corners, corners) {
		t.Error("groups of the first run are gone")
	}
}

// A stage with some of the rows of reference patches has the groups of those.
func TestMatchesOfSomeRows(t *testing.T) {
	l, m := testNonLocal(t, 3, 12), new(Matches)
	l.Offset = 0
	p := noisy(squares(60, 50), 0.2, 1)
	all := slices.Clone(groupsOf(t, m, l, p, Options{GroupRows: 2, Workers: 1}).Corners)
	m.again()
	other := squares(60, 50)
	some := groupsOf(t, m, l, other, Options{GroupRows: 4, Workers: 1})
	g := must.Get(l.grid(other, Options{GroupRows: 4}))(t)
	for i := range g.Len() {
		group := some.Of(i)
		if x, y := g.At(i); group[0] != int32(y*60+x) {
			t.Fatalf("group %d begins with patch %d, not (%d, %d)", i, group[0], x, y)
		}
		found := false
		for from := 0; from < len(all); from += GroupSize {
			found = found || slices.Equal(all[from:from+GroupSize], group)
		}
		if !found {
			t.Fatalf("group %d is not one of the earlier run", i)
		}
	}
}

// A model file may hold passes with different windows or steps. They denoise, and the reach covers all of them.
func TestMatchesOfUnequalStages(t *testing.T) {
	y := noisy(squares(90, 80), 0.1, 4)
	for name, stages := range map[string]Sequence{
		"window": {testNonLocal(t, 3, 7), testNonLocal(t, 3, 30), testNonLocal(t, 3, 7)},
		"step":   {testNonLocal(t, 3, 9), testNonLocal(t, 4, 9), testNonLocal(t, 3, 9)},
	} {
		m := testSequence(t)
		m = append(m, stages...)
		want := denoised(t, m, y, 0.1, Options{Workers: 1})
		if got := denoised(t, m, y, 0.1, Options{Workers: 3}); !slices.Equal(got.Pix, want.Pix) {
			t.Errorf("%s: three workers give other bytes than one", name)
		}
		full := 0
		for _, s := range m {
			full += s.geometry(Options{}).reach
		}
		if got := m.Steps(Options{}).Reach(); got != full {
			t.Errorf("%s: reach %d, but all three stages search: %d", name, got, full)
		}
	}
}
