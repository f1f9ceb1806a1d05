package estimate

import (
	"context"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/blocks"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// maxPatches is the largest number of patches that are measured. It bounds the work on a large image.
const maxPatches = 1 << 16

// grid is a grid of overlapping patches on the planes of an image, as dense as maxPatches allows.
type grid struct {
	*lineDCT
	planes        [][]float32
	width         int // of a plane
	step          int // from one patch to the next, in samples
	columns, rows int // of patches in a plane
}

func newGrid(planes [][]float32, width, height, side int) *grid {
	step := gridStep(len(planes), width-side, height-side)
	return &grid{newDCT(side), planes, width, step, (width-side)/step + 1, (height-side)/step + 1}
}

// gridStep returns the smallest step of at least 2 with at most maxPatches patches. A denser grid hardly improves the
// result.
func gridStep(planes, spanX, spanY int) int {
	step := 2
	for planes*(spanX/step+1)*(spanY/step+1) > maxPatches {
		step++
	}
	return step
}

// survey measures all patches and returns those whose samples are finite.
func (g *grid) survey(workers int) []patch {
	all := make([]patch, len(g.planes)*g.rows*g.columns)
	bands := make([]band, parallel.Workers(workers))
	// short enough to run without a context
	_ = parallel.For(context.Background(), len(bands), len(g.planes)*g.rows, func(worker, row int) {
		bands[worker].measure(g, row, all[row*g.columns:][:g.columns])
	})
	return slices.DeleteFunc(all, func(p patch) bool { return !p.finite() })
}

// strip returns the samples from column x on of a row of patches. Rows are counted through all planes.
func (g *grid) strip(row, x int) []float32 {
	return g.planes[row/g.rows][row%g.rows*g.step*g.width+x:]
}

// transform returns the coefficients of a patch, indexed by vertical and then by horizontal frequency.
func (g *grid) transform(p patch) (result [maxSide]line) {
	samples := g.strip(int(p.order)/g.columns, int(p.order)%g.columns*g.step)
	var down [maxSide]line
	for x := range g.side {
		g.column(samples[x:], &down[x])
	}
	for v := range g.side {
		g.across(down[:], v, &result[v])
	}
	return result
}

// column transforms the first g.side samples of a column of the plane, from top to bottom.
func (g *grid) column(samples []float32, out *line) {
	var in line
	for y := range g.side {
		in[y] = float64(samples[y*g.width])
	}
	g.forward(&in, out)
}

// across transforms the coefficients of neighbouring columns at vertical frequency v.
func (g *grid) across(columns []line, v int, out *line) {
	var in line
	for x := range columns[:g.side] {
		in[x] = columns[x][v]
	}
	g.forward(&in, out)
}

// band is scratch memory for a row of patches. Neighbouring patches overlap, so what they share is computed once for
// each column.
type band struct {
	row     *blocks.Row // of patches of maxSide
	down    []line      // transforms of the columns of smaller patches
	clipped []int32     // for each column, the number of samples at 0 or 1 in all columns before it
	same    []int32     // for each column, the number of columns from it on that hold the same single value
}

// measure fills in the patches of a row.
func (b *band) measure(g *grid, row int, patches []patch) {
	samples := g.strip(row, 0)
	b.prepare(g, samples)
	texture, fine := b.energies(g, samples)
	for i := range patches {
		x := i * g.step
		patches[i] = patch{order: int32(row*g.columns + i), clipped: uint8(b.clipped[x+g.side] - b.clipped[x]),
			flat: int(b.same[x]) >= g.side, texture: texture[i], fine: fine[i]}
	}
}

// energies returns the energies of the lower and of the upper frequencies of each patch of a row.
func (b *band) energies(g *grid, samples []float32) (texture, fine []float64) {
	if g.side == maxSide {
		if b.row == nil {
			b.row = blocks.NewRow(g.columns, g.step)
		}
		for y := range maxSide {
			b.row.Set(y, samples[y*g.width:], 0)
		}
		return b.row.Halves()
	}
	if b.down == nil {
		b.down = make([]line, g.width)
	}
	for x := range b.down {
		g.column(samples[x:], &b.down[x])
	}
	texture, fine = make([]float64, g.columns), make([]float64, g.columns)
	for i := range texture {
		texture[i], fine[i] = g.energies(b.down[i*g.step:])
	}
	return texture, fine
}

// energies returns those of a patch whose columns have been transformed.
func (g *grid) energies(columns []line) (texture, fine float64) {
	var c line
	for v := range g.side {
		g.across(columns, v, &c)
		if v == 0 {
			c[0] = 0 // the mean
		}
		for _, a := range c[:g.side-v] {
			texture += a * a
		}
		for _, a := range c[g.side-v : g.side] {
			fine += a * a
		}
	}
	return texture, fine
}

// covers reports whether a patch may cover a column: on a coarse grid, most columns are in no patch.
func (g *grid) covers(x int) bool { return x%g.step < g.side }

// prepare fills in the scratch memory for a row of patches whose samples begin at samples[0].
func (b *band) prepare(g *grid, samples []float32) {
	if b.same == nil {
		b.clipped, b.same = make([]int32, g.width+1), make([]int32, g.width+1)
	}
	for x := g.width - 1; x >= 0; x-- {
		if !g.covers(x) {
			b.clipped[x], b.same[x] = 0, 0
			continue
		}
		clipped, same := int32(0), int32(1)
		for y := range g.side {
			sample := samples[y*g.width+x]
			if sample == 0 || sample == 1 {
				clipped++
			}
			if sample != samples[x] {
				same = 0
			}
		}
		b.clipped[x] = clipped
		if same == 1 && x+1 < g.width && samples[x+1] == samples[x] {
			same += b.same[x+1]
		}
		b.same[x] = same
	}
	total := int32(0)
	for x, n := range b.clipped {
		b.clipped[x] = total
		total += n
	}
}
