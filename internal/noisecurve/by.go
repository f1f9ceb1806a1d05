package noisecurve

// MeasureBy measures planes over the brightness in another one of the same size, as chroma over luma. Levels are those
// of the brightness. The curve has points and dots only.
func MeasureBy(planes [][]float32, brightness []float32, width, height, workers int) Curve {
	checkSizes(append(planes[:len(planes):len(planes)], brightness), width, height)
	c := scan(planes, workers)
	if width < side || height < side || !(c.High > c.Low) {
		return c
	}
	g := newGrid(planes, width, height, float32(c.Low), float32(c.High))
	g.brightness = brightness
	blocks, _ := g.blocks(workers)
	if len(blocks) == 0 {
		return c
	}
	byCoarse(blocks)
	for _, members := range split(blocks) {
		p := newBin(blocks, members, g.density()).point()
		c.Points, c.Dots = append(c.Points, p), append(c.Dots, dots(blocks, members[:p.Used], 0)...)
	}
	return c
}

// blockMean returns the mean of a block of the plane.
func blockMean(plane []float32, width, x, y int) float64 {
	sum := float32(0)
	for row := range side {
		for _, v := range plane[(y+row)*width+x:][:side] {
			sum += v
		}
	}
	return float64(sum) / (side * side)
}

// blockVariance returns the variance of a block whose mean is known.
func blockVariance(plane []float32, width, x, y int, mean float64) float64 {
	sum := 0.0
	for row := range side {
		for _, v := range plane[(y+row)*width+x:][:side] {
			sum += (float64(v) - mean) * (float64(v) - mean)
		}
	}
	return sum / (side * side)
}

// Dot is what one block says of the noise.
type Dot struct{ Level, Variance float64 }

// dotsOfPoint is the largest number of dots for one brightness.
const dotsOfPoint = 24

// dots picks some of the blocks that a point was measured on, in the order of the members.
func dots(blocks []block, members []int32, low float64) []Dot {
	var picked []Dot
	step := max(1, len(members)/dotsOfPoint)
	for i := 0; i < len(members) && len(picked) < dotsOfPoint; i += step {
		b := &blocks[members[i]]
		picked = append(picked, Dot{low + b.mean, b.fine})
	}
	return picked
}
