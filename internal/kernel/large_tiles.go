package kernel

// largeSide is the side in cells of large tiles, and LargeTileTaps the number of matrices that multiply what such a
// tile sees.
const (
	largeSide     = 4
	LargeTileTaps = 36
)

// LargeTiles is as Tiles, but for tiles of 4 x 4 cells. A channel has 16 planes of Plane values: row by row, those of
// cells whose row and column leave each remainder when divided by 4. A row of a plane has Stride values.
//
// A convolution with 3 x 3 taps needs 36 multiplications for each channel instead of 144. Its rounding errors are
// several times as large as those of Tiles, and all cells of a tile have them of all that the tile sees. So NaN spoils
// the whole tile.
type LargeTiles struct {
	Channels, Plane, Stride int
}

// Inputs transforms what Lanes tiles see, 6 x 6 cells each. Grid starts at the first cell of the first tile. For each
// of LargeTileTaps matrices in turn, v gets a panel with a row for each channel.
func (t LargeTiles) Inputs(v, grid []float32) {
	t.check(v, grid)
	selected.Load().largeInputs(v, grid, t.Channels, t.Plane, t.Stride)
}

// Outputs transforms the products m of the matrices by Inputs to 4 x 4 cells for each tile, and cuts negative values
// off. Grid starts as that of Inputs does; the cells are those in the middle of what tiles see.
func (t LargeTiles) Outputs(grid, m []float32) {
	t.check(m, grid)
	selected.Load().largeOutputs(grid, m, t.Channels, t.Plane, t.Stride)
}

// AddOutputs is as Outputs, but adds the cells to those of the grid and keeps negative values.
func (t LargeTiles) AddOutputs(grid, m []float32) {
	t.check(m, grid)
	selected.Load().addLargeOutputs(grid, m, t.Channels, t.Plane, t.Stride)
}

func (t LargeTiles) check(panels, grid []float32) {
	checkTiles(panels, grid, largeSide, LargeTileTaps, t.Channels, t.Plane, t.Stride)
}

// largeTileWeights transforms 3 x 3 taps, row by row, to the factors of the LargeTileTaps matrices, in one lane of a
// panel.
func largeTileWeights(panel []float32, taps *[9]float32) {
	t := *taps
	for i := range t {
		t[i] *= 1. / (24 * 24)
	}
	a0, a1, a2, a3, a4, a5 := largeTileFactors(t[0], t[1], t[2])
	b0, b1, b2, b3, b4, b5 := largeTileFactors(t[3], t[4], t[5])
	c0, c1, c2, c3, c4, c5 := largeTileFactors(t[6], t[7], t[8])
	setLargeTileFactors(panel, a0, b0, c0)
	setLargeTileFactors(panel[Lanes:], a1, b1, c1)
	setLargeTileFactors(panel[2*Lanes:], a2, b2, c2)
	setLargeTileFactors(panel[3*Lanes:], a3, b3, c3)
	setLargeTileFactors(panel[4*Lanes:], a4, b4, c4)
	setLargeTileFactors(panel[5*Lanes:], a5, b5, c5)
}

// setLargeTileFactors sets every sixth factor from the first of a panel on.
func setLargeTileFactors(panel []float32, a, b, c float32) {
	v := (*[30*Lanes + 1]float32)(panel)
	v[0], v[6*Lanes], v[12*Lanes], v[18*Lanes], v[24*Lanes], v[30*Lanes] = largeTileFactors(a, b, c)
}

// largeTileFactors are 24 times the factors of three taps in a row. Only products with powers of two are added, so that
// processors that multiply and add at once give the same.
func largeTileFactors(a, b, c float32) (_, _, _, _, _, _ float32) {
	even, far := a+c, a+4*c
	return float32(6 * a), -4 * (even + b), -4 * (even - b), far + 2*b, far - 2*b, float32(24 * c)
}
