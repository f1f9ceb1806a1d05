package burst

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/dct"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// square holds the frequencies or the samples of a square.
type square [cells]float32

// cosines is the matrix of the transform.
var cosines = func() (m [side][side]float32) {
	for f := range side {
		for i := range side {
			m[f][i] = float32(dct.Element(side, f, i))
		}
	}
	return m
}()

// difference sets the square to the frequencies of what a shot adds to the reference at (x, y).
func (s *square) difference(from, to patchify.Plane, x, y int) {
	for j := range side {
		p, q := from.Row(y + j)[x:][:side], to.Row(y + j)[x:][:side]
		for i, v := range p {
			s[j*side+i] = q[i] - v
		}
	}
	s.frequencies()
}

// of sets the square to the frequencies of a plane at (x, y).
func (s *square) of(p patchify.Plane, x, y int) {
	for j := range side {
		copy(s[j*side:], p.Row(y + j)[x:][:side])
	}
	s.frequencies()
}

// frequencies replaces samples by their cosine transform.
func (s *square) frequencies() {
	*s = *s.transformed().transformed()
}

// transformed returns the transform along rows, as columns.
func (s *square) transformed() *square {
	var out square
	for j := range side {
		d := s[j*side:][:side]
		for f := range side {
			c, sum := &cosines[f], float32(0)
			for i, v := range d {
				sum += c[i] * v
			}
			out[f*side+j] = sum
		}
	}
	return &out
}

// samples is the inverse of frequencies, in place.
func (s *square) samples() { *s = *s.inverted().inverted() }

// inverted returns the inverse of the transform along columns, as rows.
func (s *square) inverted() *square {
	var out square
	for f := range side {
		row := out[f*side:][:side]
		for k := range side {
			v := s[k*side+f]
			for j, w := range cosines[k] {
				row[j] += w * v
			}
		}
	}
	return &out
}

// window falls to 0 towards the edges of a square; windows of squares that are step apart have the sum 1.
var window = func() (w [side]float32) {
	for i := range w {
		w[i] = float32(0.5 - 0.5*math.Cos(2*math.Pi*(float64(i)+0.5)/side))
	}
	return w
}()
