package baseline

import "github.com/blorc-denoise/blorc-denoise/patchify"

// match is a block that resembles a reference block: where it lies, and the sum of squared differences.
type match struct {
	distance float32
	at       int32 // index of its corner's sample
}

// matches holds the most similar blocks of one reference block, the nearest first.
type matches []match

// add keeps m if it is among the nearest. Of equal distances the earlier one wins.
func (l matches) add(m match, most int) matches {
	if len(l) < most {
		l = append(l, m)
	} else if m.distance >= l[most-1].distance {
		return l
	} else {
		l[most-1] = m
	}
	i := len(l) - 1
	for ; i > 0 && l[i-1].distance > m.distance; i-- {
		l[i] = l[i-1]
	}
	l[i] = m
	return l
}

// search finds the groups of all reference blocks with corners (xs, ys) in a plane: one list for each, row by row. Each
// block is the first of its own list. One shift of the plane against itself at a time gives the distances of that shift
// for all blocks.
func search(plane patchify.Plane, xs, ys []int, size, most int, threshold float32) []matches {
	lists := make([]matches, len(xs)*len(ys))
	room := make(matches, most*len(lists))
	for i := range lists {
		lists[i] = room[i*most : i*most : (i+1)*most]
		x, y := xs[i%len(xs)], ys[i/len(xs)]
		lists[i] = append(lists[i], match{-1, int32(y*plane.Width + x)})
	}
	columns := make([]float32, plane.Width)
	for dy := -bm3dWindow; dy <= bm3dWindow; dy++ {
		for dx := -bm3dWindow; dx <= bm3dWindow; dx++ {
			if dx != 0 || dy != 0 {
				searchShift(lists, plane, xs, ys, dx, dy, size, most, threshold*float32(size*size), columns)
			}
		}
	}
	return lists
}

// searchShift offers each block the one at distance (dx, dy).
func searchShift(lists []matches, plane patchify.Plane, xs, ys []int, dx, dy, size, most int, threshold float32, columns []float32) {
	from, to := max(0, -dx), min(plane.Width, plane.Width-dx)
	if to-from < size {
		return
	}
	top := -1 // columns holds sums of squared differences over the rows top..top+size-1
	for r, y := range ys {
		if y+dy < 0 || y+dy+size > plane.Height {
			continue
		}
		if top < 0 || y-top >= size {
			clear(columns)
			addRows(columns, plane, y, y+size, dx, dy, from, to, 1)
		} else {
			addRows(columns, plane, top+size, y+size, dx, dy, from, to, 1)
			addRows(columns, plane, top, y, dx, dy, from, to, -1)
		}
		top = y
		for c, x := range xs {
			if x < from || x+size > to {
				continue
			}
			d := float32(0)
			for _, v := range columns[x : x+size] {
				d += v
			}
			if i := r*len(xs) + c; d < threshold {
				lists[i] = lists[i].add(match{max(0, d), int32((y+dy)*plane.Width + x + dx)}, most)
			}
		}
	}
}

// addRows adds sign times the squared differences of rows first..end-1.
func addRows(columns []float32, plane patchify.Plane, first, end, dx, dy, from, to int, sign float32) {
	sums := columns[from:to]
	for y := first; y < end; y++ {
		a, b := plane.Row(y)[from:to], plane.Row(y + dy)[from+dx:to+dx]
		b = b[:len(a)]
		sums = sums[:len(a)]
		for i, v := range a {
			d := v - b[i]
			sums[i] += sign * d * d
		}
	}
}
