package unet

import (
	"cmp"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/hugepage"
	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
)

// side is the side in cells of the tiles of a convolution.
const side = 4

// grid holds the channels of width x height cells. Each channel has a border of zeros, at least one cell wide, and the
// planes that kernel.LargeTiles describes. Tiles of 4 x 4 cells are numbered row by row. The last of a row is on the
// border, and the one before it may reach over it. So a panel of neighbouring tiles may reach over the end of a row,
// and its cells are neighbours in each plane. Different panels have no cell in common.
type grid struct {
	width, height int
	kernel.LargeTiles
	pix []float32
}

// tilesOf returns the number of tiles of a row with that on the border, which is the distance of rows of tiles, and the
// number of values of each plane.
func tilesOf(channels, width, height int) kernel.LargeTiles {
	stride, rows := ceil(width, side)+1, ceil(height, side)+1
	// the last panel may start at the last tile
	return kernel.LargeTiles{Channels: channels, Stride: stride, Plane: stride*rows + kernel.Lanes}
}

// resize gives the grid another size and keeps its memory if that is large enough. The content is undefined:
// clearChannel must make the border zero that it returns. That is appended to memory of an old one.
func (g *grid) resize(channels, width, height int, border []stretch) []stretch {
	g.width, g.height, g.LargeTiles = width, height, tilesOf(channels, width, height)
	g.pix = hugepage.Grow(g.pix, side*side*channels*g.Plane)
	add := func(from, to, firstX, lastX, firstY, lastY int) {
		for y := firstY; y < lastY; y++ {
			for x := firstX; x < lastX; x++ {
				border = append(border, stretch{int32(g.index(0, x, y) + from), int32(to - from)})
			}
		}
	}
	rows := ceil(height, side)
	add(0, g.Stride, -1, side-1, -1, 0)
	add(0, g.Stride, -1, side-1, height, side*rows+1)
	for r := range rows {
		first, last := r*g.Stride, (r+1)*g.Stride
		add(first, first+1, -1, 0, 0, side)
		add(last-2, last-1, width-side*(g.Stride-2), side+1, 0, side)
	}
	slices.SortFunc(border, func(a, b stretch) int { return cmp.Compare(a.at, b.at) })
	return border
}

// stretch is n neighbouring values of a channel.
type stretch struct{ at, n int32 }

// clearChannel sets stretches of a channel to zero. They are ordered by their place, since a processor is slow where
// each one is far from the one before.
func (g *grid) clearChannel(c int, list []stretch) {
	values := g.pix[side*side*c*g.Plane:][:side*side*g.Plane]
	for _, s := range list {
		if s.n == 1 {
			values[s.at] = 0
			continue
		}
		clear(values[s.at:][:s.n])
	}
}

// index returns the place of a cell, which may be on the border.
func (g *grid) index(c, x, y int) int {
	x, y = x+1, y+1
	return (side*side*c+y%side*side+x%side)*g.Plane + y/side*g.Stride + x/side
}

// tiles returns the number of tiles with those on the border between rows.
func (g *grid) tiles() int { return ceil(g.height, side) * g.Stride }

// panels returns the number of panels of tiles. The last may reach beyond the last tile.
func (g *grid) panels() int { return ceil(g.tiles(), kernel.Lanes) }

// cells returns the cells (x, y) of n tiles from one on, in channel c.
func (g *grid) cells(c, tile, n, x, y int) []float32 { return g.pix[g.index(c, x, y)+tile:][:n] }

// clearBorder sets those cells of a panel of tiles to zero that are on the border. The panel starts at the given tile.
func (g *grid) clearBorder(at int) {
	end, rows := at+kernel.Lanes, ceil(g.height, side)
	right, below := g.width-side*(g.Stride-2), g.height-side*(rows-1)
	for r := at / g.Stride; r < min(ceil(end, g.Stride), rows); r++ {
		last := (r + 1) * g.Stride
		g.clear(max(at, last-2), min(end, last-1), right, side, 0, side)
		g.clear(max(at, last-1), min(end, last), 0, 1, 0, side)
		g.clear(max(at, last-1), min(end, last), side-1, side, 0, side) // left of the next row
	}
	g.clear(max(at, (rows-1)*g.Stride), min(end, g.tiles()), 0, side, below, side)
	g.clear(max(at, g.tiles()), end, 0, side, 0, 1)
}

// clear sets the cells (x, y) of tiles from..to-1 to zero, for all x and y from the first to before the last. There may
// be none.
func (g *grid) clear(from, to, firstX, lastX, firstY, lastY int) {
	if from >= to {
		return
	}
	for y := firstY; y < lastY; y++ {
		for x := firstX; x < lastX; x++ {
			at := g.index(0, x, y) + from
			for range g.Channels {
				if g.pix[at] = 0; to-from > 1 {
					clear(g.pix[at:][:to-from])
				}
				at += side * side * g.Plane
			}
		}
	}
}

// fetch asks the processor for the cells that put or get will copy.
func (g *grid) fetch(x, y, n int) {
	for e := range min(2, n) {
		kernel.Fetch(g.pix[g.index(0, x+2*e, y):], g.Channels, (n-e+1)/2, side*side*g.Plane)
	}
}

// fetchTiles asks the processor for a quarter of the cells of a panel of tiles: those of the cell i of the next level.
func (g *grid) fetchTiles(at, i int) {
	for tap := range 4 {
		kernel.Fetch(g.pix[g.index(0, i%2*2+tap%2, i/2*2+tap/2)+at:], g.Channels, kernel.Lanes, side*side*g.Plane)
	}
}

// put copies lanes from..from+n-1 of a panel with a row for each channel to every second one of 2n-1 cells of a row of
// the grid.
func (g *grid) put(x, y int, panel []float32, from, n int) {
	for e := range min(2, n) {
		at := g.index(0, x+2*e, y)
		for c := range g.Channels {
			src := panel[c*kernel.Lanes+from+e : c*kernel.Lanes+from+n]
			dst := g.pix[at+side*side*c*g.Plane:][:(len(src)+1)/2]
			for i := range dst {
				dst[i] = src[2*i]
			}
		}
	}
}

// get is the inverse of put.
func (g *grid) get(panel []float32, from, n, x, y int) {
	for e := range min(2, n) {
		at := g.index(0, x+2*e, y)
		for c := range g.Channels {
			dst := panel[c*kernel.Lanes+from+e : c*kernel.Lanes+from+n]
			src := g.pix[at+side*side*c*g.Plane:][:(len(dst)+1)/2]
			for i, v := range src {
				dst[2*i] = v
			}
		}
	}
}

// rows calls f for each part of a panel of tiles that is in one row: lanes from..from+n-1 are the tiles x..x+n-1 of row
// y. It leaves the last tile of each row out.
func (g *grid) rows(at int, f func(from, n, x, y int)) {
	for i := 0; i < kernel.Lanes; {
		x, y := (at+i)%g.Stride, (at+i)/g.Stride
		if side*y >= g.height {
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

// ceil returns n / d, rounded up.
func ceil(n, d int) int { return (n + d - 1) / d }
