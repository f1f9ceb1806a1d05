package noisecurve

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/quantile"
)

// Where an amplifier is slower than a sample, as in scanning microscopes and analogue video, the noise of neighbours in
// a row is alike. Its fine part is weak then, and tells too little of the noise.

// neighbours are sums over flat blocks of the products of neighbouring differences. The differences are across the
// direction in which the neighbours lie, so those of white noise are independent.
type neighbours struct {
	inRow, inColumn           float64 // products of neighbours
	acrossRows, acrossColumns float64 // squares of the differences across rows, and across columns
}

// add adds a block, given by its first sample.
func (n *neighbours) add(samples []float32, width int) {
	at := func(x, y int) float64 { return float64(samples[y*width+x]) }
	for y := range side - 1 {
		for x := range side - 1 {
			down, downNext := at(x, y+1)-at(x, y), at(x+1, y+1)-at(x+1, y)
			right, rightNext := at(x+1, y)-at(x, y), at(x+1, y+1)-at(x, y+1)
			n.inRow += down * downNext
			n.inColumn += right * rightNext
			n.acrossRows += down * down
			n.acrossColumns += right * right
		}
	}
}

// correlation returns how much more neighbours in a row are correlated than those in a column.
func (n neighbours) correlation() float64 {
	return n.inRow/n.acrossRows - n.inColumn/n.acrossColumns
}

// alongLines corrects the curve for noise that is alike along rows or columns. Models have to be told its energy at
// frequencies that are low along such a line: (1 + r) / (1 - r) times the fine one for a correlation r of neighbours.
// Noise is alike at every brightness, and texture is not.
func (c Curve) alongLines(planes [][]float32, width int) Curve {
	finest := c.Flat().finest()
	if c.none() || c.Broad() >= MaxWhite || len(c.flat) == 0 || finest >= 1 {
		return c
	}
	var points []float64
	products := 0
	for _, blocks := range c.flat {
		var n neighbours
		for _, b := range blocks {
			x, y := c.grid.place(b)
			n.add(planes[int(b.order)/(c.grid.rows*c.grid.columns)][y*width+x:], width)
			products += (side - 1) * (side - 1)
		}
		points = append(points, n.correlation())
	}
	r := quantile.Median(points)
	r = math.Abs(r) - 2/math.Sqrt(c.grid.density()*float64(products)) // what chance may make
	if !(r > 0 && r < 1) {
		return c
	}
	factor := (1 + r) / (1 - r)
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

// finest returns the share of the finest energy in the variance, the mean over the points.
func (c Curve) finest() float64 {
	sum := 0.0
	for _, p := range c.Points {
		sum += p.Finest / p.Variance
	}
	return sum / float64(len(c.Points))
}
