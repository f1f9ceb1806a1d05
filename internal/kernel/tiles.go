package kernel

import "fmt"

// tileSide is the side in cells of the tiles of a convolution, and TileTaps the number of matrices that multiply what a
// tile sees.
const (
	tileSide = 2
	TileTaps = 16
)

// Tiles says where the channels of a grid of cells are, so that neighbouring tiles are neighbours in memory. A channel
// has four planes of Plane values: those of even rows and even columns, even rows and odd columns, odd rows and even
// columns, and the rest. A row of a plane has Stride values.
//
// A convolution with 3 x 3 taps of tiles of 2 x 2 cells needs 16 multiplications for each channel instead of 36: W.
// Winograd's, as in A. Lavin and S. Gray, "Fast algorithms for convolutional neural networks", 2016. A cell depends
// only on its neighbours, exactly.
type Tiles struct {
	Channels, Plane, Stride int
}

// Inputs transforms what Lanes tiles see, 4 x 4 cells each. Grid starts at the first cell of the first tile. For each
// of TileTaps matrices in turn, v gets a panel with a row for each channel.
func (t Tiles) Inputs(v, grid []float32) {
	t.check(v, grid)
	selected.Load().tileInputs(v, grid, t.Channels, t.Plane, t.Stride)
}

// Outputs transforms the products m of the matrices by Inputs to 2 x 2 cells for each tile, adds the bias of each
// channel and cuts negative values off. Grid starts as that of Inputs does; the cells are those in the middle of what
// tiles see.
func (t Tiles) Outputs(grid, m, bias []float32) {
	t.check(m, grid)
	checkLen(bias, t.Channels)
	selected.Load().tileOutputs(grid, m, bias, t.Plane, t.Stride)
}

func (t Tiles) check(panels, grid []float32) {
	checkTiles(panels, grid, tileSide, TileTaps, t.Channels, t.Plane, t.Stride)
}

func checkTiles(panels, grid []float32, side, taps, channels, plane, stride int) {
	if channels < 1 || plane < 0 || stride < 0 {
		panic(fmt.Sprintf("kernel: %d channels of planes of %d values in rows of %d", channels, plane, stride))
	}
	checkLen(panels, taps*channels*Lanes)
	if len(grid) < (side*side*channels-1)*plane+stride+1+Lanes {
		panic(fmt.Sprintf("kernel: %d values for %d channels of tiles", len(grid), channels))
	}
}

// TileWeights transforms 3 x 3 taps, row by row, to the factors of the TileTaps matrices.
func TileWeights(taps [9]float32) (w [TileTaps]float32) {
	rows := func(g [3]float64) [4]float64 {
		return [4]float64{g[0], (g[0] + g[1] + g[2]) / 2, (g[0] - g[1] + g[2]) / 2, g[2]}
	}
	var half [3][4]float64
	for i := range half {
		half[i] = rows([3]float64{float64(taps[3*i]), float64(taps[3*i+1]), float64(taps[3*i+2])})
	}
	for l := range 4 {
		for k, v := range rows([3]float64{half[0][l], half[1][l], half[2][l]}) {
			w[4*k+l] = float32(v)
		}
	}
	return w
}
