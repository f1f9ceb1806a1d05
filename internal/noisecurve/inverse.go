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

// InversePhotons returns the noise of an image whose inverse has the given curve and its fit, photon noise: it shrinks
// with the level. Settled points of the curve above the line count as well.
func InversePhotons(c Curve, f Fit) (u Uneven) {
	add := func(level, variance float64) {
		u.Levels = append(u.Levels, c.Low+c.High-level)
		u.Variances = append(u.Variances, max(f.Gain*(level-f.Offset), variance)+f.ReadNoise*f.ReadNoise+
			stabilizing*f.Gain*f.Gain)
	}
	points := c.Flat().Points
	last := 0.0
	if len(points) > 0 {
		last = points[len(points)-1].Variance
	}
	add(c.High, last)
	for _, p := range slices.Backward(points) {
		if p.Level < c.High && p.Level > f.Offset {
			add(p.Level, p.Variance)
		}
	}
	add(f.Offset, 0)
	return u
}
