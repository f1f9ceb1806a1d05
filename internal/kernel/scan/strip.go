package scan

import "math"

// strip is all rows that blocks of the same height need, with the window around them; outside of the plane it is +Inf.
type strip struct {
	pix    []float32
	pitch  int // samples from row to row
	rows   int
	origin int // of the sample (0, y0) of the plane
}

// widest is what loops read at most to the right of the last column.
const widest = 160

// at is where the sample (x, y0+y) of the plane lies.
func (s *strip) at(x, y int) int { return s.origin + y*s.pitch + x }

// gather copies the rows from y0 to y0+height-1 of a plane and what is around them. Margins are even, for halve, and the
// one on the left is a whole number of vectors. A pitch of an odd number of cache lines spreads the rows of a patch over
// the cache.
func (s *strip) gather(p Plane, y0, height, window int) {
	left, above := roundUp(window), window+window%2
	s.pitch = roundUp(left+p.Width+window+widest) | Lanes
	s.rows = (2*above + height + 1) / 2 * 2
	s.origin = above*s.pitch + left
	s.pix = resize(s.pix, s.rows*s.pitch)
	for r := range s.rows {
		row := s.pix[r*s.pitch:][:s.pitch]
		y := y0 - above + r
		if y < 0 || y >= p.Height {
			outside(row)
			continue
		}
		outside(row[:left])
		copy(row[left:], p.Pix[y*p.Width:(y+1)*p.Width])
		outside(row[left+p.Width:])
	}
}

func outside(row []float32) {
	for i := range row {
		row[i] = float32(math.Inf(1))
	}
}

// halve makes s half the size of another strip: each sample is the mean of 2 x 2.
func (s *strip) halve(p *strip) {
	left := p.origin % p.pitch
	s.pitch = (p.pitch/2 + Lanes - 1) / Lanes * Lanes
	s.rows = p.rows / 2
	s.origin = p.origin/p.pitch/2*s.pitch + left/2
	s.pix = resize(s.pix, s.rows*s.pitch)
	for r := range s.rows {
		a, b := p.pix[2*r*p.pitch:][:p.pitch], p.pix[(2*r+1)*p.pitch:][:p.pitch]
		row := s.pix[r*s.pitch:][:s.pitch]
		n := p.pitch / 2
		outside(row[n:])
		for i := range row[:n] {
			row[i] = ((a[2*i] + a[2*i+1]) + (b[2*i] + b[2*i+1])) * 0.25
		}
	}
}
