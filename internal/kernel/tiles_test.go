package kernel

import (
	"math"
	"testing"
)

// tileMatrix and cellMatrix are the transforms of Inputs and Outputs.
var (
	tileMatrix = [][]float64{{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}}
	cellMatrix = [][]float64{{1, 1, 1, 0}, {0, 1, -1, -1}}
)

// cell returns the place of row k and column l of what the first tile sees in channel c.
func (t Tiles) cell(c, k, l int) int {
	return (4*c+k%2*2+l%2)*t.Plane + k/2*t.Stride + l/2
}

// gridLen returns the number of values that the functions reach.
func (t Tiles) gridLen() int { return (4*t.Channels-1)*t.Plane + t.Stride + 1 + Lanes }

func TestTileInputs(t *testing.T) {
	for _, b := range backends {
		for _, channels := range []int{1, 2, 5, 16} {
			tiles, m := Tiles{channels, 71 + channels, 21}, &guards{}
			grid, v := values(m, tiles.gridLen(), normal(1)), m.floats(TileTaps*channels*Lanes)
			before := append([]float32{}, grid...)
			withBackend(t, b, func() { tiles.Inputs(v, grid) })
			m.intact(t, b.name)
			if !sameBits(grid, before) {
				t.Errorf("%s: the grid has changed", b.name)
			}
			checkTileInputs(t, b.name, tileMatrix, channels, tiles.cell, grid, v, 3)
		}
	}
}

func TestTileOutputs(t *testing.T) {
	for _, b := range backends {
		for _, channels := range []int{1, 2, 5, 16} {
			tiles, m := Tiles{channels, 171 + channels, 101}, &guards{}
			grid, products, bias := m.floats(tiles.gridLen()), values(m, TileTaps*channels*Lanes, normal(2)),
				values(m, channels, normal(3))
			const untouched = -1
			for i := range grid {
				grid[i] = untouched
			}
			withBackend(t, b, func() { tiles.Outputs(grid, products, bias) })
			m.intact(t, b.name)
			for i := range channels * tileSide * tileSide * Lanes {
				lane, x, y, c := i%Lanes, i/Lanes%tileSide, i/Lanes/tileSide%tileSide, i/Lanes/tileSide/tileSide
				want, size := transformed(cellMatrix, y, x, func(k, l int) float32 {
					return products[((4*k+l)*channels+c)*Lanes+lane]
				})
				want, size = want+float64(bias[c]), size+math.Abs(float64(bias[c]))
				at := tiles.cell(c, 1+y, 1+x) + lane
				if got := grid[at]; !(math.Abs(float64(got)-max(want, 0)) <= 6*unit*size+tiny) {
					t.Fatalf("%s: %g instead of %g in channel %d, cell (%d, %d), lane %d", b.name, got, want, c, x, y,
						lane)
				}
				grid[at] = untouched
			}
			for i, v := range grid {
				if v != untouched {
					t.Fatalf("%s: value %d of the grid has changed", b.name, i)
				}
			}
		}
	}
}

// NaN and infinities change the cells beside them and no others, though a tile sees more.
func TestTilesKeepNaNLocal(t *testing.T) {
	tiles := Tiles{1, 400, 101}
	taps := [9]float32(values(&guards{}, 9, normal(4)))
	weights := TileWeights(taps)
	convolve := func(grid []float32) []float32 {
		v, m, out := make([]float32, TileTaps*Lanes), make([]float32, TileTaps*Lanes), make([]float32, tiles.gridLen())
		tiles.Inputs(v, grid)
		for i, x := range v {
			m[i] = weights[i/Lanes] * x
		}
		tiles.Outputs(out, m, []float32{3})
		return out
	}
	for _, b := range backends {
		withBackend(t, b, func() {
			grid := values(&guards{}, tiles.gridLen(), normal(5))
			clean := convolve(grid)
			for k := range 4 {
				for l := range 4 {
					for _, bad := range []float64{math.NaN(), math.Inf(1)} {
						const lane = 13
						at := tiles.cell(0, k, l) + lane
						old := grid[at]
						grid[at] = float32(bad)
						dirty := convolve(grid)
						grid[at] = old
						for y := range tileSide {
							for x := range tileSide {
								near := max(1+y-k, k-1-y, 1+x-l, l-1-x) <= 1
								at := tiles.cell(0, 1+y, 1+x) + lane
								changed := math.Float32bits(clean[at]) != math.Float32bits(dirty[at])
								if changed != near && (changed || math.IsNaN(bad)) {
									t.Fatalf("%s: %g at (%d, %d) changes cell (%d, %d): %t", b.name, bad, l, k, x, y,
										changed)
								}
							}
						}
					}
				}
			}
		})
	}
}

// The transforms and a product make a convolution with 3 x 3 taps.
func TestTilesConvolve(t *testing.T) {
	taps := [9]float32(values(&guards{}, 9, normal(1)))
	weights := TileWeights(taps)
	checkConvolution(t, tileMatrix, cellMatrix, taps, func(i int) float32 { return weights[i] })
	panel := make([]float32, LargeTileTaps*Lanes)
	largeTileWeights(panel, &taps)
	checkConvolution(t, largeTileMatrix, largeCellMatrix, taps,
		func(i int) float32 { return panel[i*Lanes] })
}

// checkConvolution transforms random values, multiplies them by the weights, and transforms the products into cells.
func checkConvolution(t *testing.T, inputs, outputs [][]float64, taps [9]float32, weight func(i int) float32) {
	t.Helper()
	n, value := len(inputs), normal(2)
	d, products := make([]float64, n*n), make([]float64, n*n)
	for i := range d {
		d[i] = float64(value())
	}
	for i := range products {
		for k, x := range inputs[i/n] {
			for l, y := range inputs[i%n] {
				products[i] += x * y * d[k*n+l] * float64(weight(i))
			}
		}
	}
	for y, f := range outputs {
		for x, g := range outputs {
			want, got := 0., 0.
			for i, w := range taps {
				want += float64(w) * d[(y+i/3)*n+x+i%3]
			}
			for i, p := range products {
				got += f[i/n] * g[i%n] * p
			}
			if math.Abs(got-want) > 1e-5 {
				t.Errorf("%d x %d: cell (%d, %d) is %g, not %g", n, n, x, y, got, want)
			}
		}
	}
}

func TestTilesCheckSizes(t *testing.T) {
	tiles := Tiles{2, 60, 5}
	grid, panels := make([]float32, tiles.gridLen()), make([]float32, TileTaps*2*Lanes)
	allPanic(t, map[string]func(){
		"grid":     func() { tiles.Inputs(panels, grid[1:]) },
		"panels":   func() { tiles.Inputs(panels[1:], grid) },
		"products": func() { tiles.Outputs(grid, panels[1:], grid[:2]) },
		"cells":    func() { tiles.Outputs(grid[1:], panels, grid[:2]) },
		"bias":     func() { tiles.Outputs(grid, panels, grid[:3]) },
		"none":     func() { Tiles{0, 60, 5}.Inputs(nil, grid) },
		"stride":   func() { Tiles{2, 60, -1}.Inputs(panels, grid) },
	})
}

func BenchmarkTiles(b *testing.B) {
	tiles := Tiles{48, 3000, 130}
	grid, panels := make([]float32, tiles.gridLen()), make([]float32, TileTaps*48*Lanes)
	benchmarkAll(b, map[string]func(){
		"Inputs":  func() { tiles.Inputs(panels, grid) },
		"Outputs": func() { tiles.Outputs(grid, panels, grid[:48]) },
	})
}
