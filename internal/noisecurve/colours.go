package noisecurve

import (
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/quantile"
)

// Texture is in red, green and blue alike, so that their differences have little of it. Noise that is independent in
// the three is measured better there than in the planes themselves.

// Opponent has the weights of red, green and blue in a difference of them. Their sum is 0.
type Opponent [3]float64

// Opponents are the differences that are at right angles to each other and to gray.
func Opponents() []Opponent { return []Opponent{{1, 0, -1}, {1, -2, 1}} }

// opponent is an Opponent of length 1, so that white noise keeps its variance. The brightness has the squares as
// weights: if the variance of the noise is linear in the samples, that of the difference is what it is at this
// brightness.
type opponent struct{ difference, brightness [3]float32 }

func (o Opponent) weights() (w opponent) {
	squares := o[0]*o[0] + o[1]*o[1] + o[2]*o[2]
	for i, v := range o {
		w.difference[i] = float32(v / math.Sqrt(squares))
		w.brightness[i] = float32(v * v / squares)
	}
	return w
}

// MeasureColours measures the noise of red, green and blue on differences of them. It is right where noise is
// independent in the three and the same function of their level. That of cameras and under JPEG is not.
func MeasureColours(planes [][]float32, differences []Opponent, width, height, workers int) Curve {
	return scan(planes, workers).MeasureColours(planes, differences, width, height, workers)
}

// MeasureColours is the function of that name for the planes that the curve was measured on: their range is known.
func (c Curve) MeasureColours(planes [][]float32, differences []Opponent, width, height, workers int) Curve {
	if len(planes) != 3 || len(differences) > len(planes) {
		panic("noisecurve: colours have three planes, and no more differences")
	}
	checkSizes(planes, width, height)
	c = Curve{Low: c.Low, High: c.High, Step: c.Step}
	if width < side || height < side || !(c.High > c.Low) {
		return c
	}
	g := c.gridOf(planes, differences, width, height)
	blocks, constant := g.blocks(workers)
	c.Constant = float64(constant) / float64(max(1, constant+len(blocks)))
	return c.of(g, blocks).with(c.withoutDrawn(slices.Clone(blocks)), g.density())
}

// withoutDrawn leaves out the blocks of drawn parts, such as captions of photographs, whose colours differ by little
// more than rounding. It keeps them if most blocks are like that, and at the ends of the range.
func (c Curve) withoutDrawn(blocks []block) []block {
	const (
		drawn  = 3 // steps of standard deviation up to which a block may be drawn
		weaker = 8 // times less variance than in most blocks
	)
	most := drawn * drawn * c.Step * c.Step
	if len(blocks) == 0 {
		return blocks
	}
	fine := make([]float64, len(blocks))
	for i, b := range blocks {
		fine[i] = b.fine
	}
	usual := quantile.Median(fine)
	if usual < most {
		return blocks
	}
	least := min(usual/weaker, most)
	return slices.DeleteFunc(blocks, func(b block) bool { return b.fine < least && b.low+b.high == 0 })
}

// gridOf lays a grid over differences of planes, or without any over the planes.
func (c Curve) gridOf(planes [][]float32, differences []Opponent, width, height int) *grid {
	if differences == nil {
		return newGrid(planes, width, height, float32(c.Low), float32(c.High))
	}
	g := newGrid(planes[:len(differences)], width, height, float32(c.Low), float32(c.High))
	g.colours = planes
	for _, d := range differences {
		g.opponents = append(g.opponents, d.weights())
	}
	return g
}

// colours takes eight rows of a difference.
func (s *strip) colours(g *grid, o opponent, at int) {
	if s.difference == nil {
		s.difference, s.light = make([]float32, g.width), make([]float32, g.width)
	}
	clear(s.light)
	d, l := o.difference, o.brightness
	for y := range side {
		from := at + y*g.width
		red, green, blue := g.colours[0][from:][:g.width], g.colours[1][from:][:g.width], g.colours[2][from:][:g.width]
		for _, x := range g.covered {
			r, g, b := red[x], green[x], blue[x]
			s.difference[x] = d[0]*r + d[1]*g + d[2]*b
			s.light[x] += l[0]*r + l[1]*g + l[2]*b
		}
		for _, x := range g.covered { // the channels are clipped, not their difference
			if red[x] == g.low || green[x] == g.low || blue[x] == g.low {
				s.low[x]++
			}
			if red[x] == g.high || green[x] == g.high || blue[x] == g.high {
				s.high[x]++
			}
		}
		s.row.Set(y, s.difference, float64(g.low))
	}
}

// lightOf returns the mean brightness of the block of columns from x.
func (s *strip) lightOf(x int) float64 {
	sum := float32(0)
	for _, v := range s.light[x : x+side] {
		sum += v
	}
	return float64(sum) / (side * side)
}
