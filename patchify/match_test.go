package patchify

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// pairwiseSum adds up as matching does: the first half, cut at a power of two, plus the rest.
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

// patchDistance is the squared distance of two patches.
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

// exhaustive compares a patch with all others.
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

// quantised is a plane of few different samples, so that there are ties.
func quantised(w, h int, levels int, seed uint64) Plane {
	p := randomPlane(w, h, seed)
	for i, v := range p.Pix {
		p.Pix[i] = float32(int(v*float32(levels))) * 0.7
	}
	return p
}

func match(t testing.TB, p Plane, m Matching, stride int) ([]int32, Grid) {
	t.Helper()
	g, err := NewGrid(p.Width, p.Height, m.PatchSize, stride)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]int32, g.Len()*m.Count)
	NewMatcher(m).Match(dst, p, g)
	return dst, g
}

func TestMatchFindsTheMostSimilar(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		size := rapid.SampledFrom([]int{8, 8, 8, 1, 2, 3, 5, 7, 9, 12, 17, 32}).Draw(rt, "size")
		m := Matching{size, rapid.IntRange(1, 20).Draw(rt, "count"), rapid.IntRange(0, 6).Draw(rt, "window")}
		stride := rapid.IntRange(1, size).Draw(rt, "stride")
		w, h := rapid.IntRange(size, size+50).Draw(rt, "w"), rapid.IntRange(size, size+40).Draw(rt, "h")
		p := quantised(w, h, rapid.SampledFrom([]int{1, 2, 4, 1 << 20}).Draw(rt, "levels"), rapid.Uint64().Draw(rt, "seed"))
		got, g := match(t, p, m, stride)
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
