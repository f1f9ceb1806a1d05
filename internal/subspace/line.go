package subspace

// Line fits a variance of slope*(level-black) + floor, both not negative, to points. What lies above it counts less,
// since it may be texture.
func Line(points []Point, black float64) (slope, floor float64) {
	const (
		above      = 0.3
		iterations = 8
	)
	weights := make([]float64, len(points))
	for i := range weights {
		weights[i] = 1
	}
	for range iterations {
		slope, floor = fit(points, weights, black)
		for i, p := range points {
			weights[i] = 1
			if slope*max(0, p.Level-black)+floor < p.Variance {
				weights[i] = above
			}
		}
	}
	return slope, floor
}

// fit minimises the squares of relative errors.
func fit(points []Point, weights []float64, black float64) (slope, floor float64) {
	var xx, x1, ones, xy, y float64
	for i, p := range points {
		u, w := 1/p.Variance, weights[i]*weights[i]
		x := max(0, p.Level-black) * u
		xx += w * x * x
		x1 += w * x * u
		ones += w * u * u
		xy += w * x
		y += w * u
	}
	if d := xx*ones - x1*x1; d > 1e-9*xx*ones {
		slope, floor = (xy*ones-y*x1)/d, (xx*y-x1*xy)/d
	}
	switch {
	case slope <= 0: // or all points are at one level
		return 0, y / ones
	case floor < 0:
		return xy / xx, 0
	}
	return slope, floor
}
