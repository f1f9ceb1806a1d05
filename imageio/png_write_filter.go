package imageio

// filters are the five of the PNG specification, section 9.2, tried on every row.
type filters struct {
	pixel      int       // bytes
	row, above []byte    // behind a pixel of zeros, which is what the specification has left of the first
	lines      [5][]byte // of the row: the number of the filter, then its bytes
}

func newFilters(row, pixel int) *filters {
	f := &filters{pixel: pixel, row: make([]byte, pixel+row), above: make([]byte, pixel+row)}
	for i := range f.lines {
		f.lines[i] = make([]byte, 1+row)
		f.lines[i][0] = byte(i)
	}
	return f
}

// next is where the bytes of the next row belong. The one before is then the one above.
func (f *filters) next() []byte {
	f.row, f.above = f.above, f.row
	return f.row[f.pixel:]
}

// best gives the row by the filter whose bytes are smallest in sum, taken as signed numbers, which is the
// choice that the specification advises.
func (f *filters) best() []byte {
	// Slices of one length spare the loop its checks.
	n := len(f.row) - f.pixel
	none, left, up, mean, paeth := f.lines[0][1:][:n], f.lines[1][1:][:n], f.lines[2][1:][:n], f.lines[3][1:][:n], f.lines[4][1:][:n]
	before, above, corner := f.row[:n], f.above[f.pixel:][:n], f.above[:n]
	var s0, s1, s2, s3, s4 int
	for i, v := range f.row[f.pixel:][:n] {
		a, b, c := before[i], above[i], corner[i]
		l, u, m, p := v-a, v-b, v-byte((int(a)+int(b))/2), v-paethOf(a, b, c)
		none[i], left[i], up[i], mean[i], paeth[i] = v, l, u, m, p
		s0, s1, s2, s3, s4 = s0+size8(v), s1+size8(l), s2+size8(u), s3+size8(m), s4+size8(p)
	}
	best, sums := 0, [5]int{s0, s1, s2, s3, s4}
	for i, s := range sums {
		if s < sums[best] {
			best = i
		}
	}
	return f.lines[best]
}

func size8(v byte) int { return max(int(int8(v)), -int(int8(v))) }

// paethOf is whichever of the three neighbours is nearest to a + b - c, the first of those that are equally near. It is
// written so that it needs no branches, which nobody could predict in noise.
func paethOf(a, b, c byte) byte {
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
