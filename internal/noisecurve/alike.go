package noisecurve

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/dct"
	"github.com/blorc-denoise/blorc-denoise/internal/quantile"
)

// Where an amplifier is slower than a sample, as in scanning microscopes and analogue video, the noise of neighbours in
// a row is alike. Its fine part is weak then, and tells too little of the noise: models have to be told the energy at
// frequencies that are low along one axis and high along the other.

// directions are energies of flat blocks, as sums over the frequencies of each kind.
type directions struct {
	rows, columns, finest, fine float64 // rows: low along a row and high along a column
	blocks                      int
}

const (
	lowOf, highOf  = 2, 5 // frequencies up to the first are low, from the second on high
	directionCount = (lowOf + 1) * (side - highOf)
	flatDirection  = 0.85 // energy of white noise there, in blocks with little coarse energy, over that at fine ones
)

// add adds a block, given by its first sample.
func (d *directions) add(samples []float32, width int, cosines []float64) {
	var columns [side][side]float64
	for v := range side {
		for x := range side {
			for y := range side {
				columns[v][x] += cosines[v*side+y] * float64(samples[y*width+x])
			}
		}
	}
	for v := range side {
		for u := range side {
			c := 0.0
			for x := range side {
				c += cosines[u*side+x] * columns[v][x]
			}
			d.count(u, v, c*c)
		}
	}
	d.blocks++
}

// count adds the energy of one frequency.
func (d *directions) count(u, v int, energy float64) {
	switch {
	case u <= lowOf && v >= highOf:
		d.rows += energy / directionCount
	case v <= lowOf && u >= highOf:
		d.columns += energy / directionCount
	case u+v >= 11:
		d.finest += energy / finestCount
	}
	if u+v >= 8 {
		d.fine += energy / fineCount
	}
}

// plus adds the energies of other blocks.
func (d directions) plus(o directions) directions {
	return directions{d.rows + o.rows, d.columns + o.columns, d.finest + o.finest, d.fine + o.fine, d.blocks + o.blocks}
}

// ratio returns the energy along rows, or along columns, over that of the finest part or the other direction. Texture
// has more of the finest energy than the weaker direction.
func (d directions) ratio(rows bool) float64 {
	if rows {
		return d.rows / max(d.columns, flatDirection*d.finest)
	}
	return d.columns / max(d.rows, flatDirection*d.finest)
}

// alongLines corrects the curve for noise that is alike along rows or columns. Noise is alike at every brightness, and
// texture is not.
func (c Curve) alongLines(planes [][]float32, width int) Curve {
	if c.Broad() >= MaxWhite || len(c.flat) == 0 {
		return c
	}
	var all directions
	var points []directions
	cosines := dct.Matrix(side)
	for _, blocks := range c.flat {
		var d directions
		for _, b := range blocks {
			x, y := c.grid.place(b)
			d.add(planes[int(b.order)/(c.grid.rows*c.grid.columns)][y*width+x:], width, cosines)
		}
		points, all = append(points, d), all.plus(d)
	}
	var ratios []float64
	for _, d := range points {
		ratios = append(ratios, d.ratio(all.rows > all.columns))
	}
	slack := 2 * math.Sqrt(4/(directionCount*c.grid.density()*float64(all.blocks)))
	factor, finest := quantile.Median(ratios)*math.Exp(-slack), all.finest/all.fine
	if !(factor > 1 && finest < 1) {
		return c
	}
	for i := range c.Points {
		p := &c.Points[i]
		p.Variance, p.Error, p.Middle = factor*p.Variance, factor*p.Error, factor*p.Middle
		p.Finest *= factor / finest
	}
	for i := range c.Dots {
		c.Dots[i].Variance *= factor
	}
	c.Even.Variance, c.Even.Seen = factor*c.Even.Variance, factor*c.Even.Seen
	return c
}
