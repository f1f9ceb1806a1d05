package noisecurve

import (
	"math"
	"slices"
)

// Places is a map of the strength of the noise over an image, relative to its mean. Lenses that lose light in the
// corners and are corrected for it, flat fields, pictures that were put together, and those that were lightened in some
// places have such noise. An image is cut into parts; between their middles, the factor is linear in the place.
type Places struct {
	columns, rows int       // of parts
	width, height int       // of the image
	factors       []float64 // in the middle of each part

	Sigma   float64 // standard deviation of the noise where the factor is 1, the mean over the brightness
	ByLevel float64 // ratio of the noise at the brightness where it is strongest over that where it is weakest
}

// partSides are about how many samples wide and high the parts are. Small parts measure what the large ones have
// smoothed away.
var partSides = []int{48, 32}

const (
	minParts, maxParts = 3, 16 // in each direction

	// minMeasured is the least share of parts in which noise could be measured, and minSpread is the least ratio of
	// strong over weak noise. Noise that is the same everywhere stays below. If few parts are measured, the ratio must
	// be larger.
	minMeasured, sureMeasured = 0.1, 0.25
	minSpread, sureSpread     = 1.25, 1.5
)

// FindPlaces finds out whether white noise or that of photons is stronger in some places of an image than in others of
// the same brightness. It looks at the blocks of the curve: of planes, or of differences of them.
func (c Curve) FindPlaces() (*Places, bool) {
	g, blocks := c.grid, c.blocks
	if g == nil || g.width < minParts*side || g.height < minParts*side {
		return nil, false
	}
	p := &Places{columns: 1, rows: 1, width: g.width, height: g.height, factors: []float64{1}}
	for i, side := range partSides {
		p = p.divided(side)
		measured := p.add(g, blocks)
		if spread := p.spread(); i == 0 && (measured < minMeasured || spread < minSpread || measured < sureMeasured &&
			spread < sureSpread) {
			return nil, false
		}
	}
	return p, true
}

// divided returns the same places with parts of about the given side.
func (p *Places) divided(side int) *Places {
	parts := func(length int) int { return min(max(length/side, minParts), maxParts) }
	out := &Places{columns: parts(p.width), rows: parts(p.height), width: p.width, height: p.height}
	for j := range out.rows {
		for i := range out.columns {
			x, y := (float64(i)+0.5)/float64(out.columns), (float64(j)+0.5)/float64(out.rows)
			out.factors = append(out.factors, p.at(x*float64(p.width), y*float64(p.height)))
		}
	}
	return out
}

// at returns the factor at a place. The middle of the first sample is at 0.5.
func (p *Places) at(x, y float64) float64 {
	i, fx := between(x*float64(p.columns)/float64(p.width)-0.5, p.columns)
	j, fy := between(y*float64(p.rows)/float64(p.height)-0.5, p.rows)
	column := func(i int) float64 {
		return mix(p.factors[j*p.columns+i], p.factors[min(j+1, p.rows-1)*p.columns+i], fy)
	}
	return mix(column(i), column(min(i+1, p.columns-1)), fx)
}

// Row writes the factors of samples of row y from column x. Samples outside the image have the factor of the nearest
// one inside.
func (p *Places) Row(factors []float32, x, y int) {
	columns := make([]float64, p.columns+1)
	for i := range p.columns {
		columns[i] = p.at((float64(i)+0.5)*float64(p.width)/float64(p.columns), float64(y)+0.5)
	}
	columns[p.columns] = columns[p.columns-1]
	for i := range factors {
		c, f := between((float64(x+i)+0.5)*float64(p.columns)/float64(p.width)-0.5, p.columns)
		factors[i] = float32(mix(columns[c], columns[c+1], f))
	}
}

// Range returns the least and the largest factor.
func (p *Places) Range() (least, most float64) { return slices.Min(p.factors), slices.Max(p.factors) }

// between returns the number of the last of n points that is not above v, and how far it is to the next.
func between(v float64, n int) (i int, f float64) {
	v = max(0, min(v, float64(n-1)))
	i = int(v)
	return i, v - float64(i)
}

func mix(a, b, f float64) float64 { return a + f*(b-a) }

// add measures by how much the noise of the parts still differs, and corrects the factors. It returns the share of
// parts that were measured.
func (p *Places) add(g *grid, blocks []block) (measured float64) {
	spots := p.spots(g, blocks)
	seen := make([]bool, len(p.factors))
	for _, s := range spots {
		if !seen[s.part] {
			seen[s.part] = true
			measured += 1 / float64(len(p.factors))
		}
	}
	if len(spots) == 0 {
		return 0
	}
	places, levels := p.fit(spots)
	for i, l := range places {
		p.factors[i] *= math.Exp(l)
	}
	p.Sigma, p.ByLevel = math.Exp(mean(levels)), math.Exp(slices.Max(levels)-slices.Min(levels))
	return measured
}

// evened returns a block as if the samples had been divided by the factors, above the least sample.
func (p *Places) evened(b block, x, y int) block {
	f := p.at(float64(x)+side/2, float64(y)+side/2)
	b.mean /= f
	b.coarse, b.fine, b.finest = b.coarse/(f*f), b.fine/(f*f), b.finest/(f*f)
	return b
}

// place returns where a block begins.
func (g *grid) place(b block) (x, y int) {
	return int(b.order) % g.columns * g.step, int(b.order) / g.columns % g.rows * g.step
}

// spread is the ratio of strong noise, which a tenth of the places exceeds, over weak noise, which a tenth does not
// reach.
func (p *Places) spread() float64 {
	f := slices.Sorted(slices.Values(p.factors))
	return f[len(f)*9/10] / f[len(f)/10]
}
