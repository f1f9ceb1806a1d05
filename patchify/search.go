package patchify

import (
	"cmp"
	"slices"
)

// Windows of up to exhaustiveWindow samples are searched exhaustively. In a larger window there is first a coarse
// search, at half the size and only for references about coarseStep samples apart. Then all references of the block try
// the offsets that it found, the offsets one sample beside these, and all offsets up to nearWindow. This works because
// neighbouring patches repeat at about the same offsets. If groups on an earlier pilot are known, the offsets of their
// first earlierMembers patches take the place of the coarse search. With 15 of them, results are no better.
const (
	exhaustiveWindow     = 6
	nearWindow           = 3
	defaultCoarseOffsets = 10
	coarseStep           = 9
	earlierMembers       = 10
)

type offset struct{ x, y int }

// length returns the larger of the distances in x and in y.
func (o offset) length() int { return max(o.x, -o.x, o.y, -o.y) }

// nearOffsets returns all offsets within a window except (0, 0), near ones first: similar patches are mostly near, and
// a list changes less often if it gets similar patches early.
func nearOffsets(window int) []offset {
	var o []offset
	for y := -window; y <= window; y++ {
		for x := -window; x <= window; x++ {
			if x != 0 || y != 0 {
				o = append(o, offset{x, y})
			}
		}
	}
	slices.SortStableFunc(o, func(a, b offset) int { return cmp.Compare(a.x*a.x+a.y*a.y, b.x*b.x+b.y*b.y) })
	return o
}

// coarseReferences calls found with the numbers of the references that have a coarse search, among rows x columns. They
// form a square grid. If that is finer than necessary, every second of them is left out, like the fields of one colour
// of a chessboard.
func coarseReferences(columns, rows, stride int, found func(i int)) {
	step := max(coarseStep/stride, 1)
	apart := step * stride
	chessboard := 2*apart*apart <= coarseStep*coarseStep
	first := (step - 1) / 2
	for row := min(first, rows-1); row < rows; row += step {
		for column := min(first, columns-1); column < columns; column += step {
			if !chessboard || (row+column)%2 == 0 {
				found(row*columns + column)
			}
		}
	}
}

// search fills the lists of a block with the corner (x0, y0).
func (m *Matcher) search(x0, y0, columns, rows, stride int) {
	for _, o := range m.near {
		m.block.Scan(o.x, o.y)
	}
	if m.Window <= exhaustiveWindow {
		return
	}
	m.found = m.found[:0]
	m.seen = append(m.seen[:0], make([]bool, (2*m.Window+1)*(2*m.Window+1))...)
	if m.earlier != nil {
		m.addEarlier(x0, y0, Alignment(stride))
	} else { // at half the size
		coarseReferences(columns, rows, stride, func(i int) { m.block.CoarseSearch(i, m.addAround) })
	}
	for _, o := range m.found {
		m.block.Scan(o.x, o.y)
	}
	if !m.block.Full() { // there are only few patches
		m.scanOthers()
	}
}

// addEarlier adds the offsets of the earlier groups of all patches whose corner is in the block of span x span samples.
func (m *Matcher) addEarlier(x0, y0, span int) {
	g := m.earlier.grid
	for row, y := range g.Ys {
		if y < y0 || y >= y0+span {
			continue
		}
		for column, x := range g.Xs {
			if x < x0 || x >= x0+span {
				continue
			}
			for _, corner := range m.earlier.Of(row*len(g.Xs) + column)[:min(earlierMembers, m.earlier.Count)] {
				m.addFar(offset{int(corner)%g.width() - x, int(corner)/g.width() - y})
			}
		}
	}
}

// addAround adds an offset and those beside it.
func (m *Matcher) addAround(x, y int) {
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			m.addFar(offset{x + dx, y + dy})
		}
	}
}

// addFar adds an offset to found, except offsets outside the window, near offsets, and those it has.
func (m *Matcher) addFar(o offset) {
	if n := o.length(); n <= nearWindow || n > m.Window {
		return
	}
	if seen := &m.seen[(o.y+m.Window)*(2*m.Window+1)+o.x+m.Window]; !*seen {
		*seen = true
		m.found = append(m.found, o)
	}
}

// scanOthers scans the offsets in the window that are neither near nor found.
func (m *Matcher) scanOthers() {
	for _, o := range nearOffsets(m.Window) {
		if o.length() > nearWindow && !slices.Contains(m.found, o) {
			m.block.Scan(o.x, o.y)
		}
	}
}
