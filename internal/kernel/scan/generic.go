package scan

import "math"

// loops is one implementation of the loops. The plain Go versions have the documentation of the functions.
type loops struct {
	name    string
	maxList int // longest list that insert takes
	scan    func(hits []int32, near, sums, a, b, bounds []float32, places []int32, ys []int, size, columns,
		pitch int) int
	line   func(hits []int32, near, a, b []float32, bound float32, size, lanes, pitch int) int
	insert func(bounds, distances []float32, found, corners, hits []int32, near []float32, count, shift int)
}

var generic = loops{name: "go", maxList: math.MaxInt, scan: scan, line: line, insert: insert}

// scan computes, for each reference, the sum of squared differences of a and b over size x size samples. Where a sum is
// not above its bound, it writes the number of the reference to hits and the sum to near. It returns the number of
// hits.
//
// The references are in the rows ys. For each of these it first sums the columns of size samples, whose number is
// columns, and writes them to sums. places tells where the first column of each reference is in sums. Rows of a and b
// start pitch samples apart. It adds in the order of pairwise.
func scan(hits []int32, near, sums, a, b, bounds []float32, places []int32, ys []int, size, columns, pitch int) int {
	var memory [maxSize * maxColumns]float32
	for i, y := range ys {
		for r := range size {
			at := (y + r) * pitch
			square(memory[r*columns:][:columns], a[at:], b[at:])
		}
		pairwise(sums[i*columns:][:columns], memory[:], columns, size)
	}
	n := 0
	for i, bound := range bounds {
		if d := sumPairs(sums[places[i]:][:size]); d <= bound {
			hits[n], near[n] = int32(i), d
			n++
		}
	}
	return n
}

// Limits of the side of patches and of the number of columns.
const (
	maxSize    = 32
	maxColumns = 128
)

// line compares the patch at a with the patches at b, b[1:] and so on; their number is lanes. Where the squared
// distance is not above bound, it writes the number of the patch to hits and the distance to near. It returns the
// number of hits.
func line(hits []int32, near, a, b []float32, bound float32, size, lanes, pitch int) int {
	n := 0
	for i := range lanes {
		if d := distance(a, b[i:], bound, size, pitch); d <= bound {
			hits[n], near[n] = int32(i), d
			n++
		}
	}
	return n
}

// distance returns the squared distance of two patches. If that is above bound, it may return any value above bound:
// sums of squares only grow.
func distance(a, b []float32, bound float32, size, pitch int) float32 {
	return sumColumns(a, b, bound, size, size, pitch)
}

func sumColumns(a, b []float32, bound float32, n, size, pitch int) float32 {
	if n == 1 {
		return sumRows(a, b, size, pitch)
	}
	h := half(n)
	s := sumColumns(a, b, bound, h, size, pitch)
	if s <= bound {
		s += sumColumns(a[h:], b[h:], bound, n-h, size, pitch)
	}
	return s
}

func sumRows(a, b []float32, n, pitch int) float32 {
	if n == 1 {
		d := a[0] - b[0]
		return float32(d * d)
	}
	h := half(n)
	return sumRows(a, b, h, pitch) + sumRows(a[h*pitch:], b[h*pitch:], n-h, pitch)
}

// insert puts hits into the lists of their references and updates the bounds. The corner of the new patch is the corner
// of the reference plus shift. A list has count distances, in ascending order, and as many corners.
func insert(bounds, distances []float32, found, corners, hits []int32, near []float32, count, shift int) {
	for i, h := range hits {
		list := distances[int(h)*count:][:count]
		put(list, found[int(h)*count:][:count], near[i], corners[h]+int32(shift))
		bounds[h] = list[count-1]
	}
}

// put puts a patch into a list unless all patches of the list are nearer.
func put(distances []float32, found []int32, d float32, corner int32) {
	k := len(distances) - 1
	if distances[k] < d || distances[k] == d && found[k] < corner {
		return
	}
	for k > 0 && (distances[k-1] > d || distances[k-1] == d && found[k-1] > corner) {
		distances[k], found[k] = distances[k-1], found[k-1]
		k--
	}
	distances[k], found[k] = d, corner
}

func square(dst, a, b []float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		d := a[i] - b[i]
		dst[i] = d * d
	}
}

// sumPairs returns the pairwise sum of values.
func sumPairs(v []float32) float32 {
	switch len(v) {
	case 1:
		return v[0]
	case 4:
		return (v[0] + v[1]) + (v[2] + v[3])
	}
	h := half(len(v))
	return sumPairs(v[:h]) + sumPairs(v[h:])
}

// half returns the number of terms in the first part of a pairwise sum of n > 1 terms: the largest power of two below
// n.
func half(n int) int {
	h := 1
	for 2*h < n {
		h *= 2
	}
	return h
}

// pairwise sets dst to the sum of n rows of the given length: the pairwise sum of the first half(n) rows plus that of
// the other rows.
func pairwise(dst, rows []float32, length, n int) {
	switch n {
	case 1:
		copy(dst, rows)
	case 2:
		first, second := rows[:len(dst)], rows[length:][:len(dst)]
		for i := range dst {
			dst[i] = first[i] + second[i]
		}
	default:
		var memory [maxColumns]float32
		other := memory[:len(dst)]
		h := half(n)
		pairwise(dst, rows, length, h)
		pairwise(other, rows[h*length:], length, n-h)
		for i, v := range other {
			dst[i] += v
		}
	}
}
