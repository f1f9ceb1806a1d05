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

// LargeTileWeights transforms 3 x 3 taps, row by row, to the factors of the LargeTileTaps matrices.
func LargeTileWeights(taps [9]float32) (w [LargeTileTaps]float32) {
	transform := func(a, b, c float64) [6]float64 {
		return [6]float64{a / 4, -(a + b + c) / 6, -(a - b + c) / 6, a/24 + b/12 + c/6, a/24 - b/12 + c/6, c}
	}
	var half [3][6]float64
	for i := range half {
		half[i] = transform(float64(taps[3*i]), float64(taps[3*i+1]), float64(taps[3*i+2]))
	}
	for l := range 6 {
		for k, v := range transform(half[0][l], half[1][l], half[2][l]) {
			w[6*k+l] = float32(v)
		}
	}
	return w
}
