package patchify

import "fmt"

// MaxPatchSize bounds the side of patches.
const MaxPatchSize = 32

// Grid holds the top-left corners of the patches of a plane: every Stride samples, besides a first and a last row and
// column that begin and end exactly at the plane's edges. Every sample is in at least one patch as long as Stride <=
// PatchSize.
type Grid struct {
	PatchSize, Stride int
	Xs, Ys            []int
}

// NewGrid lays a grid over a plane of at least patchSize x patchSize samples (see Pad for smaller ones).
func NewGrid(width, height, patchSize, stride int) (Grid, error) {
	return NewGridAt(0, width, height, patchSize, stride)
}

// NewGridAt lays a grid whose corners are those that leave the remainder offset when divided by stride, besides those at
// the edges.
func NewGridAt(offset, width, height, patchSize, stride int) (Grid, error) {
	switch {
	case patchSize < 1 || patchSize > MaxPatchSize:
		return Grid{}, fmt.Errorf("patch size %d is not in 1..%d", patchSize, MaxPatchSize)
	case stride < 1 || stride > patchSize:
		return Grid{}, fmt.Errorf("stride %d is not in 1..%d", stride, patchSize)
	case width < patchSize || height < patchSize:
		return Grid{}, fmt.Errorf("plane of %d x %d is smaller than a patch of %d", width, height, patchSize)
	case offset < 0 || offset >= stride:
		return Grid{}, fmt.Errorf("offset %d is not in 0..%d", offset, stride-1)
	}
	return Grid{patchSize, stride, corners(offset, width, patchSize, stride), corners(offset, height, patchSize, stride)}, nil
}

func corners(offset, length, patchSize, stride int) []int {
	last := length - patchSize
	c := make([]int, 0, last/stride+3)
	if offset > 0 && last > 0 {
		c = append(c, 0)
	}
	for i := offset; i < last; i += stride {
		c = append(c, i)
	}
	return append(c, last)
}

// Len is the number of patches.
func (g Grid) Len() int { return len(g.Xs) * len(g.Ys) }

// At returns the corner of patch i, counted row by row.
func (g Grid) At(i int) (x, y int) { return g.Xs[i%len(g.Xs)], g.Ys[i/len(g.Xs)] }

// Runs cuts the patches from..to-1 into runs of neighbours: xs are the corners of a run on row y, and the first of them
// is patch i.
func (g Grid) Runs(from, to int, run func(i int, xs []int, y int)) {
	for i := from; i < to; {
		row, column := i/len(g.Xs), i%len(g.Xs)
		xs := g.Xs[column:min(len(g.Xs), column+to-i)]
		run(i, xs, g.Ys[row])
		i += len(xs)
	}
}

// width is that of the plane.
func (g Grid) width() int { return g.Xs[len(g.Xs)-1] + g.PatchSize }
