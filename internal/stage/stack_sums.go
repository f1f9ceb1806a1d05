package stage

import "github.com/blorc-denoise/blorc-denoise/internal/hugepage"

// stackSums hold sums of weighted patches of the groups of a band. Of each slot they have the rows that these patches
// cover.
type stackSums struct {
	field                  *field
	numerator, denominator []float32
	pitch                  int
	top, bottom, base      []int // for each slot its rows, and the place of the first
}

func newStackSums(f *field) stackSums {
	const line = 16 // an odd number of cache lines, so that the rows of a patch are spread over the cache
	return stackSums{field: f, pitch: (f.width+line-1)/line*line | line, top: make([]int, f.slots),
		bottom: make([]int, f.slots), base: make([]int, f.slots)}
}

// reset prepares for patches with the given corners.
func (s *stackSums) reset(corners []int32) {
	height, width := s.field.height, int32(s.field.width)
	for i := range s.top {
		s.top[i], s.bottom[i] = height, 0
	}
	for _, c := range corners {
		y := int(uint32(c) / uint32(width))
		slot := y / height
		y -= slot * height
		s.top[slot], s.bottom[slot] = min(s.top[slot], y), max(s.bottom[slot], y+nonLocalPatch)
	}
	n := 0
	for i := range s.base {
		s.base[i] = n
		n += max(0, s.bottom[i]-s.top[i]) * s.pitch
	}
	s.numerator, s.denominator = cleared(s.numerator, n), cleared(s.denominator, n)
}

// index returns the place of the sample with a corner.
func (s *stackSums) index(corner int32) int32 {
	y := int(uint32(corner) / uint32(s.field.width))
	x := int(corner) - y*s.field.width
	slot := y / s.field.height
	return int32(s.base[slot] + (y-slot*s.field.height-s.top[slot])*s.pitch + x)
}

// addTo adds the sums to those of the slots.
func (s *stackSums) addTo(numerator, denominator []float32) {
	for slot, at := range s.base {
		for y := s.top[slot]; y < s.bottom[slot]; y++ {
			to := (slot*s.field.height + y) * s.field.width
			addRow(numerator[to:], s.numerator[at:][:s.field.width])
			addRow(denominator[to:], s.denominator[at:][:s.field.width])
			at += s.pitch
		}
	}
}

func addRow(dst, src []float32) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] += v
	}
}

func cleared(v []float32, n int) []float32 {
	if cap(v) < n {
		return hugepage.Make[float32](n)
	}
	v = v[:n]
	clear(v)
	return v
}
