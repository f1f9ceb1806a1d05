package mask

import "slices"

// bridge is the length of gaps, in samples, up to which the samples beside a gap say enough about it.
const bridge = 8

// Fill replaces single samples of a plane that are marked by the median of those around them, and others by a
// reflection of the picture beside them, which goes on with its slope. It keeps the noise of the picture, with its
// strength, its grain and the steps between samples: a smooth patch would have none, and all samples that are filled in
// have values of the picture. A plane without other samples stays as it is.
func (m *Mask) Fill(plane []float32, width, height int) {
	if m.Len() == 0 || m.Len() == len(plane) {
		return
	}
	f := filler{plane, width, height, m, Mask{slices.Clone(m.words), m.marked}, some(plane, m)}
	for rows := true; f.open.marked > 0; rows = !rows {
		if rows {
			for y := range height {
				f.fill(line{y * width, 1, width})
			}
			continue
		}
		for x, open := range f.columns() {
			if open {
				f.fill(line{x, width, height})
			}
		}
	}
}

// columns tells which columns are not filled in yet.
func (f *filler) columns() []bool {
	open := make([]bool, f.width)
	for i := range f.open.All() {
		open[i%f.width] = true
	}
	return open
}

type filler struct {
	plane         []float32
	width, height int
	marked        *Mask
	open          Mask      // what is still to be filled in
	values        []float32 // of the picture, sorted
}

// line is a row or a column of a plane.
type line struct{ first, step, n int }

func (l line) at(i int) int { return l.first + i*l.step }

// fill fills the gaps of a line as far as the picture beside each reaches. The lines across fill the rest.
func (f *filler) fill(l line) {
	before := f.count(l, 0, false) // samples of picture before the gap
	for i := before; i < l.n; {
		n := f.count(l, i, true)
		after := f.count(l, i+n, false)
		f.gap(l, i, n, before, after)
		before = after
		i += n + after
	}
}

// count returns how many samples from i on are open, or not.
func (f *filler) count(l line, i int, open bool) (n int) {
	if l.step == 1 {
		return f.open.run(l.at(i), l.n-i, open)
	}
	for i+n < l.n && f.open.Has(l.at(i+n)) == open {
		n++
	}
	return n
}

// gap fills n samples from one on with the reflection of the picture before or after it, whichever is nearer.
func (f *filler) gap(l line, from, n, before, after int) {
	if n == 1 && f.single(l.at(from)) {
		return
	}
	before, after = min(before, n), min(after, n)
	middle := min(max(n/2, n-after), before) // from where on it is the picture after the gap
	if middle > 0 {
		slope := f.slope(l, from-1, n)
		for k := range middle {
			f.put(l, from+k, from-1-k, slope)
		}
	}
	if middle = max(middle, n-after); middle < n {
		slope := f.slope(l, from+n, n)
		for k := middle; k < n; k++ {
			f.put(l, from+k, from+n+(n-1-k), slope)
		}
	}
}

// single fills a sample with the median of those of the picture around it, the lower one of two. It is false if there
// are few.
func (f *filler) single(at int) bool {
	var memory [8]float32
	near := memory[:0]
	x, y := at%f.width, at/f.width
	for row := max(y-1, 0); row <= min(y+1, f.height-1); row++ {
		for column := max(x-1, 0); column <= min(x+1, f.width-1); column++ {
			if j := row*f.width + column; !f.marked.Has(j) {
				near = append(near, f.plane[j])
			}
		}
	}
	if len(near) < 4 {
		return false
	}
	slices.Sort(near)
	f.set(at, near[(len(near)-1)/2])
	return true
}

// put fills sample i with a reflected one and the slope between both. If the picture has no such value, it goes without
// the slope.
func (f *filler) put(l line, i, source int, slope float64) {
	at := l.at(i)
	v := f.plane[l.at(source)]
	if slope != 0 {
		distance := float64(min(max(i-source, -2*bridge), 2*bridge))
		v = f.nearest(v, float32(float64(v)+slope*distance))
	}
	f.set(at, v)
}

func (f *filler) set(at int, v float32) {
	f.plane[at] = v
	f.open.words[at/64] &^= 1 << (at % 64)
	f.open.marked--
}

// nearest returns the value of the picture that is nearest to one, or the other if that is outside of its range.
func (f *filler) nearest(other, v float32) float32 {
	last := len(f.values) - 1
	if last < 0 || !(v > f.values[0] && v < f.values[last]) {
		return other
	}
	i, _ := slices.BinarySearch(f.values, v)
	if i > 0 && v-f.values[i-1] < f.values[i]-v {
		i--
	}
	return f.values[i]
}

// slope returns the slope of the picture along a line at a sample beside a gap of n samples: that of the plane which
// fits it best. Short gaps need none.
func (f *filler) slope(l line, i, n int) float64 {
	if n <= bridge {
		return 0
	}
	at := l.at(i)
	var s sums
	x, y := at%f.width, at/f.width
	for row := max(y-bridge, 0); row <= min(y+bridge, f.height-1); row++ {
		for column := max(x-bridge, 0); column <= min(x+bridge, f.width-1); column++ {
			if j := row*f.width + column; !f.marked.Has(j) {
				s.add(float64(column-x), float64(row-y), float64(f.plane[j])-float64(f.plane[at]))
			}
		}
	}
	across, down := s.slopes()
	if l.step == 1 {
		return across
	}
	return down
}

// sums are what a plane is fitted from.
type sums struct{ n, x, y, v, xx, xy, yy, xv, yv float64 }

func (s *sums) add(x, y, v float64) {
	s.n++
	s.x, s.y, s.v = s.x+x, s.y+y, s.v+v
	s.xx, s.xy, s.yy = s.xx+x*x, s.xy+x*y, s.yy+y*y
	s.xv, s.yv = s.xv+x*v, s.yv+y*v
}

// slopes returns the slopes of the plane, or 0 if there are too few samples.
func (s *sums) slopes() (across, down float64) {
	if s.n < bridge*bridge {
		return 0, 0
	}
	mx, my := s.x/s.n, s.y/s.n
	xx, xy, yy := s.xx-mx*s.x, s.xy-mx*s.y, s.yy-my*s.y
	xv, yv := s.xv-mx*s.v, s.yv-my*s.v
	det := xx*yy - xy*xy
	if !(det > 0.01*xx*yy) { // all in a line
		return 0, 0
	}
	return (xv*yy - yv*xy) / det, (yv*xx - xv*xy) / det
}
