package scan

import "math"

// strip holds all rows that the blocks in the same rows need, with the window around them. Samples outside the plane
// are +Inf.
type strip struct {
	pix    []float32
	pitch  int // samples from row to row
	rows   int
	origin int // index of the sample (0, y0) of the plane
}

// readBeyond is the largest number of samples that loops read to the right of the last column.
const readBeyond = 160

// at returns the index of the sample (x, y0+y) of the plane.
func (s *strip) at(x, y int) int { return s.origin + y*s.pitch + x }

// gather copies the rows y0 to y0+height-1 of a plane and the window around them. Margins are even, for downsample2,
// and the left margin is a multiple of Lanes. The pitch is an odd number of cache lines, which spreads the rows of a
// patch over the cache.
func (s *strip) gather(p Plane, y0, height, window int) {
	left, above := roundUp(window), window+window%2
	s.pitch = roundUp(left+p.Width+window+readBeyond) | Lanes
	s.rows = (2*above + height + 1) / 2 * 2
	s.origin = above*s.pitch + left
	s.pix = resize(s.pix, s.rows*s.pitch)
	for r := range s.rows {
		row := s.pix[r*s.pitch:][:s.pitch]
		y := y0 - above + r
		if y < 0 || y >= p.Height {
			fillOutside(row)
			continue
		}
		fillOutside(row[:left])
		copy(row[left:], p.Pix[y*p.Width:(y+1)*p.Width])
		fillOutside(row[left+p.Width:])
	}
}

func fillOutside(row []float32) {
	for i := range row {
		row[i] = float32(math.Inf(1))
	}
}

// downsample2 makes s another strip at half the size: each sample is the mean of 2 x 2 samples.
func (s *strip) downsample2(p *strip) {
	left := p.origin % p.pitch
	s.pitch = (p.pitch/2 + Lanes - 1) / Lanes * Lanes
	s.rows = p.rows / 2
	s.origin = p.origin/p.pitch/2*s.pitch + left/2
	s.pix = resize(s.pix, s.rows*s.pitch)
	for r := range s.rows {
		a, b := p.pix[2*r*p.pitch:][:p.pitch], p.pix[(2*r+1)*p.pitch:][:p.pitch]
		row := s.pix[r*s.pitch:][:s.pitch]
		n := p.pitch / 2
		fillOutside(row[n:])
		for i := range row[:n] {
			row[i] = ((a[2*i] + a[2*i+1]) + (b[2*i] + b[2*i+1])) * 0.25
		}
	}
}
