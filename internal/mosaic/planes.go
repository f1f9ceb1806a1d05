package mosaic

// Planes returns the samples of red, green and blue as pictures of half the size: two of green, one of each other.
func (m Mosaic) Planes() (colours [3][][]float32, width, height int) {
	width, height = m.Width/side, m.Height/side
	for at := range side * side {
		x, y := at%side, at/side
		plane := make([]float32, 0, width*height)
		for j := range height {
			row := m.Pix[(side*j+y)*m.Width:]
			for i := range width {
				plane = append(plane, row[side*i+x])
			}
		}
		c := m.Colours[y][x]
		colours[c] = append(colours[c], plane)
	}
	return colours, width, height
}
