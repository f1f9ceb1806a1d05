package noisecurve

import (
	"context"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/blocks"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// side is the side of a block, in samples.
const side = blocks.Side

// maxBlocks bounds the work on a large image.
const maxBlocks = 1 << 15

// The frequencies of a block are divided by the sum of the vertical and the horizontal one, as blocks.Sums has them:
// from 3 to 7 they are coarse, from 8 to 14 fine, and from 11 to 14 the finest of these. Below 3 are slopes, which fine
// frequencies do not show. The constants count the frequencies of each kind.
const (
	coarseCount = 30
	fineCount   = 28
	finestCount = 10
)

// block is what is known of one place in one plane. The mean is that above the least sample of the image. The energies
// are means of squared coefficients: white noise has its variance in all three.
type block struct {
	mean, coarse, fine, finest float64
	order                      int32 // place on the grid; settles ties
	low, high                  uint8 // number of samples at the ends of the range
}

// grid lays overlapping blocks over the planes of an image, as densely as maxBlocks allows.
type grid struct {
	planes        [][]float32
	width, height int         // of a plane
	low, high     float32     // least and largest sample
	step          int         // from block to block
	columns, rows int         // of blocks in a plane
	covered       []int       // columns of samples that are in a block: on a coarse grid, most are in none
	brightness    []float32   // if it is not nil, blocks have their means in this plane
	colours       [][]float32 // if it is not nil, blocks are of differences of these planes
	opponents     []opponent  // their weights
}

func newGrid(planes [][]float32, width, height int, low, high float32) *grid {
	step := 2 // a denser grid adds next to nothing
	for len(planes)*((width-side)/step+1)*((height-side)/step+1) > maxBlocks {
		step++
	}
	g := &grid{planes: planes, width: width, low: low, high: high}
	g.lay(height, step)
	return g
}

// lay places blocks at each step on planes of a height.
func (g *grid) lay(height, step int) {
	g.height = height
	g.step, g.columns, g.rows = step, (g.width-side)/step+1, (height-side)/step+1
	g.covered = nil
	for x := range g.width {
		if x%step < side {
			g.covered = append(g.covered, x)
		}
	}
}

// density is the share of blocks that count as independent of each other: the fine frequencies of blocks that are half
// a side apart hardly depend on each other.
func (g *grid) density() float64 { return min(1, 4*float64(g.step*g.step)/(side*side)) }

// blocks measures the blocks whose samples are all finite. It returns those whose samples differ, and counts the
// others.
func (g *grid) blocks(workers int) (list []block, constant int) {
	all := make([]block, len(g.planes)*g.rows*g.columns)
	strips := make([]strip, parallel.Workers(workers))
	// too short to stop
	_ = parallel.For(context.Background(), len(strips), len(g.planes)*g.rows, func(worker, row int) {
		strips[worker].measure(g, row, all[row*g.columns:][:g.columns])
	})
	all = slices.DeleteFunc(all, func(b block) bool {
		sum := b.mean + b.coarse + b.fine
		return math.IsNaN(sum) || math.IsInf(sum, 0)
	})
	list = slices.DeleteFunc(all, func(b block) bool {
		if b.coarse+b.fine > 0 {
			return false
		}
		constant++
		return true
	})
	return list, constant
}

// strip is scratch memory for a row of blocks.
type strip struct {
	row        *blocks.Row
	low, high  []uint8   // samples at the ends of the range in each column
	difference []float32 // of colours
	light      []float32 // sums of the brightness of colours in each column
}

func (s *strip) measure(g *grid, row int, list []block) {
	if s.row == nil {
		s.row = blocks.NewRow(g.columns, g.step)
		s.low, s.high = make([]uint8, g.width), make([]uint8, g.width)
	}
	clear(s.low)
	clear(s.high)
	if at := row % g.rows * g.step * g.width; g.colours == nil {
		s.plane(g, g.planes[row/g.rows][at:])
	} else {
		s.colours(g, g.opponents[row/g.rows], at)
	}
	e := s.row.Energies()
	for i := range list {
		x := i * g.step
		b := energies(e, i)
		b.order = int32(row*g.columns + i)
		if g.brightness != nil {
			b.mean = blockMean(g.brightness, g.width, x, row%g.rows*g.step)
		}
		for j := range side {
			b.low += s.low[x+j]
			b.high += s.high[x+j]
		}
		if g.colours != nil {
			b.mean = s.lightOf(x) - float64(g.low)
		}
		list[i] = b
	}
}

// energies returns what the coefficients of a block say of it.
func energies(s blocks.Sums, i int) block {
	return block{mean: s.First[i] / side, coarse: s.Coarse[i] / coarseCount,
		fine: (s.Fine[i] + s.Finest[i]) / fineCount, finest: s.Finest[i] / finestCount}
}

// plane takes the first eight rows of samples.
func (s *strip) plane(g *grid, samples []float32) {
	for y := range side {
		row := samples[y*g.width:][:g.width]
		s.row.Set(y, row, float64(g.low))
		for _, x := range g.covered {
			if row[x] == g.low {
				s.low[x]++
			}
			if row[x] == g.high {
				s.high[x]++
			}
		}
	}
}
