package patchify

import "github.com/blorc-denoise/blorc-denoise/internal/parallel"

// Alignment returns the height of a group of rows, for a stride of 1 to MaxPatchSize. All patches whose corner is in
// the same Alignment rows of a plane are summed, then the sums of the groups are added.
//
// Sums of float32 depend on the order of addition. Thanks to fixed groups, the results of Average do not
// depend on the number of workers. Also, a part of a plane that starts at multiples of Alignment, in x and in y, has
// the same sums as the plane itself. Alignment is even, so that this also holds for the part at half the size.
func Alignment(stride int) int {
	stride = min(max(stride, 1), MaxPatchSize)
	for a := MaxPatchSize; a <= commonAlignment; a += MaxPatchSize / 2 {
		if a%stride == 0 && commonAlignment%a == 0 {
			return a
		}
	}
	step := stride << (stride & 1)
	return (MaxPatchSize + step - 1) / step * step
}

// commonAlignment is a multiple of the alignments of the usual strides, so that stages with different strides still
// have a small common alignment.
const commonAlignment = 96

// Band is a part of a grid: some neighbouring groups of rows.
type Band struct {
	Grid          Grid // the Xs of the whole grid and a part of its Ys
	From          int  // number of the band's first patch in the whole grid
	first, groups int  // number of the first group of rows, and how many there are
}

// A band has about bandPatches patches. With more of them, the panels of rare kinds of patches would be fuller, but the
// samples must fit in the second-level cache. Bands are smaller to keep every worker busy, down to minBandPatches.
const (
	bandPatches    = 24_000
	minBandPatches = 8_000
)

// bands cuts a grid into bands. All workers get the same number of them, and several, so that they end at about the
// same time.
func (g Grid) bands(workers int) []Band {
	workers = parallel.Workers(workers)
	count := max(g.Len()/bandPatches+1, min(8*workers, g.Len()/minBandPatches))
	return g.cut((count + workers - 1) / workers * workers)
}

// Strips cuts a grid into bands of Alignment(g.Stride) rows of the plane: the bands of AggregateGroups.
func (g Grid) Strips() []Band { return g.strips(Alignment(g.Stride)) }

// highBands cuts a grid into one band for each worker, but into fewer if they had less than minBandPatches.
func (g Grid) highBands(workers int) []Band {
	return g.cut(max(1, min(parallel.Workers(workers), g.Len()/minBandPatches)))
}

// cut cuts a grid into at most count bands.
func (g Grid) cut(count int) []Band {
	span := Alignment(g.Stride)
	groups := g.Ys[len(g.Ys)-1]/span + 1
	bands := make([]Band, min(count, groups))
	count = len(bands)
	row := 0
	for i := range bands {
		first, end := i*groups/count, (i+1)*groups/count
		from := row
		for row < len(g.Ys) && g.Ys[row]/span < end {
			row++
		}
		bands[i] = Band{Grid{g.PatchSize, g.Stride, g.Xs, g.Ys[from:row]}, from * len(g.Xs), first, end - first}
	}
	return bands
}
