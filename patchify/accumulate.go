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
	sums        []float32 // slots x rows x pitch
}

// noSlot is the slot of a group that has no memory.
const noSlot = -1

// reset sets the accumulator to zero for a band.
func (a *Accumulator) reset(of *aggregation, b Band) {
	a.of, a.band, a.span, a.width = of, b, Alignment(b.Grid.Stride), b.Grid.width()
	a.rows = a.span + b.Grid.PatchSize - 1
	a.pitch = pitchOf(a.width)
	a.slots, a.free, a.finished = a.slots[:0], a.free[:0], 0
	a.sums = a.sums[:0]
	if of.inOrder {
		for range b.groups {
			a.slots = append(a.slots, noSlot)
		}
		return
	}
	for i := range b.groups {
		a.slots = append(a.slots, i)
	}
	a.sums = zeros(a.sums, b.groups*a.rows*a.pitch)
}

// slot returns the slot of a group. A group that has none gets one with zeros.
func (a *Accumulator) slot(group int) int {
	if a.slots[group] == noSlot {
		a.slots[group] = a.newSlot()
	}
	return a.slots[group]
}

// newSlot returns a slot with zeros.
func (a *Accumulator) newSlot() int {
	size := a.rows * a.pitch
	if last := len(a.free) - 1; last >= 0 {
		i := a.free[last]
		a.free = a.free[:last]
		clear(a.sums[i*size:][:size])
		return i
	}
	i := len(a.sums) / size
	if n := (i + 1) * size; n > cap(a.sums) {
		more := hugepage.Make[float32](max(n, 2*cap(a.sums)))
		copy(more, a.sums)
		a.sums = more[:n]
	} else {
		a.sums = a.sums[:n]
	}
	clear(a.sums[i*size:])
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

// AddLane adds a patch from one lane of a panel (see ExtractLane).
func (a *Accumulator) AddLane(panel []float32, lanes, lane, x, y int) {
	size, at := a.band.Grid.PatchSize, a.offset(x, y)
	from := lane
	for range size {
		sums := a.sums[at : at+size]
		for c := range sums {
			sums[c] += panel[from]
			from += lanes
		}
		at += a.pitch
	}
}

// AddRun adds the patches of a run (see Grid.Runs) from neighbouring lanes, starting with the given one. The patches
// over a sample are added in the order of the grid, so the sums do not depend on where runs begin.
func (a *Accumulator) AddRun(panel []float32, lanes, lane int, xs []int, y int) {
	size, at := a.band.Grid.PatchSize, a.offset(0, y)
	for r := range size {
		for c := size - 1; c >= 0; c-- {
			row := panel[(r*size+c)*lanes+lane:][:len(xs)]
			sums := a.sums[at+c : at+a.width]
			for i, x := range xs {
				sums[x] += row[i]
			}
		}
		at += a.pitch
	}
}

// Sums returns the sums, for work that adds patches itself. Their rows start pitch samples apart.
func (a *Accumulator) Sums() (sums []float32, pitch int) { return a.sums, a.pitch }

// Index returns the index in Sums of the corner (x, y) of a patch of the band's grid.
func (a *Accumulator) Index(x, y int) int32 { return int32(a.offset(x, y)) }

// slice returns the sums of the rows from to to-1 of group i.
func (a *Accumulator) slice(i, from, to int) []float32 {
	i = a.slot(i)
	return a.sums[(i*a.rows+from)*a.pitch : (i*a.rows+to)*a.pitch]
}

// addRows adds n rows of group j, starting with row s, to the rows of group i, starting with row r.
func (a *Accumulator) addRows(i, r, j, s, n int) { addTo(a.slice(i, r, r+n), a.slice(j, s, s+n)) }

func addTo(dst, src []float32) {
	for i, v := range src {
		dst[i] += v
	}
}
