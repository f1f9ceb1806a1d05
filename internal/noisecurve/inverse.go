package noisecurve

import "slices"

// Inverse returns the curve of the inverse of the image, in which black is white. It has no blocks.
func (c Curve) Inverse() Curve {
	c.Points, c.Dots, c.grid, c.blocks = slices.Clone(c.Points), nil, nil, nil
	slices.Reverse(c.Points)
	for i := range c.Points {
		p := &c.Points[i]
		p.Level, p.Low, p.High = c.Low+c.High-p.Level, p.High, p.Low
	}
	return c
}

// Inverse returns the photon noise of a fit to the curve of an inverse, as it is in the image: it shrinks with the
// level. Low and high are the least and the largest sample.
func (f Fit) Inverse(low, high float64) (u Uneven) {
	const steps = 32 // of the square root, in which photon noise is even
	brightest := high - f.Offset
	for i := steps; i >= 0; i-- {
		root := float64(i) / steps
		x := root * root * brightest
		u.Levels = append(u.Levels, low+high-f.Offset-x)
		u.Variances = append(u.Variances, f.Gain*x+f.ReadNoise*f.ReadNoise+stabilizing*f.Gain*f.Gain)
	}
	return u
}
