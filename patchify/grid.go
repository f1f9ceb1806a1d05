package patchify

import "math"

// MaxPatchSize is the largest side of a patch.
const MaxPatchSize = 32

// Grid holds the top-left corners of the patches of a plane: those (x, y) with x in Xs and y in Ys. Corners are Stride
// samples apart, except that the first and last row and column of patches lie exactly at the edges of the plane. As
// Stride is at most PatchSize, every sample is in at least one patch. WithRows changes the distance of rows.
type Grid struct {
	PatchSize, Stride int
	Xs, Ys            []int
}

// NewGrid returns a grid for a plane of width x height samples, whose corners are multiples of the stride, except at
// the right and bottom edges. The plane must have at least patchSize x patchSize samples; see Pad for smaller ones.
func NewGrid(width, height, patchSize, stride int) (Grid, error) {
	return NewGridAt(0, width, height, patchSize, stride)
}

// NewGridAt is like NewGrid, but all corners except those at the edges have the remainder offset when divided by the
// stride.
func NewGridAt(offset, width, height, patchSize, stride int) (Grid, error) {
	if err := checkSizes(patchSize, stride); err != nil {
		return Grid{}, err
	}
	switch {
	case width > math.MaxInt32 || height > math.MaxInt32:
		return Grid{}, badArgument("plane of %d x %d is too large", width, height)
	case width < patchSize || height < patchSize:
		return Grid{}, badArgument("plane of %d x %d is smaller than a patch of %d", width, height, patchSize)
	case offset < 0 || offset >= stride:
		return Grid{}, badArgument("offset %d is not in 0..%d", offset, stride-1)
	}
	return Grid{patchSize, stride, corners(offset, width, patchSize, stride),
		corners(offset, height, patchSize, stride)}, nil
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

// WithRows returns the grid with rows of patches that are stride samples apart, like the columns of NewGridAt with that
// offset. A part of a plane then has the patches of the whole plane if its top edge is a multiple of both
// Alignment(g.Stride) and Alignment(stride).
func (g Grid) WithRows(offset, stride int) (Grid, error) {
	if err := g.Validate(); err != nil {
		return g, err
	}
	height := g.Ys[len(g.Ys)-1] + g.PatchSize
	rows, err := NewGridAt(offset, g.PatchSize, height, g.PatchSize, stride)
	g.Ys = rows.Ys
	return g, err
}

// Len returns the number of patches.
func (g Grid) Len() int { return len(g.Xs) * len(g.Ys) }

// At returns the corner of patch i. Patches are numbered row by row.
func (g Grid) At(i int) (x, y int) { return g.Xs[i%len(g.Xs)], g.Ys[i/len(g.Xs)] }

// Runs calls run for the patches from to to-1, one call for all those in the same row: xs and y are their corners, and
// the number of the first is i.
func (g Grid) Runs(from, to int, run func(i int, xs []int, y int)) {
	for i := from; i < to; {
		row, column := i/len(g.Xs), i%len(g.Xs)
		xs := g.Xs[column:min(len(g.Xs), column+to-i)]
		run(i, xs, g.Ys[row])
		i += len(xs)
	}
}

// width returns the width of the plane.
func (g Grid) width() int { return g.Xs[len(g.Xs)-1] + g.PatchSize }
