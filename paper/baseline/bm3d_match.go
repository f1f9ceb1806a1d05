package baseline

import "github.com/blorc-denoise/blorc-denoise/patchify"

// match is a block that resembles a reference block.
type match struct {
	distance float32 // sum of squared differences
	at       int32   // index of the block's top left sample in the plane
}

// matches holds the blocks that are most similar to one reference block, in order of distance.
type matches []match

// add inserts m if it is among the most nearest blocks. If distances are equal, the block that came first stays ahead.
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

// search returns the groups of all reference blocks of size x size samples with corners (xs, ys), row by row. The first
// block of each group is the reference block. The threshold is on the mean squared difference. The plane is shifted
// against itself by each vector of the window; one pass then gives the distances of all reference blocks to the blocks
// at that shift.
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

// searchShift offers each reference block the block shifted by (dx, dy). The threshold is on the sum of squared
// differences, and columns is scratch memory of the width of the plane.
func searchShift(lists []matches, plane patchify.Plane, xs, ys []int, dx, dy, size, most int, threshold float32,
	columns []float32) {
	from, to := max(0, -dx), min(plane.Width, plane.Width-dx)
	if to-from < size {
		return
	}
	top := -1 // columns[x] is the sum of squared differences in column x over rows top..top+size-1
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

// addRows adds sign times the squared differences of rows first..end-1 to columns from..to-1.
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
