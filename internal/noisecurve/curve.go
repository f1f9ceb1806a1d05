package noisecurve

import (
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/quantile"
)

// Point is the noise at one brightness. Levels are in the unit of the samples and variances in its square.
type Point struct {
	Level    float64 // mean of the samples
	Variance float64 // of the noise
	Error    float64 // standard error of Variance, from the scatter of the blocks
	Coarse   float64 // energy at coarse frequencies of the same blocks; white noise has 0.8 to 1 times Variance there
	Finest   float64 // energy at the finest frequencies of the same blocks; white noise has Variance there
	Middle   float64 // energy at fine frequencies of the blocks in the middle, by coarse energy
	Low      float64 // share of samples that have the least value of the image, in all blocks of this brightness
	High     float64 // share of samples that have the largest value of the image
	Blocks   int     // number of blocks of this brightness
	Used     int     // number of those that Variance comes from
	least    int     // that Used may be
}

// Settled reports whether the point comes from flat blocks, and not only from the least textured ones there are.
func (p Point) Settled() bool { return p.Used >= 2*p.least }

// Flat returns the curve with its settled points alone.
func (c Curve) Flat() Curve {
	c.Points = slices.DeleteFunc(slices.Clone(c.Points), func(p Point) bool { return !p.Settled() })
	return c
}

// Curve is the noise of an image over brightness.
type Curve struct {
	Points    []Point // by rising level
	Low, High float64 // least and largest sample
	Step      float64 // least difference between samples that differ
	Constant  float64 // share of blocks whose samples are all equal, without overexposed parts; no point has them
	Even      Even    // the noise if it is the same at all levels
	Dots      []Dot   // some of the blocks that the points come from

	grid   *grid     // of the blocks, without planes
	blocks []block   // in any order
	flat   [][]block // some of them, of each settled point
}

// Measure measures planes of width x height samples and pools their blocks. Samples that are not finite are left out.
// An image of fewer than 8 samples in a direction, or of one value, has no points. The result is the same for any
// number of workers; 0 means all processors.
func Measure(planes [][]float32, width, height, workers int) Curve {
	checkSizes(planes, width, height)
	c := scan(planes, workers)
	if width < side || height < side || !(c.High > c.Low) {
		return c
	}
	g := newGrid(planes, width, height, float32(c.Low), float32(c.High))
	blocks, constant := g.blocks(workers)
	c.Constant = float64(constant) / float64(max(1, constant+len(blocks)))
	return c.of(g, blocks).with(blocks, g.density()).alongLines(planes, width)
}

// of returns the curve together with the grid and the blocks that it comes from.
func (c Curve) of(g *grid, blocks []block) Curve {
	places := *g
	places.planes, places.colours, places.brightness = nil, nil, nil // the caller may change them
	c.grid, c.blocks = &places, blocks
	return c
}

// with returns the curve with the noise of some blocks. It sorts them by coarse energy.
func (c Curve) with(blocks []block, density float64) Curve {
	if len(blocks) == 0 {
		return c
	}
	byCoarse(blocks)
	for _, members := range split(blocks) {
		p := newBin(blocks, members, density).point()
		c.Dots = append(c.Dots, dots(blocks, members[:p.Used], c.Low)...)
		if p.Settled() {
			var flat []block
			for i := 0; i < p.Used; i += max(1, p.Used/dotsOfPoint) {
				flat = append(flat, blocks[members[i]])
			}
			c.flat = append(c.flat, flat)
		}
		p.Level += c.Low
		c.Points = append(c.Points, p)
	}
	c.Even = c.even(blocks, density)
	return c
}

func checkSizes(planes [][]float32, width, height int) {
	for _, p := range planes {
		if len(p) != width*height {
			panic("noisecurve: plane does not have width x height samples")
		}
	}
}

const (
	// MaxWhite is the ratio of coarse over fine energy up to which noise is white.
	MaxWhite = 1.1
	// MaxClipped is the share of samples at the ends of the range from which an image, or a part, counts as clipped.
	MaxClipped = 0.01
)

// Broad is the energy of the least textured blocks at coarse frequencies over that at fine ones, the median over
// brightness. White noise has about 0.8, and noise whose fine part was taken away, as cameras and compressors do, has
// several times that. So has an image that is textured everywhere. It is 0 without points.
func (c Curve) Broad() float64 {
	ratios := make([]float64, 0, len(c.Points))
	for _, p := range c.Points {
		if p.Variance > 0 {
			ratios = append(ratios, p.Coarse/p.Variance)
		}
	}
	return quantile.Median(ratios)
}

// Settled returns the share of blocks whose brightness has a settled point.
func (c Curve) Settled() float64 {
	return c.share(func(p Point) float64 { return boolean(p.Settled()) })
}

// Clipped returns the share of samples that have the least or the largest value of the image.
func (c Curve) Clipped() float64 {
	return c.share(func(p Point) float64 { return p.Low + p.High })
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// share returns the mean of f over the blocks of all points.
func (c Curve) share(f func(Point) float64) float64 {
	sum, n := 0.0, 0.0
	for _, p := range c.Points {
		sum += f(p) * float64(p.Blocks)
		n += float64(p.Blocks)
	}
	return sum / max(1, n)
}
