package estimate

import (
	"context"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// maxPatches bounds the work on a large image.
const maxPatches = 1 << 16

// grid lays overlapping patches over the planes of an image, as densely as maxPatches allows.
type grid struct {
	*dct
	planes        [][]float32
	width         int // of a plane
	step          int // from patch to patch
	columns, rows int // of patches in a plane
}

func newGrid(planes [][]float32, width, height, side int) *grid {
	step := gridStep(len(planes), width-side, height-side)
	return &grid{newDCT(side), planes, width, step, (width-side)/step + 1, (height-side)/step + 1}
}

// gridStep is at least 2: a denser grid of patches adds next to nothing.
func gridStep(planes, spanX, spanY int) int {
	step := 2
	for planes*(spanX/step+1)*(spanY/step+1) > maxPatches {
		step++
	}
	return step
}

// survey looks at all patches and returns those whose samples are finite.
func (g *grid) survey() []patch {
	all := make([]patch, len(g.planes)*g.rows*g.columns)
	bands := make([]band, parallel.Workers(0))
	_ = parallel.For(context.Background(), len(bands), len(g.planes)*g.rows, func(worker, row int) { // too short to stop
		bands[worker].measure(g, row, all[row*g.columns:][:g.columns])
	})
	return slices.DeleteFunc(all, func(p patch) bool { return !p.finite() })
}

// strip gives the samples of a row of patches, those of all planes being counted on, from its column x on.
func (g *grid) strip(row, x int) []float32 {
	return g.planes[row/g.rows][row%g.rows*g.step*g.width+x:]
}

// transform returns the coefficients of a patch, by vertical and horizontal frequency.
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

// column transforms the samples below the first one.
func (g *grid) column(samples []float32, out *line) {
	var in line
	for y := range g.side {
		in[y] = float64(samples[y*g.width])
	}
	g.forward(&in, out)
}

// across transforms what neighbouring columns have at one frequency.
func (g *grid) across(columns []line, v int, out *line) {
	var in line
	for x := range g.side {
		in[x] = columns[x][v]
	}
	g.forward(&in, out)
}

// band is scratch memory for a row of patches. Neighbours overlap, so whatever they share is done once for each column.
type band struct {
	down    []line  // transforms of the columns
	clipped []int32 // samples at 0 or 1 in all columns before
	same    []int32 // columns from here on that hold a single value
}

// measure fills in a row of patches.
func (b *band) measure(g *grid, row int, patches []patch) {
	b.look(g, g.strip(row, 0))
	for i := range patches {
		x := i * g.step
		p := &patches[i]
		p.order = int32(row*g.columns + i)
		p.clipped = uint8(b.clipped[x+g.side] - b.clipped[x])
		p.flat = int(b.same[x]) >= g.side
		var c line
		for v := range g.side {
			g.across(b.down[x:], v, &c)
			if v == 0 {
				c[0] = 0 // the mean
			}
			for _, a := range c[:g.side-v] {
				p.texture += a * a
			}
			for _, a := range c[g.side-v : g.side] {
				p.fine += a * a
			}
		}
	}
}

// look fills in the scratch memory.
func (b *band) look(g *grid, samples []float32) {
	if b.down == nil {
		b.down, b.clipped, b.same = make([]line, g.width), make([]int32, g.width+1), make([]int32, g.width+1)
	}
	for x := range g.width {
		g.column(samples[x:], &b.down[x])
	}
	for x := g.width - 1; x >= 0; x-- {
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
