package scene

import "math"

// colour holds red, green and blue from 0 to 1 in display values.
type colour struct{ r, g, b float64 }

// hex returns the colour of a number 0xrrggbb.
func hex(rgb uint32) colour {
	return colour{float64(rgb>>16&255) / 255, float64(rgb>>8&255) / 255, float64(rgb&255) / 255}
}

func (c colour) plus(d colour) colour { return colour{c.r + d.r, c.g + d.g, c.b + d.b} }

func (c colour) times(f float64) colour { return colour{c.r * f, c.g * f, c.b * f} }

func (c colour) clamp() colour { return colour{unit(c.r), unit(c.g), unit(c.b)} }

// mix returns c for a share of 0, d for a share of 1, and linear mixtures between.
func mix(c, d colour, share float64) colour {
	share = unit(share)
	return c.times(1 - share).plus(d.times(share))
}

// unit clips v to [0, 1].
func unit(v float64) float64 { return min(1, max(0, v)) }

// ramp rises smoothly from 0 at v = low to 1 at v = high. If high < low it falls.
func ramp(low, high, v float64) float64 {
	t := unit((v - low) / (high - low))
	return t * t * (3 - 2*t)
}

// cell returns the number of the cell that v lies in, for cells of length period, and the position within it, 0 to 1.
func cell(v, period float64) (number int, within float64) {
	floor := math.Floor(v / period)
	return int(floor), v/period - floor
}

// random returns a pseudo-random number in [0, 1) for cell (i, j) of a grid. Each kind gives another grid of numbers.
func random(i, j, kind int) float64 {
	h := uint64(int64(i))*0x9e3779b97f4a7c15 ^ uint64(int64(j))*0xc2b2ae3d27d4eb4f ^
		uint64(int64(kind))*0x165667b19e3779f9
	h = (h ^ h>>31) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return float64((h^h>>31)>>11) / (1 << 53)
}

// clouds returns smooth noise from 0 to 1, a sum of several octaves. Features of the coarsest octave have a size of 1.
func clouds(x, y float64, octaves, kind int) float64 {
	sum, weight, total := 0.0, 1.0, 0.0
	for octave := range octaves {
		sum += weight * lattice(x, y, kind+octave)
		total += weight
		x, y, weight = 2.03*x+0.37, 2.03*y+0.71, weight/2
	}
	return sum / total
}

// lattice interpolates between random numbers at integer coordinates.
func lattice(x, y float64, kind int) float64 {
	i, u := cell(x, 1)
	j, v := cell(y, 1)
	u, v = ramp(0, 1, u), ramp(0, 1, v)
	above := random(i, j, kind)*(1-u) + random(i+1, j, kind)*u
	below := random(i, j+1, kind)*(1-u) + random(i+1, j+1, kind)*u
	return above*(1-v) + below*v
}

// distance returns the distance of a point from the origin. math.Hypot also guards against overflow but takes several
// times as long.
func distance(x, y float64) float64 { return math.Sqrt(x*x + y*y) }
