package patchify

import (
	"cmp"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel/scan"
)

// Matching says how to find groups of similar patches.
type Matching struct {
	PatchSize int // 1 to MaxPatchSize
	Count     int // number of patches in a group, including the reference
	Window    int // largest distance, in x and in y, of a corner from that of the reference; up to MaxWindow
	// CoarseOffsets is the largest number of offsets that a coarse search finds, 0 for 10. There is a coarse search if
	// Window is above 6. Higher numbers hardly improve groups. On a plane with little noise, 3 is enough.
	CoarseOffsets int
}

// Reach returns how many samples away from the corner of a reference, in x and in y, a sample may influence its group.
func (m Matching) Reach() int {
	reach := m.Window + m.PatchSize - 1
	if m.Window > exhaustiveWindow { // also the coarse searches for other references of the block
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
	block   *scan.Block
	near    []offset
	found   []offset
	seen    []bool  // whether an offset is in found
	earlier *Groups // whose offsets take the place of a coarse search, or nil
}

// NewMatcher returns a matcher. m.Validate must return nil.
func NewMatcher(m Matching) *Matcher {
	near := m.Window
	if near > exhaustiveWindow {
		near = nearWindow
	}
	return &Matcher{Matching: m, block: scan.New(m.PatchSize, m.Count, m.Window,
		cmp.Or(m.CoarseOffsets, defaultCoarseOffsets)), near: nearOffsets(near)}
}

// Match writes the group of each patch of g to dst, Count corners y*Width+x for each: first the patch itself, then the
// most similar patches within the window. They are in order of their squared distance on the pilot, at the same
// distance in raster order. Patches whose distance is infinite or NaN are not similar. If there are too few similar
// patches, the patch itself is repeated. Windows of more than 6 samples are not searched exhaustively.
//
// The grid must be a grid for the pilot, or a part of one between rows that are multiples of Alignment(g.Stride). dst
// must have g.Len()*Count elements. Groups do not depend on how a grid is cut into such parts. They are also the same
// in a part of the plane that starts at multiples of Alignment, in x and in y, for patches whose Reach lies inside the
// part.
func (m *Matcher) Match(dst []int32, pilot Plane, g Grid) {
	span := Alignment(g.Stride)
	p := scan.Plane{Width: pilot.Width, Height: pilot.Height, Pix: pilot.Pix}
	for row := 0; row < len(g.Ys); {
		y0, ys := inBlock(g.Ys[row:], span)
		m.block.Open(p, y0, ys)
		for column := 0; column < len(g.Xs); {
			x0, xs := inBlock(g.Xs[column:], span)
			m.block.Reset(x0, xs)
			m.search(x0, y0, len(xs), len(ys), g.Stride)
			for i := range len(xs) * len(ys) {
				at := (row+i/len(xs))*len(g.Xs) + column + i%len(xs)
				copy(dst[at*m.Count:], m.block.List(i))
			}
			column += len(xs)
		}
		row += len(ys)
	}
}

// inBlock returns the corners in the same block of span samples as the first corner, relative to the start of the
// block.
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
