package level

import "math"

const (
	windowSide = 64 // of the squares that are looked at, in samples
	blockSide  = 8
	scales     = 3 // full, half and quarter size
	bands      = 5 // of frequencies, from coarse to fine
)

// bandOf is the band of a frequency, by the sum of its vertical and horizontal parts. The mean has none.
var bandOf = [15]int{-1, 0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 4}

// bandSize is the number of frequencies in a band.
var bandSize = func() (n [bands]float32) {
	for u := range blockSide {
		for v := range blockSide {
			if b := bandOf[u+v]; b >= 0 {
				n[b]++
			}
		}
	}
	return n
}()

// origins are the positions of the blocks of a window at a scale, on each axis. At full size half of them are those of
// a JPEG file and half lie between; the latter pair up among themselves.
var origins = [scales][]int{{0, 16, 32, 48, 4, 20, 36, 52}, {0, 6, 12, 18, 24}, {0, 2, 4, 6, 8}}

// perWindow is the number of blocks of a window at a scale.
var perWindow = [scales]int{32, 25, 25}

// block is what is known of an 8 x 8 block. Energies are mean squares of DCT coefficients in gray levels of 0-255.
type block struct {
	mean   float32 // of red, green and blue, in gray levels
	luma   [bands]float32
	chroma [bands]float32 // mean of both planes
	ok     bool           // finite, neither black nor white
	flat   bool           // all samples are equal
	form   form
}

// look measures the blocks of the window whose upper left sample is at x, y.
func (p *picture) look(s *scratch, x, y int, out *[scales][]block) {
	s.load(p, x, y)
	side := windowSide
	for scale := range scales {
		if scale > 0 {
			s.halve(len(p.planes), side)
			side /= 2
		}
		i := 0
		for _, by := range origins[scale] {
			for _, bx := range origins[scale] {
				if scale == 0 && bx%8 != by%8 {
					continue
				}
				out[scale][i] = s.measure(len(p.planes), side, by*side+bx)
				i++
			}
		}
	}
}

// scratch holds the planes of a window: luma and two of chroma, all in gray levels, rotated orthonormally.
type scratch struct {
	planes [3][windowSide * windowSide]float32
}

var (
	root2 = float32(math.Sqrt2)
	root3 = float32(math.Sqrt(3))
	root6 = float32(math.Sqrt(6))
)

func (s *scratch) load(p *picture, x, y int) {
	for row := range windowSide {
		from := (y+row)*p.width + x
		to := row * windowSide
		if len(p.planes) == 1 {
			for i, v := range p.planes[0][from : from+windowSide] {
				s.planes[0][to+i] = 255 * v
			}
			continue
		}
		r, g, b := p.planes[0][from:][:windowSide], p.planes[1][from:][:windowSide], p.planes[2][from:][:windowSide]
		for i := range windowSide {
			s.planes[0][to+i] = (r[i] + g[i] + b[i]) * (255 / root3)
			s.planes[1][to+i] = (r[i] - b[i]) * (255 / root2)
			s.planes[2][to+i] = (r[i] - 2*g[i] + b[i]) * (255 / root6)
		}
	}
}

// halve averages 2 x 2 samples of windows of a side.
func (s *scratch) halve(planes, side int) {
	half := side / 2
	for c := range planes {
		v := &s.planes[c]
		for y := range half {
			for x := range half {
				at := 2*y*side + 2*x
				v[y*half+x] = (v[at] + v[at+1] + v[at+side] + v[at+side+1]) / 4
			}
		}
	}
}

// measure transforms the block at an offset of windows of a side.
func (s *scratch) measure(planes, side, offset int) (b block) {
	var c [3]coefficients
	c[0].transform(s.planes[0][offset:], side)
	c[0].energies(&b.luma)
	b.mean = c[0][0] / blockSide
	if planes == 3 {
		b.mean /= root3
		var other [bands]float32
		c[1].transform(s.planes[1][offset:], side)
		c[2].transform(s.planes[2][offset:], side)
		c[1].energies(&b.chroma)
		c[2].energies(&other)
		for i, e := range other {
			b.chroma[i] = (b.chroma[i] + e) / 2
		}
	}
	b.form.measure(c[:planes])
	sum := float32(0)
	for i := range bands {
		sum += b.luma[i] + b.chroma[i]
	}
	b.ok = sum < math.MaxFloat32 && b.mean > darkest && b.mean < brightest // false for NaN
	b.flat = sum < 1e-4
	return b
}

// coefficients are the DCT of a block, row by row.
type coefficients [blockSide * blockSide]float32

func (c *coefficients) transform(v []float32, stride int) {
	var rows [blockSide][blockSide]float32
	for y := range blockSide {
		transform((*[blockSide]float32)(v[y*stride:]), &rows[y])
	}
	var column, out [blockSide]float32
	for u := range blockSide {
		for y := range blockSide {
			column[y] = rows[y][u]
		}
		transform(&column, &out)
		for k, v := range out {
			c[k*blockSide+u] = v
		}
	}
}

// energies fills in the mean square of each band.
func (c *coefficients) energies(e *[bands]float32) {
	for i, v := range c[1:] {
		e[bandAt[i+1]] += v * v
	}
	for i := range e {
		e[i] /= bandSize[i]
	}
}

// bandAt is bandOf by the place of a coefficient. The mean has none.
var bandAt = func() (at [blockSide * blockSide]uint8) {
	for i := 1; i < len(at); i++ {
		at[i] = uint8(bandOf[i/blockSide+i%blockSide])
	}
	return at
}()

// basis holds half of each row of the orthonormal DCT; the other half is the same or the negative.
var basis = func() (b [blockSide][blockSide / 2]float32) {
	for k := range b {
		for i := range b[k] {
			b[k][i] = float32(math.Cos(math.Pi*(float64(i)+0.5)*float64(k)/blockSide) / 2)
			if k == 0 {
				b[k][i] = float32(math.Sqrt(1.0 / blockSide))
			}
		}
	}
	return b
}()

// transform is the orthonormal DCT of eight samples. Sums and differences of equal samples are exact, so that what is
// flat has no energy.
func transform(in, out *[blockSide]float32) {
	s0, s1, s2, s3 := in[0]+in[7], in[1]+in[6], in[2]+in[5], in[3]+in[4]
	d0, d1, d2, d3 := in[0]-in[7], in[1]-in[6], in[2]-in[5], in[3]-in[4]
	outer, inner := s0-s3, s1-s2
	b := &basis
	out[0] = b[0][0] * (s0 + s1 + s2 + s3)
	out[4] = b[4][0] * (s0 + s3 - s1 - s2)
	out[2] = b[2][0]*outer + b[2][1]*inner
	out[6] = b[6][0]*outer + b[6][1]*inner
	out[1] = b[1][0]*d0 + b[1][1]*d1 + b[1][2]*d2 + b[1][3]*d3
	out[3] = b[3][0]*d0 + b[3][1]*d1 + b[3][2]*d2 + b[3][3]*d3
	out[5] = b[5][0]*d0 + b[5][1]*d1 + b[5][2]*d2 + b[5][3]*d3
	out[7] = b[7][0]*d0 + b[7][1]*d1 + b[7][2]*d2 + b[7][3]*d3
}
