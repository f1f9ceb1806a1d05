package patchify

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// pairwiseSum adds in the same order as matching: the sum of the first terms, a power of two, plus the sum of the rest.
func pairwiseSum(v []float32) float32 {
	if len(v) == 1 {
		return v[0]
	}
	h := 1
	for 2*h < len(v) {
		h *= 2
	}
	return pairwiseSum(v[:h]) + pairwiseSum(v[h:])
}

// patchDistance returns the squared distance of two patches.
func patchDistance(p Plane, x, y, u, v, size int) float32 {
	var columns, rows [MaxPatchSize]float32
	for c := range size {
		for r := range size {
			d := p.Row(y + r)[x+c] - p.Row(v + r)[u+c]
			rows[r] = d * d
		}
		columns[c] = pairwiseSum(rows[:size])
	}
	return pairwiseSum(columns[:size])
}

// exhaustive returns a group found by comparing a patch with all others in the window.
func exhaustive(p Plane, m Matching, x, y int) []int32 {
	type candidate struct {
		distance float32
		corner   int32
	}
	var all []candidate
	for v := max(0, y-m.Window); v <= min(p.Height-m.PatchSize, y+m.Window); v++ {
		for u := max(0, x-m.Window); u <= min(p.Width-m.PatchSize, x+m.Window); u++ {
			if u != x || v != y {
				all = append(all, candidate{patchDistance(p, x, y, u, v, m.PatchSize), int32(v*p.Width + u)})
			}
		}
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.corner, b.corner))
	})
	group := []int32{int32(y*p.Width + x)}
	for len(group) < m.Count {
		if n := len(group) - 1; n < len(all) {
			group = append(group, all[n].corner)
		} else {
			group = append(group, group[0])
		}
	}
	return group
}

// quantised returns a plane with few different samples, so that there are ties.
func quantised(w, h int, levels int, seed uint64) Plane {
	p := randomPlane(w, h, seed)
	for i, v := range p.Pix {
		p.Pix[i] = float32(int(v*float32(levels))) * 0.7
	}
	return p
}

func match(t testing.TB, p Plane, m Matching, stride int) ([]int32, Grid) {
	t.Helper()
	return matchAt(t, p, m, 0, stride)
}

func matchAt(t testing.TB, p Plane, m Matching, offset, stride int) ([]int32, Grid) {
	t.Helper()
	g, err := NewGridAt(offset, p.Width, p.Height, m.PatchSize, stride)
	must(t, err)
	dst := make([]int32, g.Len()*m.Count)
	NewMatcher(m).Match(dst, p, g)
	return dst, g
}

// matchRows is match with rows of reference patches of their own distance.
func matchRows(t testing.TB, p Plane, m Matching, stride, rows int) ([]int32, Grid) {
	t.Helper()
	g, err := NewGrid(p.Width, p.Height, m.PatchSize, stride)
	if err == nil {
		g, err = g.WithRows(0, rows)
	}
	must(t, err)
	dst := make([]int32, g.Len()*m.Count)
	NewMatcher(m).Match(dst, p, g)
	return dst, g
}

func TestMatchFindsTheMostSimilar(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		size := rapid.SampledFrom([]int{8, 8, 8, 1, 2, 3, 5, 7, 9, 12, 17, 32}).Draw(rt, "size")
		m := Matching{PatchSize: size, Count: rapid.IntRange(1, 20).Draw(rt, "count"),
			Window: rapid.IntRange(0, exhaustiveWindow).Draw(rt, "window")}
		stride := rapid.IntRange(1, size).Draw(rt, "stride")
		w, h := rapid.IntRange(size, size+50).Draw(rt, "w"), rapid.IntRange(size, size+40).Draw(rt, "h")
		p := quantised(w, h, rapid.SampledFrom([]int{1, 2, 4, 1 << 20}).Draw(rt, "levels"),
			rapid.Uint64().Draw(rt, "seed"))
		got, g := matchAt(t, p, m, rapid.IntRange(0, stride-1).Draw(rt, "offset"), stride)
		for i := range g.Len() {
			x, y := g.At(i)
			if i%7 > 0 && x > 0 && y > 0 {
				continue
			}
			if want, got := exhaustive(p, m, x, y), got[i*m.Count:][:m.Count]; !slices.Equal(got, want) {
				rt.Fatalf("group of (%d, %d) is %v, want %v", x, y, got, want)
			}
		}
	})
}

// With a coarse search, a group is in order, has no repetition, and is no worse than the group of the near window.
func TestMatchWithCoarseSearch(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, h := rapid.IntRange(8, 90).Draw(rt, "w"), rapid.IntRange(8, 60).Draw(rt, "h")
		p := quantised(w, h, rapid.SampledFrom([]int{1, 2, 1 << 20}).Draw(rt, "levels"),
			rapid.Uint64().Draw(rt, "seed"))
		m := Matching{8, rapid.IntRange(1, 20).Draw(rt, "count"),
			rapid.IntRange(exhaustiveWindow+1, 30).Draw(rt, "window"), rapid.IntRange(0, 12).Draw(rt, "coarseOffsets")}
		near := m
		near.Window = nearWindow
		stride := rapid.IntRange(1, 8).Draw(rt, "stride")
		offset := rapid.IntRange(0, stride-1).Draw(rt, "offset")
		got, g := matchAt(t, p, m, offset, stride)
		least, _ := matchAt(t, p, near, offset, stride)
		for i := range g.Len() {
			x, y := g.At(i)
			group, worse := got[i*m.Count:][:m.Count], least[i*m.Count:][:m.Count]
			if i%5 == 0 {
				checkGroup(rt, p, m, x, y, group, worse)
			}
		}
	})
}

func checkGroup(t *rapid.T, p Plane, m Matching, x, y int, group, worse []int32) {
	self, last := int32(y*p.Width+x), float32(-1)
	if group[0] != self {
		t.Fatalf("group of (%d, %d) starts with %d", x, y, group[0])
	}
	distance := func(c int32) float32 { return patchDistance(p, x, y, int(c)%p.Width, int(c)/p.Width, m.PatchSize) }
	for k := 1; k < m.Count; k++ {
		c := group[k]
		if c == self {
			if all := exhaustive(p, m, x, y); all[k] != self {
				t.Fatalf("only %d patches for (%d, %d), but there is %d", k, x, y, all[k])
			}
			return
		}
		d := distance(c)
		if o := (offset{int(c)%p.Width - x, int(c)/p.Width - y}); o.length() > m.Window {
			t.Fatalf("offset %v of (%d, %d)", o, x, y)
		}
		if d < last || d == last && c <= group[k-1] {
			t.Fatalf("group of (%d, %d) is not in order: %v", x, y, group)
		}
		if worse[k] != self && d > distance(worse[k]) {
			t.Fatalf("member %d of (%d, %d) is worse than in a small window", k, x, y)
		}
		last = d
	}
}

func TestMatchSameForAnyBands(t *testing.T) {
	for stride := 1; stride <= 8; stride++ {
		p := quantised(75, 150, 8, uint64(stride))
		m := Matching{8, 16, 15, 0}
		want, g := match(t, p, m, stride)
		var got []int32
		for _, b := range g.bands(7) {
			dst := make([]int32, b.Grid.Len()*m.Count)
			NewMatcher(m).Match(dst, p, b.Grid)
			got = append(got, dst...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("stride %d: the groups of the bands differ from those of the grid", stride)
		}
	}
}

// A part of a plane that starts at multiples of Alignment gives the same groups as the whole plane, for patches whose
// Reach lies inside the part.
func TestMatchInAWindowOfThePlane(t *testing.T) {
	for stride := 1; stride <= 8; stride++ {
		testMatchInAWindow(t, stride, stride)
	}
	testMatchInAWindow(t, 8, 6)
	testMatchInAWindow(t, 4, 6)
}

// testMatchInAWindow compares groups whose reference patches are in columns and rows of different distances.
func testMatchInAWindow(t *testing.T, stride, rows int) {
	p := quantised(230, 290, 8, uint64(stride))
	m := Matching{8, 16, 11, 3}
	x0, y0, x1, y1 := Alignment(stride), Alignment(stride), p.Width-5, p.Height-9
	for y0%Alignment(rows) > 0 {
		y0 += Alignment(stride)
	}
	window := Crop(p, x0, y0, x1-x0, y1-y0)
	whole, g := matchRows(t, p, m, stride, rows)
	part, h := matchRows(t, window, m, stride, rows)
	groups := map[[2]int][]int32{}
	for i := range g.Len() {
		x, y := g.At(i)
		groups[[2]int{x, y}] = whole[i*m.Count:][:m.Count]
	}
	compared, reach := 0, m.Reach()
	for i := range h.Len() {
		x, y := h.At(i)
		if x < reach || y < reach || x+reach >= window.Width || y+reach >= window.Height {
			continue
		}
		compared++
		for k, c := range groups[[2]int{x + x0, y + y0}] {
			d := part[i*m.Count+k]
			if int(d)%window.Width+x0 != int(c)%p.Width || int(d)/window.Width+y0 != int(c)/p.Width {
				t.Fatalf("stride %d: member %d of (%d, %d) differs", stride, k, x, y)
			}
		}
	}
	if compared == 0 {
		t.Fatalf("stride %d: nothing was compared", stride)
	}
}

func ExampleMatcher_Match() {
	p := NewPlane(12, 2)
	for x, v := range []float32{1, 5, 1, 1, 9, 9, 1, 5, 9, 9, 1, 4} {
		p.Row(0)[x], p.Row(1)[x] = v, v
	}
	m := Matching{PatchSize: 2, Count: 3, Window: 6}
	g, _ := NewGrid(p.Width, p.Height, m.PatchSize, 2)
	groups := make([]int32, g.Len()*m.Count)
	NewMatcher(m).Match(groups, p, g)
	fmt.Println(groups[:m.Count])
	// Output: [0 6 2]
}
