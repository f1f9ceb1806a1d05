package imageio

// filters tries the five filters of the PNG specification, section 9.2, on every row.
type filters struct {
	pixel      int       // bytes of a pixel
	row, above []byte    // each after a pixel of zeros, which the specification puts to the left of the first
	lines      [5][]byte // the row by each filter: the number of the filter, then its bytes
}

func newFilters(row, pixel int) *filters {
	f := &filters{pixel: pixel, row: make([]byte, pixel+row), above: make([]byte, pixel+row)}
	for i := range f.lines {
		f.lines[i] = make([]byte, 1+row)
		f.lines[i][0] = byte(i)
	}
	return f
}

// next returns the memory for the bytes of the next row. The current row becomes the one above.
func (f *filters) next() []byte {
	f.row, f.above = f.above, f.row
	return f.row[f.pixel:]
}

// best returns the row by the filter whose bytes have the least sum of magnitudes, taken as signed numbers. This is the
// choice that the specification recommends.
func (f *filters) best() []byte {
	// Slices of equal length remove the bounds checks from the loop.
	n := len(f.row) - f.pixel
	none, left, up, mean, nearest := f.lines[0][1:][:n], f.lines[1][1:][:n], f.lines[2][1:][:n], f.lines[3][1:][:n],
		f.lines[4][1:][:n]
	before, above, corner := f.row[:n], f.above[f.pixel:][:n], f.above[:n]
	var s0, s1, s2, s3, s4 int
	for i, v := range f.row[f.pixel:][:n] {
		a, b, c := before[i], above[i], corner[i]
		l, u, m, p := v-a, v-b, v-byte((int(a)+int(b))/2), v-paeth(a, b, c)
		none[i], left[i], up[i], mean[i], nearest[i] = v, l, u, m, p
		s0, s1, s2, s3, s4 = s0+magnitude(v), s1+magnitude(l), s2+magnitude(u), s3+magnitude(m), s4+magnitude(p)
	}
	best, sums := 0, [5]int{s0, s1, s2, s3, s4}
	for i, s := range sums {
		if s < sums[best] {
			best = i
		}
	}
	return f.lines[best]
}

func magnitude(v byte) int { return max(int(int8(v)), -int(int8(v))) }

// paeth returns the neighbour that is nearest to a + b - c, or the first of several that are equally near. It is
// written to compile without branches, because a processor cannot predict them in noise.
func paeth(a, b, c byte) byte {
	fromA, fromB := int(b)-int(c), int(a)-int(c)
	fromC := fromA + fromB
	fromA, fromB, fromC = max(fromA, -fromA), max(fromB, -fromB), max(fromC, -fromC)
	nearest := int(a)
	if fromB < fromA {
		nearest = int(b)
	}
	if fromC < min(fromA, fromB) {
		nearest = int(c)
	}
	return byte(nearest)
}
