package patchify

import "github.com/blorc-denoise/blorc-denoise/internal/hugepage"

// Accumulator sums the patches of a band. Each group of the band has rows of its own, because neighbouring groups
// overlap.
type Accumulator struct {
	of          *aggregation
	band        Band
	span        int       // rows from group to group
	width       int       // of the plane
	pitch, rows int       // size of the memory of a group; rows start pitch samples apart
	slots       []int     // the place of each group in memory, or noSlot
	free        []int     // slots that no group needs
	finished    int       // number of groups whose means are written
	numerator   []float32 // slots x rows x pitch
	denominator []float32 // of the same size, or empty if patches have no weights
}

// noSlot is the slot of a group that has no memory.
const noSlot = -1

// reset sets the accumulator to zero for a band.
func (a *Accumulator) reset(of *aggregation, b Band) {
	a.of, a.band, a.span, a.width = of, b, Alignment(b.Grid.Stride), b.Grid.width()
	a.rows = a.span + b.Grid.PatchSize - 1
	a.pitch = pitchOf(a.width)
	a.slots, a.free, a.finished = a.slots[:0], a.free[:0], 0
	a.numerator, a.denominator = a.numerator[:0], a.denominator[:0]
	if of.inOrder {
		for range b.groups {
			a.slots = append(a.slots, noSlot)
		}
		return
	}
	for i := range b.groups {
		a.slots = append(a.slots, i)
	}
	n := b.groups * a.rows * a.pitch
	a.numerator = zeros(a.numerator, n)
	if of.weighted {
		a.denominator = zeros(a.denominator, n)
	}
}

// slot returns the slot of a group. A group that has none gets one with zeros.
func (a *Accumulator) slot(group int) int {
	if a.slots[group] == noSlot {
		a.slots[group] = a.newSlot()
	}
	return a.slots[group]
}

// newSlot returns a slot with zeros. It is for patches without weights.
func (a *Accumulator) newSlot() int {
	size := a.rows * a.pitch
	if last := len(a.free) - 1; last >= 0 {
		i := a.free[last]
		a.free = a.free[:last]
		clear(a.numerator[i*size:][:size])
		return i
	}
	i := len(a.numerator) / size
	if n := (i + 1) * size; n > cap(a.numerator) {
		more := hugepage.Make[float32](max(n, 2*cap(a.numerator)))
		copy(more, a.numerator)
		a.numerator = more[:n]
	} else {
		a.numerator = a.numerator[:n]
	}
	clear(a.numerator[i*size:])
	return i
}

// release frees the memory of a group.
func (a *Accumulator) release(group int) {
	a.free = append(a.free, a.slots[group])
	a.slots[group] = noSlot
}

// Done says that no patch with its corner above row y of the plane will be added to the band any more. In the bands of
// AverageHighBands, the sums of finished rows take no memory from then on.
func (a *Accumulator) Done(y int) {
	if a.of.inOrder {
		a.of.finish(a, min(y/a.span-a.band.first, a.band.groups-1))
	}
}

func zeros(v []float32, n int) []float32 {
	if cap(v) < n {
		return hugepage.Make[float32](n)
	}
	clear(v[:n])
	return v[:n]
}

// offset returns the index of the corner (x, y) of a patch.
func (a *Accumulator) offset(x, y int) int {
	return (a.slot(y/a.span-a.band.first)*a.rows+y%a.span)*a.pitch + x
}

// Add adds a weighted patch with the corner (x, y), a patch of the band's grid. It is for Aggregate.
func (a *Accumulator) Add(patch []float32, x, y int, weight float32) {
	size, at := a.band.Grid.PatchSize, a.offset(x, y)
	for r := range size {
		num, den := a.numerator[at:at+size], a.denominator[at:at+size]
		for c, v := range patch[r*size : (r+1)*size] {
			num[c] += weight * v
			den[c] += weight
		}
		at += a.pitch
	}
}

// AddLane adds a patch from one lane of a panel (see ExtractLane). It is for Average.
func (a *Accumulator) AddLane(panel []float32, lanes, lane, x, y int) {
	size, at := a.band.Grid.PatchSize, a.offset(x, y)
	from := lane
	for range size {
		sums := a.numerator[at : at+size]
		for c := range sums {
			sums[c] += panel[from]
			from += lanes
		}
		at += a.pitch
	}
}

// AddRun adds the patches of a run (see Grid.Runs) from neighbouring lanes, starting with the given one. It is for
// Average. The patches over a sample are added in the order of the grid, so the sums do not depend on where runs begin.
func (a *Accumulator) AddRun(panel []float32, lanes, lane int, xs []int, y int) {
	size, at := a.band.Grid.PatchSize, a.offset(0, y)
	for r := range size {
		for c := size - 1; c >= 0; c-- {
			row := panel[(r*size+c)*lanes+lane:][:len(xs)]
			sums := a.numerator[at+c : at+a.width]
			for i, x := range xs {
				sums[x] += row[i]
			}
		}
		at += a.pitch
	}
}

// Sums returns the sums, for work that adds patches itself, all with weight 1. Their rows start pitch samples apart.
func (a *Accumulator) Sums() (sums []float32, pitch int) { return a.numerator, a.pitch }

// Index returns the index in Sums of the corner (x, y) of a patch of the band's grid.
func (a *Accumulator) Index(x, y int) int32 { return int32(a.offset(x, y)) }

// slice returns the sums of the rows from to to-1 of group i.
func (a *Accumulator) slice(i, from, to int) (numerator, denominator []float32) {
	i = a.slot(i)
	from, to = (i*a.rows+from)*a.pitch, (i*a.rows+to)*a.pitch
	if len(a.denominator) > 0 {
		denominator = a.denominator[from:to]
	}
	return a.numerator[from:to], denominator
}

// addRows adds n rows of group j, starting with row s, to the rows of group i, starting with row r.
func (a *Accumulator) addRows(i, r, j, s, n int) {
	num, den := a.slice(i, r, r+n)
	num2, den2 := a.slice(j, s, s+n)
	addTo(num, num2)
	addTo(den, den2)
}

func addTo(dst, src []float32) {
	for i, v := range src {
		dst[i] += v
	}
}
