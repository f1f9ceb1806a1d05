package drawn

import (
	goimage "image"
	"slices"
)

// outline finds the pictures among the tiles that may be some, and their outlines. Pictures too small to hold 3 x 3
// tiles are none: the levels of a few tiles are near each other by chance.
func (m *Map) outline(tiles []bool, planes [][]float32, step float32) {
	large := m.large(tiles)
	for i := range large {
		if !large[i] {
			continue
		}
		picture := m.connected(i, large)
		var box goimage.Rectangle
		for _, j := range picture {
			large[j] = false
			box = box.Union(m.tile(j))
		}
		box = box.Inset(-side).Intersect(m.bounds) // the tiles beside a picture may hold a piece of it
		box = m.trim(box, planes, step)
		m.put(box, picture)
		if size := box.Size(); size.X*size.Y > m.largest.Dx()*m.largest.Dy() {
			m.largest = box
		}
	}
}

// put adds a picture to the map: of its tiles and of those on its outline, what is within the outline.
func (m *Map) put(box goimage.Rectangle, picture []int) {
	for i := range m.parts {
		t := m.tile(i)
		if part := t.Intersect(box); part != t || slices.Contains(picture, i) {
			m.parts[i] = m.parts[i].Union(part)
		}
	}
}

// large returns those of the tiles that belong to 3 x 3 of them.
func (m *Map) large(tiles []bool) []bool {
	all := make([]bool, len(tiles))
	for i := range tiles {
		nine := m.around(i)
		if len(nine) == 9 && !slices.ContainsFunc(nine, func(j int) bool { return !tiles[j] }) {
			for _, j := range nine {
				all[j] = true
			}
		}
	}
	return all
}

// around returns a tile and those that touch it.
func (m *Map) around(i int) (near []int) {
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			if x, j := i%m.across+dx, i+dy*m.across+dx; x >= 0 && x < m.across && j >= 0 && j < len(m.parts) {
				near = append(near, j)
			}
		}
	}
	return near
}

// connected returns the tiles that can be reached from tile i over tiles that touch each other.
func (m *Map) connected(i int, tiles []bool) []int {
	seen := map[int]bool{i: true}
	all := []int{i}
	for k := 0; k < len(all); k++ {
		for _, j := range m.around(all[k]) {
			if tiles[j] && !seen[j] {
				seen[j] = true
				all = append(all, j)
			}
		}
	}
	return all
}

// trim takes rows and columns at the sides of an area away, up to the last one that is drawn within two tiles. Some
// lines of text are like those of pictures.
func (m *Map) trim(area goimage.Rectangle, planes [][]float32, step float32) goimage.Rectangle {
	var memory tile
	for _, inwards := range []goimage.Point{{Y: 1}, {Y: -1}, {X: 1}, {X: -1}} {
		rest, left := area, area
		for range 2 * side {
			line := left.Intersect(left.Sub(goimage.Pt(inwards.X*(left.Dx()-1), inwards.Y*(left.Dy()-1))))
			left = left.Intersect(left.Add(inwards))
			if memory.isDrawn(planes, m.bounds.Dx(), line, step) {
				rest = left
			}
		}
		area = rest
	}
	return area
}

// isDrawn reports whether the samples of a row or a column are drawn.
func (t *tile) isDrawn(planes [][]float32, width int, line goimage.Rectangle, step float32) bool {
	equal, weak := 0, 0
	for y := line.Min.Y; y < line.Max.Y; y += side {
		for x := line.Min.X; x < line.Max.X; x += side {
			piece := goimage.Rect(x, y, x+side, y+side).Intersect(line)
			c := t.count(planes, width, piece, step)
			equal += c.equal
			weak += c.weak
		}
	}
	return equal > weak
}
