package drawn

import goimage "image"

// Map says which samples of an image are drawn. The zero Map says that none are.
type Map struct {
	all     bool
	bounds  goimage.Rectangle
	across  int                 // tiles in a row
	parts   []goimage.Rectangle // of each tile, row by row, what is a picture; nil if the whole image is alike
	largest goimage.Rectangle
}

// All reports whether there is no picture at all.
func (m Map) All() bool { return m.all }

// Some reports whether a part is drawn, and another part is a picture.
func (m Map) Some() bool { return m.parts != nil }

// Picture returns the area of the largest picture. It is empty unless there is Some.
func (m Map) Picture() goimage.Rectangle { return m.largest }

// Restore writes what is drawn from one list of planes into another. Both have planes of the size of area, which is a
// part of the image.
func (m Map) Restore(planes, from [][]float32, area goimage.Rectangle) {
	for i, p := range m.parts {
		t := m.tile(i)
		if p.Empty() {
			p = goimage.Rectangle{Min: t.Min, Max: t.Min}
		}
		for _, r := range []goimage.Rectangle{
			{Min: t.Min, Max: goimage.Pt(t.Max.X, p.Min.Y)},
			{Min: goimage.Pt(t.Min.X, p.Max.Y), Max: t.Max},
			{Min: goimage.Pt(t.Min.X, p.Min.Y), Max: goimage.Pt(p.Min.X, p.Max.Y)},
			{Min: goimage.Pt(p.Max.X, p.Min.Y), Max: goimage.Pt(t.Max.X, p.Max.Y)},
		} {
			copyArea(planes, from, r.Intersect(area).Sub(area.Min), area.Dx())
		}
	}
}

// copyArea copies an area of planes with width samples in a row.
func copyArea(planes, from [][]float32, area goimage.Rectangle, width int) {
	for c := range planes {
		for y := area.Min.Y; y < area.Max.Y; y++ {
			at := y*width + area.Min.X
			copy(planes[c][at:][:area.Dx()], from[c][at:])
		}
	}
}

// tile returns the area of a tile.
func (m Map) tile(i int) goimage.Rectangle {
	at := goimage.Pt(i%m.across*side, i/m.across*side)
	return goimage.Rectangle{Min: at, Max: at.Add(goimage.Pt(side, side))}.Intersect(m.bounds)
}
