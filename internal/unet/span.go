package unet

import "github.com/blorc-denoise/blorc-denoise/internal/hugepage"

// Sizes in samples. They are rounded up so that all parts of an image put the same cells on the same samples.
const (
	tileSide = 1024 // largest side of the part of an image that is computed at a time
	border   = 16   // around the image
	inside   = 32   // more than that where the image goes on beside a part
)

// span is a part of the rows or columns of an image.
type span struct {
	from, to   int // computed
	start, end int // seen by the network; may lie outside of the image
}

// spans cuts n rows or columns. What the network sees has an even number of cells at the last level.
func (n *Network) spans(size int) (list []span) {
	unit := 2 * n.step()
	around := roundUp(border, n.step())
	margin := around + roundUp(inside, unit)
	part := roundUp(ceil(size, ceil(size, n.tile)), unit)
	for from := 0; from < size; from += part {
		s := span{from, min(from+part, size), from - margin, from + part + margin}
		if from == 0 {
			s.start = -around
		}
		if s.to == size {
			s.end = size + border
		}
		s.end = s.start + roundUp(s.end-s.start, unit)
		list = append(list, s)
	}
	return list
}

func roundUp(n, to int) int { return ceil(n, to) * to }

// mirror returns the place of a sample in an image that is mirrored at its first and last of n samples, again and
// again.
func mirror(i, n int) int {
	if n == 1 {
		return 0
	}
	i %= 2 * (n - 1)
	if i < 0 {
		i += 2 * (n - 1)
	}
	return min(i, 2*(n-1)-i)
}

// strip holds rows from..to-1 of the planes of an image, as they were before some were denoised.
type strip struct {
	width    int
	from, to int
	planes   [][]float32
}

// move makes the strip hold other rows, which start and end no earlier than those before. It reads no rows that it has
// held.
func (s *strip) move(image [][]float32, from, to int) {
	kept := max(s.to-from, 0)
	for i, p := range image {
		old := s.planes[i]
		s.planes[i] = hugepage.Grow(old, (to-from)*s.width)
		if kept > 0 {
			copy(s.planes[i], old[(from-s.from)*s.width:])
		}
		copy(s.planes[i][kept*s.width:], p[(from+kept)*s.width:to*s.width])
	}
	s.from, s.to = from, to
}

// row returns row y of a plane.
func (s *strip) row(plane, y int) []float32 {
	return s.planes[plane][(y-s.from)*s.width:][:s.width]
}
