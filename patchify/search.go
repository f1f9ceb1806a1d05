package patchify

import (
	"cmp"
	"slices"
)

// Windows of up to exhaustiveWindow are searched exhaustively. In a larger one, that is done for scouts only: references
// about scoutStep samples apart, and for these at half the size. All references of a block then try the offsets of the
// patches that its scouts found, those one sample beside them, and all up to nearWindow. What repeats, repeats at about
// the same offset for neighbours.
const (
	exhaustiveWindow = 6
	nearWindow       = 3
	mostScouted      = 10
	scoutStep        = 9
)

type offset struct{ x, y int }

// length is the larger one of both distances.
func (o offset) length() int { return max(o.x, -o.x, o.y, -o.y) }

// nearOffsets returns all offsets within a window but (0, 0), near ones first: similar patches are most often near, and a
// list whose patches are similar from the start changes less often.
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

// scouts calls found with the numbers of the references that are scouts, of rows x columns: those on a square grid, or
// where that is finer than need be, every second of them, like the fields of one colour on a chessboard.
func scouts(columns, rows, stride int, found func(i int)) {
	step := max(scoutStep/stride, 1)
	apart := step * stride
	chessboard := 2*apart*apart <= scoutStep*scoutStep
	first := (step - 1) / 2
	for row := min(first, rows-1); row < rows; row += step {
		for column := min(first, columns-1); column < columns; column += step {
			if !chessboard || (row+column)%2 == 0 {
				found(row*columns + column)
			}
		}
	}
}

// search fills the lists of a block.
func (m *Matcher) search(columns, rows, stride int) {
	for _, o := range m.near {
		m.block.Scan(o.x, o.y)
	}
	if m.Window <= exhaustiveWindow {
		return
	}
	found := m.scout(columns, rows, stride)
	for _, o := range found {
		m.block.Scan(o.x, o.y)
	}
	if !m.block.Full() { // so few patches are there
		m.scanOthers(found)
	}
}

// scout searches the window for the scouts and returns the offsets to try beyond the near ones.
func (m *Matcher) scout(columns, rows, stride int) []offset {
	m.found = m.found[:0]
	m.seen = append(m.seen[:0], make([]bool, (2*m.Window+1)*(2*m.Window+1))...)
	scouts(columns, rows, stride, func(i int) { m.block.CoarseSearch(i, m.addFar) })
	return m.found
}

// addFar adds an offset and those beside it to found, as far as they are in the window, not near, and not yet seen.
func (m *Matcher) addFar(x, y int) {
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			o := offset{x + dx, y + dy}
			if n := o.length(); n <= nearWindow || n > m.Window {
				continue
			}
			if seen := &m.seen[(o.y+m.Window)*(2*m.Window+1)+o.x+m.Window]; !*seen {
				*seen = true
				m.found = append(m.found, o)
			}
		}
	}
}

// scanOthers scans what is neither near nor found.
func (m *Matcher) scanOthers(found []offset) {
	for _, o := range nearOffsets(m.Window) {
		if o.length() > nearWindow && !slices.Contains(found, o) {
			m.block.Scan(o.x, o.y)
		}
	}
}
