package patchify

import "github.com/blorc-denoise/blorc-denoise/patchify/internal/scan"

// Matching says how groups of similar patches are found.
type Matching struct {
	PatchSize int // up to MaxPatchSize
	Count     int // patches of a group, the reference included
	Window    int // farthest offset in x and in y of a corner from the reference's
}

// Reach is how far, in x and in y, samples may lie from the corner of a reference that have a say in its group.
func (m Matching) Reach() int {
	return m.Window + m.PatchSize - 1
}

// Matcher is the memory that one goroutine needs for matching.
type Matcher struct {
	m     Matching
	block *scan.Block
}

// NewMatcher returns a matcher.
func NewMatcher(m Matching) *Matcher {
	return &Matcher{m, scan.New(m.PatchSize, m.Count, m.Window)}
}

// Match writes the group of each patch of g to dst, Count corners y*Width+x for each: the patch itself, and the most
// similar patches within the window, by squared distance on the pilot, those at the same distance in raster order. Where the plane
// has fewer patches than that, the patch itself is repeated. The grid is that of the pilot, or a part of it between rows that are
// multiples of Alignment(g.Stride).
func (m *Matcher) Match(dst []int32, pilot Plane, g Grid) {
	span := Alignment(g.Stride)
	p := scan.Plane{Width: pilot.Width, Height: pilot.Height, Pix: pilot.Pix}
	for row := 0; row < len(g.Ys); {
		y0, ys := blockOf(g.Ys[row:], span)
		for column := 0; column < len(g.Xs); {
			x0, xs := blockOf(g.Xs[column:], span)
			m.block.Reset(p, x0, y0, xs, ys)
			m.search()
			for i := range len(xs) * len(ys) {
				group, _ := m.block.List(i)
				at := (row+i/len(xs))*len(g.Xs) + column + i%len(xs)
				copy(dst[at*m.m.Count:], group)
			}
			column += len(xs)
		}
		row += len(ys)
	}
}

// blockOf returns the corners that lie in the same span as the first one, from its start.
func blockOf(corners []int, span int) (start int, in []int) {
	start = corners[0] / span * span
	for _, c := range corners {
		if c >= start+span {
			break
		}
		in = append(in, c-start)
	}
	return start, in
}

func (m *Matcher) search() {
	for dy := -m.m.Window; dy <= m.m.Window; dy++ {
		for dx := -m.m.Window; dx <= m.m.Window; dx++ {
			if dx != 0 || dy != 0 {
				m.block.Scan(dx, dy)
			}
		}
	}
}
