package scan

// kernel is one implementation of the loops. The functions are described at their plain Go twins.
type kernel struct {
	name string
	scan func(hits []int32, near, squares, a, b, bounds []float32, ys []int, size, rows, lanes, pitch int) int
}

var twin = kernel{name: "go", scan: scan}

// scan sums squared differences of a and b over the size x size samples from each reference and writes which sums are at
// most as high as their bound, with the sums, to hits and near. It returns how many they are. The corner of reference i
// is in row ys[i/lanes] and column i%lanes; a and b have rows pitch apart. Sums are pairwise: see pairwise.
func scan(hits []int32, near, squares, a, b, bounds []float32, ys []int, size, rows, lanes, pitch int) int {
	columns := lanes + (size-1+Lanes-1)/Lanes*Lanes
	for r := range rows {
		square(squares[r*columns:][:columns], a[r*pitch:], b[r*pitch:])
	}
	n := 0
	var sums [2 * 128]float32
	for i, y := range ys {
		down := sums[:columns]
		pairwise(down, squares[y*columns:], columns, size)
		box(down, size)
		for x, bound := range bounds[i*lanes : (i+1)*lanes] {
			if down[x] <= bound {
				hits[n], near[n] = int32(i*lanes+x), down[x]
				n++
			}
		}
	}
	return n
}

func square(dst, a, b []float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		d := a[i] - b[i]
		dst[i] = d * d
	}
}

// half is where a sum of n terms is cut in two: the largest power of two below n.
func half(n int) int {
	h := 1
	for 2*h < n {
		h *= 2
	}
	return h
}

// pairwise sets dst to the sum of n rows of the given length: that of the first half(n) rows plus that of the others.
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
		var memory [128]float32
		other := memory[:len(dst)]
		h := half(n)
		pairwise(dst, rows, length, h)
		pairwise(other, rows[h*length:], length, n-h)
		for i, v := range other {
			dst[i] += v
		}
	}
}

// box sets v[i] to the sum of n values from i on, pairwise like rows, in place: the last n-1 values are of no use.
func box(v []float32, n int) {
	if n == 1 {
		return
	}
	h := half(n)
	if h == n-h {
		box(v, h)
		for i := range v[:len(v)-h] {
			v[i] += v[i+h]
		}
		return
	}
	var memory [128]float32
	other := memory[:len(v)]
	copy(other, v)
	box(v, h)
	box(other, n-h)
	for i := range v[:len(v)-h] {
		v[i] += other[i+h]
	}
}
