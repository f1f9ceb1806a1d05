package patchify

import (
	"cmp"
	"slices"
)

// Windows of up to nearWindow are searched exhaustively. In a larger one, that is done for scouts only: references about
// scoutStep samples apart, and for these on every second line. All references of a block then try the offsets of the
// patches that its scouts found, those one sample beside them, and all up to nearWindow. What repeats, repeats at about
// the same offset for neighbours.
const (
	nearWindow = 6
	scoutStep  = 9
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

// scouts returns which of n corners on an axis are those of scouts.
func scouts(n, stride int) (s []int) {
	step := max(scoutStep/stride, 1)
	for i := min((step-1)/2, n-1); i < n; i += step {
		s = append(s, i)
	}
	return s
}

// search fills the lists of a block.
func (m *Matcher) search(columns, rows, stride int) {
	for _, o := range m.near {
		m.block.Scan(o.x, o.y)
	}
	if m.Window <= nearWindow {
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
	for _, row := range scouts(rows, stride) {
		for _, column := range scouts(columns, stride) {
			i := row*columns + column
			m.block.Explore(i, func() {
				for y := -m.Window / 2 * 2; y <= m.Window; y += 2 {
					known := -1
					if max(y, -y) <= nearWindow {
						known = nearWindow
					}
					m.block.ScanLine(i, y, known)
				}
				m.found = m.appendFar(m.found, m.block.List(i))
			})
		}
	}
	return m.found
}

// appendFar appends the offsets of a group and those beside them, as far as they are in the window, not near, and not
// yet seen.
func (m *Matcher) appendFar(to []offset, group []int32) []offset {
	x, y := int(group[0])%m.width, int(group[0])/m.width
	for _, c := range group[1:] {
		o := offset{int(c)%m.width - x, int(c)/m.width - y}
		if o.length() <= nearWindow {
			continue
		}
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				beside := offset{o.x + dx, o.y + dy}
				if n := beside.length(); n <= nearWindow || n > m.Window {
					continue
				}
				if seen := &m.seen[(beside.y+m.Window)*(2*m.Window+1)+beside.x+m.Window]; !*seen {
					*seen = true
					to = append(to, beside)
				}
			}
		}
	}
	return to
}

// scanOthers scans what is neither near nor found.
func (m *Matcher) scanOthers(found []offset) {
	for _, o := range nearOffsets(m.Window) {
		if o.length() > nearWindow && !slices.Contains(found, o) {
			m.block.Scan(o.x, o.y)
		}
	}
}
