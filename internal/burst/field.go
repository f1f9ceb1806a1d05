package burst

import (
	"context"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/quantile"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// A shutter that rolls and things at several distances move parts of a picture by another pixel or two. Blocks find
// that, each for itself.

const (
	blockSide  = 64  // of the picture, in samples
	maxBlock   = 3   // by how many samples a block moves at most beyond the turn
	blockSteps = 5   // how often the fit of a block is repeated
	stiff      = 0.5 // how much slope a block must have to move, in variances of the differences
)

// field is a turn, and the moves of a grid of blocks beyond it.
type field struct {
	turn
	view          view
	columns, rows int // of the nodes, which are blockSide apart, from the corner of the picture on
	moves         [][2]float64
}

// at returns by how much a sample of the picture has moved.
func (f *field) at(x, y int) (dx, dy float64) {
	dx, dy = f.turn.at(f.view.unit(x, y))
	u, v := float64(x)/blockSide, float64(y)/blockSide
	i, j := min(int(u), f.columns-2), min(int(v), f.rows-2)
	u, v = u-float64(i), v-float64(j)
	for k, w := range [4]float64{(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v} {
		m := f.moves[(j+k/2)*f.columns+i+k%2]
		dx += w * m[0]
		dy += w * m[1]
	}
	return dx, dy
}

// field returns how a shot has moved in each place.
func (a *aligner) field(ctx context.Context, shot []patchify.Plane) (*field, error) {
	f := &field{turn: a.turn(ctx, shot), view: a.view(0)}
	size := a.levels[0]
	f.columns, f.rows = (size.Width-1)/blockSide+2, (size.Height-1)/blockSide+2
	f.moves = make([][2]float64, f.columns*f.rows)
	level := min(1, len(a.levels)-1) // noise is weaker there
	alongX, alongY := slopes(shot[level])
	err := parallel.For(ctx, a.workers, len(f.moves), func(_, i int) {
		f.moves[i] = a.block(level, f, i%f.columns, i/f.columns, shot[level], alongX, alongY)
	})
	f.moves = f.smooth()
	return f, err
}

// block returns by how much the block around a node moves beyond the turn.
func (a *aligner) block(level int, f *field, column, row int, shot, alongX, alongY patchify.Plane) (move [2]float64) {
	from, w := a.levels[level], a.view(level)
	side := int(blockSide / w.size)
	x0, x1 := max(0, column*side-side), min(from.Width, column*side+side)
	y0, y1 := max(0, row*side-side), min(from.Height, row*side+side)
	limit := math.Inf(1)
	var far []float64
	for range blockSteps {
		e := equations{n: 3}
		far = far[:0]
		squares := 0.0
		for y := y0; y < y1; y++ {
			for x := x0; x < x1; x++ {
				dx, dy := f.turn.at(w.unit(x, y))
				at, ok := placeAt(shot, float64(x)+(dx+move[0])/w.size, float64(y)+(dy+move[1])/w.size)
				if !ok {
					continue
				}
				missing := float64(from.Row(y)[x] - at.of(shot))
				far = append(far, math.Abs(missing))
				weight := trust(missing, limit)
				squares += weight * missing * missing
				e.add([]float64{float64(at.of(alongX)) / w.size, float64(at.of(alongY)) / w.size, -1}, missing, weight)
			}
		}
		x, ok := e.solve(stiff*squares/(w.size*w.size) + 1e-9)
		if !ok {
			return [2]float64{}
		}
		limit = farOff * quantile.Median(slices.Clone(far))
		move[0], move[1] = move[0]+x[0], move[1]+x[1]
		if math.Hypot(move[0], move[1]) > maxBlock {
			return [2]float64{}
		}
		if math.Hypot(x[0], x[1]) < enough*w.size {
			break
		}
	}
	return move
}

// smooth returns the medians of moves and their neighbours.
func (f *field) smooth() [][2]float64 {
	out := make([][2]float64, len(f.moves))
	for y := range f.rows {
		for x := range f.columns {
			var near [2][]float64
			for j := max(0, y-1); j <= min(f.rows-1, y+1); j++ {
				for i := max(0, x-1); i <= min(f.columns-1, x+1); i++ {
					for k, v := range f.moves[j*f.columns+i] {
						near[k] = append(near[k], v)
					}
				}
			}
			out[y*f.columns+x] = [2]float64{quantile.Median(near[0]), quantile.Median(near[1])}
		}
	}
	return out
}
