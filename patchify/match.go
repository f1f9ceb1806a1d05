package patchify

import (
	"cmp"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel/scan"
)

// Matching says how groups of similar patches are found.
type Matching struct {
	PatchSize int // up to MaxPatchSize
	Count     int // patches of a group, the reference included
	Window    int // farthest offset in x and in y of a corner from the reference's
	// Scouted is the number of offsets that a scout of a large window finds at most, 0 = 10. More find hardly anything
	// better; on a plane with little noise, 3 are enough.
	Scouted int
}

// Reach is how far, in x and in y, samples may lie from the corner of a reference that have a say in its group.
func (m Matching) Reach() int {
	reach := m.Window + m.PatchSize - 1
	if m.Window > exhaustiveWindow { // the scouts of the block as well
		block := 0
		for stride := range m.PatchSize {
			block = max(block, Alignment(stride+1))
		}
		reach += block - 1
	}
	return reach
}

// Matcher is the memory that one goroutine needs for matching.
type Matcher struct {
	Matching
	block *scan.Block
	near  []offset
	found []offset
	seen  []bool // whether an offset was found
}

// NewMatcher returns a matcher. The patch size is at most MaxPatchSize, and there is at least one patch in a group.
func NewMatcher(m Matching) *Matcher {
	near := m.Window
	if near > exhaustiveWindow {
		near = nearWindow
	}
	return &Matcher{Matching: m, block: scan.New(m.PatchSize, m.Count, m.Window, cmp.Or(m.Scouted, mostScouted)), near: nearOffsets(near)}
}

// Match writes the group of each patch of g to dst, Count corners y*Width+x for each: the patch itself, and the most
// similar patches within the window, by squared distance on the pilot, those at the same distance in raster order.
// Patches whose distance is infinite or not a number are not similar. Where there are fewer, the patch itself is
// repeated. All that a group has is in order, but windows of more than 6 are not searched exhaustively.
//
// The grid is that of the pilot, or a part of it between rows that are multiples of Alignment(g.Stride). Groups are the
// same for any parts, and in a part of the plane that starts at multiples of Alignment, in x and in y, for patches all
// of whose Reach lies in it.
func (m *Matcher) Match(dst []int32, pilot Plane, g Grid) {
	span := Alignment(g.Stride)
	p := scan.Plane{Width: pilot.Width, Height: pilot.Height, Pix: pilot.Pix}
	for row := 0; row < len(g.Ys); {
		y0, ys := inBlock(g.Ys[row:], span)
		m.block.Open(p, y0, ys)
		for column := 0; column < len(g.Xs); {
			x0, xs := inBlock(g.Xs[column:], span)
			m.block.Reset(x0, xs)
			m.search(len(xs), len(ys), g.Stride)
			for i := range len(xs) * len(ys) {
				at := (row+i/len(xs))*len(g.Xs) + column + i%len(xs)
				copy(dst[at*m.Count:], m.block.List(i))
			}
			column += len(xs)
		}
		row += len(ys)
	}
}

// inBlock returns the corners that lie in the same span as the first one, counted from its start.
func inBlock(corners []int, span int) (start int, in []int) {
	start = corners[0] / span * span
	for _, c := range corners {
		if c >= start+span {
			break
		}
		in = append(in, c-start)
	}
	return start, in
}
