package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// tileMatrix and cellMatrix are the transforms of Inputs and Outputs.
var (
	tileMatrix = [4][4]float64{{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}}
	cellMatrix = [2][4]float64{{1, 1, 1, 0}, {0, 1, -1, -1}}
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
			for at, got := range v {
				tap, c, lane := at/Lanes/channels, at/Lanes%channels, at%Lanes
				want, size := 0., 0.
				for k, x := range tileMatrix[tap/4] {
					for l, y := range tileMatrix[tap%4] {
						d := x * y * float64(grid[tiles.cell(c, k, l)+lane])
						want, size = want+d, size+math.Abs(d)
					}
				}
				if !(math.Abs(float64(got)-want) <= 3*unit*size+tiny) {
					t.Fatalf("%s: %g instead of %g in panel %d, channel %d, lane %d", b.name, got, want, tap, c, lane)
				}
			}
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
			for c := range channels {
				for y := range tileSide {
					for x := range tileSide {
						for lane := range Lanes {
							want, size := float64(bias[c]), math.Abs(float64(bias[c]))
							for k, f := range cellMatrix[y] {
								for l, g := range cellMatrix[x] {
									p := f * g * float64(products[((4*k+l)*channels+c)*Lanes+lane])
									want, size = want+p, size+math.Abs(p)
								}
							}
							at := tiles.cell(c, 1+y, 1+x) + lane
							if got := grid[at]; !(math.Abs(float64(got)-max(want, 0)) <= 6*unit*size+tiny) {
								t.Fatalf("%s: %g instead of %g in channel %d, cell (%d, %d), lane %d", b.name, got,
									want, c, x, y, lane)
							}
							grid[at] = untouched
						}
					}
				}
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
	var taps [9]float32
	value := normal(4)
	for i := range taps {
		taps[i] = value()
	}
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
	rng := rand.New(rand.NewPCG(1, 2))
	var taps [9]float32
	var d [4][4]float64
	for i := range taps {
		taps[i] = float32(rng.NormFloat64())
	}
	for i := range 16 {
		d[i/4][i%4] = rng.NormFloat64()
	}
	weights := TileWeights(taps)
	var products [4][4]float64
	for i, w := range weights {
		for k, x := range tileMatrix[i/4] {
			for l, y := range tileMatrix[i%4] {
				products[i/4][i%4] += x * y * d[k][l] * float64(w)
			}
		}
	}
	for y := range tileSide {
		for x := range tileSide {
			want, got := 0., 0.
			for i, w := range taps {
				want += float64(w) * d[y+i/3][x+i%3]
			}
			for k, f := range cellMatrix[y] {
				for l, g := range cellMatrix[x] {
					got += f * g * products[k][l]
				}
			}
			if math.Abs(got-want) > 1e-5 {
				t.Errorf("cell (%d, %d) is %g, not %g", x, y, got, want)
			}
		}
	}
}

func TestTilesCheckSizes(t *testing.T) {
	tiles := Tiles{2, 60, 5}
	grid, panels := make([]float32, tiles.gridLen()), make([]float32, TileTaps*2*Lanes)
	for name, f := range map[string]func(){
		"grid":     func() { tiles.Inputs(panels, grid[1:]) },
		"panels":   func() { tiles.Inputs(panels[1:], grid) },
		"products": func() { tiles.Outputs(grid, panels[1:], grid[:2]) },
		"cells":    func() { tiles.Outputs(grid[1:], panels, grid[:2]) },
		"bias":     func() { tiles.Outputs(grid, panels, grid[:3]) },
		"none":     func() { Tiles{0, 60, 5}.Inputs(nil, grid) },
		"stride":   func() { Tiles{2, 60, -1}.Inputs(panels, grid) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func BenchmarkTiles(b *testing.B) {
	tiles := Tiles{48, 3000, 130}
	grid, panels := make([]float32, tiles.gridLen()), make([]float32, TileTaps*48*Lanes)
	for _, be := range backends {
		withBackend(b, be, func() {
			b.Run(be.name+"/Inputs", func(b *testing.B) {
				for b.Loop() {
					tiles.Inputs(panels, grid)
				}
			})
			b.Run(be.name+"/Outputs", func(b *testing.B) {
				for b.Loop() {
					tiles.Outputs(grid, panels, grid[:48])
				}
			})
		})
	}
}
