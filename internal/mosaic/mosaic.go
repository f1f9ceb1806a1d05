// Package mosaic handles the samples of a sensor with colour filters: it lays them out as a network expects them, and
// finds hot pixels and the noise that whole rows share.
package mosaic

// Mosaic is samples row by row, each of one colour: 0 is red, 1 green, 2 blue. Colours holds those of the first two
// rows and columns, which repeat: each of the two greens is in another row.
type Mosaic struct {
	Pix           []float32
	Width, Height int
	Colours       [2][2]int
}

// side is the side of a cell of the mosaic.
const side = 2

// mirrored returns which of n samples stands for sample i, which may lie beyond an edge. Both have the same colour,
// unless n is 1.
func mirrored(i, n int) int {
	if n == 1 {
		return 0
	}
	for i < 0 || i >= n {
		if i < 0 {
			i = -i
		}
		if i >= n {
			i = 2*(n-1) - i
		}
	}
	return i
}

// Brightness returns what all colours around each sample have in common: a mean of 3 x 3 samples, half of which is
// green and a quarter each red and blue.
func (m Mosaic) Brightness() []float32 {
	rows, out := make([]float32, len(m.Pix)), make([]float32, len(m.Pix))
	for i := range rows {
		x, row := i%m.Width, m.Pix[i-i%m.Width:]
		rows[i] = (row[mirrored(x-1, m.Width)] + 2*row[x] + row[mirrored(x+1, m.Width)]) / 4
	}
	for i := range out {
		x, y := i%m.Width, i/m.Width
		out[i] = (rows[mirrored(y-1, m.Height)*m.Width+x] + 2*rows[i] + rows[mirrored(y+1, m.Height)*m.Width+x]) / 4
	}
	return out
}
