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
	var rows square
	for j := range side {
		d := s[j*side:][:side]
		for f := range side {
			c, sum := &cosines[f], float32(0)
			for i, v := range d {
				sum += c[i] * v
			}
			rows[f*side+j] = sum
		}
	}
	for f := range side {
		d := rows[f*side:][:side]
		for k := range side {
			c, sum := &cosines[k], float32(0)
			for i, v := range d {
				sum += c[i] * v
			}
			s[k*side+f] = sum
		}
	}
}

// samples is the inverse of frequencies, in place.
func (s *square) samples() {
	var columns square
	for f := range side {
		for k := range side {
			c, v := &cosines[k], s[k*side+f]
			for j, w := range c {
				columns[f*side+j] += w * v
			}
		}
	}
	clear(s[:])
	for f := range side {
		c := &cosines[f]
		for j := range side {
			v := columns[f*side+j]
			row := s[j*side:][:side]
			for i, w := range c {
				row[i] += w * v
			}
		}
	}
}

// window falls to 0 towards the edges of a square; windows of squares that are step apart have the sum 1.
var window = func() (w [side]float32) {
	for i := range w {
		w[i] = float32(0.5 - 0.5*math.Cos(2*math.Pi*(float64(i)+0.5)/side))
	}
	return w
}()
