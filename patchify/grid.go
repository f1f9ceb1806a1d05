package patchify

import "fmt"

// Grid holds the top-left corners of the patches of a plane: every Stride samples, and the last row and column of
// patches moved inwards so that they end exactly at the plane's edge. Every sample is in at least one patch as long as
// Stride <= PatchSize.
type Grid struct {
	PatchSize, Stride int
	Xs, Ys            []int
}

// NewGrid lays a grid over a plane of at least patchSize x patchSize samples (see Pad for smaller ones).
func NewGrid(width, height, patchSize, stride int) (Grid, error) {
	switch {
	case patchSize < 1:
		return Grid{}, fmt.Errorf("patch size %d is not positive", patchSize)
	case stride < 1 || stride > patchSize:
		return Grid{}, fmt.Errorf("stride %d is not in 1..%d", stride, patchSize)
	case width < patchSize || height < patchSize:
		return Grid{}, fmt.Errorf("plane of %d x %d is smaller than a patch of %d", width, height, patchSize)
	}
	return Grid{patchSize, stride, corners(width, patchSize, stride), corners(height, patchSize, stride)}, nil
}

func corners(length, patchSize, stride int) []int {
	last := length - patchSize
	c := make([]int, 0, last/stride+2)
	for i := 0; i < last; i += stride {
		c = append(c, i)
	}
	return append(c, last)
}

// Len is the number of patches.
func (g Grid) Len() int { return len(g.Xs) * len(g.Ys) }

// At returns the corner of patch i, counted row by row.
func (g Grid) At(i int) (x, y int) { return g.Xs[i%len(g.Xs)], g.Ys[i/len(g.Xs)] }

// Band is a run of consecutive rows of a grid and the rows of the plane that their patches cover.
type Band struct {
	Grid        Grid // same Xs, a part of Ys
	Top, Height int  // rows of the plane
}

// Bands cuts the grid into bands of the given number of grid rows (the last may have fewer). Neighbouring bands cover
// common rows of the plane when patches overlap.
func (g Grid) Bands(rows int) []Band {
	var bands []Band
	for r := 0; r < len(g.Ys); r += rows {
		ys := g.Ys[r:min(r+rows, len(g.Ys))]
		top := ys[0]
		bands = append(bands, Band{Grid{g.PatchSize, g.Stride, g.Xs, ys}, top, ys[len(ys)-1] + g.PatchSize - top})
	}
	return bands
}
