package unet

import "github.com/blorc-denoise/blorc-denoise/internal/kernel"

// grid holds the channels of width x height cells, both even. Each channel has a border of zeros, one cell wide, and the planes that
// kernel.Tiles describes. Tiles of 2 x 2 cells are numbered row by row, with one tile of border at the end of each row. So a panel of
// neighbouring tiles may reach over the end of a row, and its cells are neighbours in each plane. Different panels have no cell in common.
type grid struct {
	width, height int
	kernel.Tiles
	pix []float32
}

// gridTiles returns the distance of rows of tiles, and the number of values of each of the four planes of a channel.
func gridTiles(channels, width, height int) kernel.Tiles {
	stride := width/2 + 1
	return kernel.Tiles{Channels: channels, Stride: stride, Plane: stride*(height/2+1) + kernel.Lanes} // the last panel may start at the last tile
}

// reset gives the grid another size and keeps its memory if that is large enough. The content is undefined, except that the border is zero.
func (g *grid) reset(channels, width, height int) {
	g.width, g.height, g.Tiles = width, height, gridTiles(channels, width, height)
	g.pix = grow(g.pix, 4*channels*g.Plane)
	for c := range channels {
		for x := -1; x < 1; x++ {
			clear(g.pix[g.index(c, x, -1):][:g.Stride])
			clear(g.pix[g.index(c, x, height):][:g.Stride])
		}
		for y := range height {
			g.pix[g.index(c, -1, y)], g.pix[g.index(c, width, y)] = 0, 0
		}
	}
}

// index returns the place of a cell, which may be on the border.
func (g *grid) index(c, x, y int) int {
	x, y = x+1, y+1
	return (4*c+y%2*2+x%2)*g.Plane + y/2*g.Stride + x/2
}

// tiles returns the number of tiles with those on the border between rows.
func (g *grid) tiles() int { return g.height / 2 * g.Stride }

// panels returns the number of panels of tiles. The last may reach beyond the last tile.
func (g *grid) panels() int { return (g.tiles() + kernel.Lanes - 1) / kernel.Lanes }

// clearBorder sets those cells of a panel of tiles to zero that are on the border. The panel starts at the given tile.
func (g *grid) clearBorder(at int) {
	end := at + kernel.Lanes
	for c := range g.Channels {
		planes := g.pix[4*c*g.Plane:][:4*g.Plane]
		for i := at + g.Stride - 1 - at%g.Stride; i < end; i += g.Stride { // right of a row, and left of the next
			planes[3*g.Plane+i], planes[2*g.Plane+i+1] = 0, 0
			planes[g.Plane+i+g.Stride], planes[i+g.Stride+1] = 0, 0
		}
		if last := g.tiles(); end > last {
			clear(planes[3*g.Plane+last : 3*g.Plane+end])
			clear(planes[2*g.Plane+last : 2*g.Plane+end+1])
		}
	}
}

// cells returns, for tap 2 dy + dx, where the cells (dx, dy) of a panel of tiles are in the planes of channel c. The panel starts at the
// given tile.
func (g *grid) cells(c, tap, at int) *lanes {
	dy, dx := tap/2, tap%2
	return (*lanes)(g.pix[(4*c+3-tap)*g.Plane+at+dy*g.Stride+dx:])
}

// put copies lanes from..from+n-1 of a panel with a row for each channel to n cells of a row of the grid.
func (g *grid) put(x, y int, panel []float32, from, n int) {
	for e := range min(2, n) {
		at := g.index(0, x+e, y)
		for c := range g.Channels {
			src := panel[c*kernel.Lanes+from+e : c*kernel.Lanes+from+n]
			dst := g.pix[at+4*c*g.Plane:][:(len(src)+1)/2]
			for i := range dst {
				dst[i] = src[2*i]
			}
		}
	}
}

// get is the inverse of put.
func (g *grid) get(panel []float32, from, n, x, y int) {
	for e := range min(2, n) {
		at := g.index(0, x+e, y)
		for c := range g.Channels {
			dst := panel[c*kernel.Lanes+from+e : c*kernel.Lanes+from+n]
			src := g.pix[at+4*c*g.Plane:][:(len(dst)+1)/2]
			for i, v := range src {
				dst[2*i] = v
			}
		}
	}
}

// rows calls f for each part of a panel of tiles that is in one row: lanes from..from+n-1 are the tiles x..x+n-1 of row y. It leaves tiles
// of border out.
func (g *grid) rows(at int, f func(from, n, x, y int)) {
	for i := 0; i < kernel.Lanes; {
		x, y := (at+i)%g.Stride, (at+i)/g.Stride
		if 2*y >= g.height {
			return
		}
		n := min(kernel.Lanes-i, g.Stride-1-x)
		if n > 0 {
			f(i, n, x, y)
		}
		i += max(n, 1)
	}
}

type lanes = [kernel.Lanes]float32

func grow(v []float32, n int) []float32 {
	if cap(v) < n {
		return make([]float32, n)
	}
	return v[:n]
}
