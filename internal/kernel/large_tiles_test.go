package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// largeTileMatrix and largeCellMatrix are the transforms of Inputs and Outputs of large tiles.
var (
	largeTileMatrix = [][]float64{{4, 0, -5, 0, 1, 0}, {0, -4, -4, 1, 1, 0}, {0, 4, -4, -1, 1, 0},
		{0, -2, -1, 2, 1, 0}, {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}}
	largeCellMatrix = [][]float64{{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}}
)

// cell returns the place of row k and column l of what the first tile sees in channel c.
func (t LargeTiles) cell(c, k, l int) int {
	return (16*c+k%4*4+l%4)*t.Plane + k/4*t.Stride + l/4
}

// gridLen returns the number of values that must be there.
func (t LargeTiles) gridLen() int { return (16*t.Channels-1)*t.Plane + t.Stride + 1 + Lanes }

func TestLargeTileInputs(t *testing.T) {
	for _, b := range backends {
		for _, channels := range []int{1, 2, 5, 16} {
			tiles, m := LargeTiles{channels, 71 + channels, 21}, &guards{}
			grid, v := values(m, tiles.gridLen(), normal(1)), m.floats(LargeTileTaps*channels*Lanes)
			before := slices.Clone(grid)
			withBackend(t, b, func() { tiles.Inputs(v, grid) })
			m.intact(t, b.name)
			if !sameBits(grid, before) {
				t.Errorf("%s: the grid has changed", b.name)
			}
			tiles.checkInputs(t, b.name, grid, v)
		}
	}
}

// checkInputs compares panels with sums of cells.
func (t LargeTiles) checkInputs(tb testing.TB, name string, grid, v []float32) {
	tb.Helper()
	checkTileInputs(tb, name, largeTileMatrix, t.Channels, t.cell, grid, v, 6)
}

// checkTileInputs compares panels with the transform of what tiles see. Cell returns the place of a row and a column in
// a channel.
func checkTileInputs(tb testing.TB, name string, matrix [][]float64, channels int, cell func(c, k, l int) int,
	grid, v []float32, roundings float64) {
	tb.Helper()
	for at, got := range v {
		tap, c, lane := at/Lanes/channels, at/Lanes%channels, at%Lanes
		want, size := transformed(matrix, tap/len(matrix), tap%len(matrix), func(k, l int) float32 {
			return grid[cell(c, k, l)+lane]
		})
		if !(math.Abs(float64(got)-want) <= roundings*unit*size+tiny) {
			tb.Fatalf("%s: %g instead of %g in panel %d, channel %d, lane %d", name, got, want, tap, c, lane)
		}
	}
}

// transformed returns result (y, x) of a transform of rows and columns, and the sum of the magnitudes of its terms.
func transformed(matrix [][]float64, y, x int, value func(k, l int) float32) (want, size float64) {
	for k, f := range matrix[y] {
		for l, g := range matrix[x] {
			p := f * g * float64(value(k, l))
			want, size = want+p, size+math.Abs(p)
		}
	}
	return want, size
}

func TestLargeTileOutputs(t *testing.T) {
	for _, b := range backends {
		for _, channels := range []int{1, 2, 5, 16} {
			for _, add := range []bool{false, true} {
				tiles, m := LargeTiles{channels, 171 + channels, 101}, &guards{}
				grid, products := values(m, tiles.gridLen(), normal(1)),
					values(m, LargeTileTaps*channels*Lanes, normal(2))
				before := slices.Clone(grid)
				withBackend(t, b, func() {
					if add {
						tiles.AddOutputs(grid, products)
					} else {
						tiles.Outputs(grid, products)
					}
				})
				m.intact(t, b.name)
				tiles.checkOutputs(t, b.name, grid, before, products, add)
			}
		}
	}
}

// checkOutputs compares cells with sums of products, which are added to the values before or cut off at zero. No other
// values of the grid may differ from those before.
func (t LargeTiles) checkOutputs(tb testing.TB, name string, grid, before, products []float32, add bool) {
	tb.Helper()
	for i := range t.Channels * largeSide * largeSide * Lanes {
		lane, x, y, c := i%Lanes, i/Lanes%largeSide, i/Lanes/largeSide%largeSide, i/Lanes/largeSide/largeSide
		want, size := transformed(largeCellMatrix, y, x, func(k, l int) float32 {
			return products[((6*k+l)*t.Channels+c)*Lanes+lane]
		})
		at := t.cell(c, 1+y, 1+x) + lane
		if add {
			want, size = want+float64(before[at]), size+math.Abs(float64(before[at]))
		} else {
			want = max(want, 0)
		}
		if got := grid[at]; !(math.Abs(float64(got)-want) <= 8*unit*size+tiny) {
			tb.Fatalf("%s: %g instead of %g in channel %d, cell (%d, %d), lane %d", name, got, want, c, x, y, lane)
		}
		grid[at] = before[at]
	}
	if !sameBits(grid, before) {
		tb.Fatalf("%s: other values of the grid have changed", name)
	}
}

// All distances of rows and numbers of channels work, and so do values near the ends of the range of float32.
func TestLargeTilesTakeAllSizesAndExtremeValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, extreme := range [][]float32{{1e-45, -3e-40, 1e-38, 0, 1}, {0, float32(math.Copysign(0, -1)), 1, -1},
		{5e35, -5e35, 3, 1e-30}, {1e-30, 1e10, -1e10, 1e-20, 1, -1}} {
		for channels := 1; channels <= 12; channels++ {
			for _, b := range backends {
				draw := func() float32 { return extreme[rng.IntN(len(extreme))] }
				stride := 1 + rng.IntN(120)
				tiles, m := LargeTiles{channels, stride + 1 + Lanes + rng.IntN(9), stride}, &guards{}
				grid, products := values(m, tiles.gridLen(), draw), values(m, LargeTileTaps*channels*Lanes, draw)
				before, v, sums := slices.Clone(grid), m.floats(LargeTileTaps*channels*Lanes),
					values(m, tiles.gridLen(), draw)
				added := slices.Clone(sums)
				withBackend(t, b, func() {
					tiles.Inputs(v, grid)
					tiles.checkInputs(t, b.name, grid, v)
					tiles.Outputs(grid, products)
					tiles.AddOutputs(sums, products)
				})
				m.intact(t, b.name)
				tiles.checkOutputs(t, b.name, grid, before, products, false)
				tiles.checkOutputs(t, b.name, sums, added, products, true)
			}
		}
	}
}

// All backends give the same bits.
func TestLargeTilesAreTheSameEverywhere(t *testing.T) {
	tiles := LargeTiles{7, 300, 101}
	var want [3][]float32
	for _, be := range backends {
		grid, v, products := values(&guards{}, tiles.gridLen(), normal(1)), make([]float32, LargeTileTaps*7*Lanes),
			values(&guards{}, LargeTileTaps*7*Lanes, normal(2))
		sums := slices.Clone(grid)
		withBackend(t, be, func() {
			tiles.Inputs(v, grid)
			tiles.Outputs(grid, products)
			tiles.AddOutputs(sums, products)
		})
		got := [3][]float32{v, grid, sums}
		if be == &generic {
			want = got
		}
		for i := range got {
			if !sameBits(got[i], want[i]) {
				t.Errorf("%s: transform %d gives other bits than plain Go", be.name, i)
			}
		}
	}
}

// NaN stays in its lane, and it and infinities give no finite values beside them.
func TestLargeTilesKeepNaNInTheirLane(t *testing.T) {
	const lane = 13
	for _, b := range backends {
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			tiles := LargeTiles{1, 400, 101}
			grid, v, out := values(&guards{}, tiles.gridLen(), normal(1)), make([]float32, LargeTileTaps*Lanes),
				make([]float32, tiles.gridLen())
			clean, cleanOut := slices.Clone(v), slices.Clone(out)
			withBackend(t, b, func() {
				tiles.Inputs(clean, grid)
				tiles.Outputs(cleanOut, clean)
				grid[tiles.cell(0, 2, 2)+lane] = float32(bad)
				tiles.Inputs(v, grid)
				tiles.Outputs(out, v)
			})
			for i := range v {
				if i%Lanes != lane && v[i] != clean[i] {
					t.Fatalf("%s: %g changes lane %d", b.name, bad, i%Lanes)
				}
			}
			for k := range largeSide {
				for l := range largeSide {
					at := tiles.cell(0, 1+k, 1+l)
					for i := range Lanes {
						if i != lane && out[at+i] != cleanOut[at+i] || i == lane && math.IsNaN(bad) &&
							out[at+i] == out[at+i] {
							t.Fatalf("%s: %g gives %g in lane %d", b.name, bad, out[at+i], i)
						}
					}
				}
			}
		}
	}
}

func TestLargeTilesCheckSizes(t *testing.T) {
	tiles := LargeTiles{2, 60, 5}
	grid, panels := make([]float32, tiles.gridLen()), make([]float32, LargeTileTaps*2*Lanes)
	allPanic(t, map[string]func(){
		"grid":     func() { tiles.Inputs(panels, grid[1:]) },
		"panels":   func() { tiles.Inputs(panels[1:], grid) },
		"products": func() { tiles.Outputs(grid, panels[1:]) },
		"cells":    func() { tiles.Outputs(grid[1:], panels) },
		"sums":     func() { tiles.AddOutputs(grid, panels[1:]) },
		"added":    func() { tiles.AddOutputs(grid[1:], panels) },
		"none":     func() { LargeTiles{0, 60, 5}.Inputs(nil, grid) },
	})
}

func BenchmarkLargeTiles(b *testing.B) {
	tiles := LargeTiles{48, 3000, 130}
	grid, panels := make([]float32, tiles.gridLen()), make([]float32, LargeTileTaps*48*Lanes)
	benchmarkAll(b, map[string]func(){
		"Inputs":     func() { tiles.Inputs(panels, grid) },
		"Outputs":    func() { tiles.Outputs(grid, panels) },
		"AddOutputs": func() { tiles.AddOutputs(grid, panels) },
	})
}
