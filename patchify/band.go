package patchify

// Alignment returns the height of a group of rows: all patches with their corner in the same Alignment rows of a plane
// are summed, then the sums of the groups are added. Sums of float32 depend on how they are grouped. Fixed groups make
// the result of Aggregate and Average depend neither on the number of workers nor on the bands that they take, and a
// part of a plane that starts at multiples of Alignment, in x and in y, has the same sums as the plane itself. It is even,
// so that the part has the same samples at half the size, too.
func Alignment(stride int) int {
	for a := MaxPatchSize; a <= commonAlignment; a += MaxPatchSize / 2 {
		if a%stride == 0 && commonAlignment%a == 0 {
			return a
		}
	}
	step := stride << (stride & 1)
	return (MaxPatchSize + step - 1) / step * step
}

// commonAlignment is a multiple of the alignments of the usual strides, so that stages of different strides still have a
// small alignment in common.
const commonAlignment = 96

// Band is a part of a grid: the rows of some neighbouring groups.
type Band struct {
	Grid          Grid // same Xs, a part of Ys
	From          int  // number of its first patch in the grid
	first, groups int
}

// bandPatches is how many patches a band has about. More of them fill the panels of rare kinds of patches better, but
// their samples have to fit in the second-level cache.
// Fewer than fewPatches only serve to keep every worker busy.
const (
	bandPatches = 24_000
	fewPatches  = 8_000
)

// bands cuts a grid for a number of workers: as many bands for each of them, and several, so that all end at about the
// same time.
func (g Grid) bands(workers int) []Band {
	span := Alignment(g.Stride)
	groups := g.Ys[len(g.Ys)-1]/span + 1
	count := max(g.Len()/bandPatches+1, min(8*workers, g.Len()/fewPatches))
	count = min((count+workers-1)/workers*workers, groups)
	bands := make([]Band, count)
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
