package drawn

import (
	goimage "image"
	"math"
)

// side is the side of tiles, in samples.
const side = 16

// weak is the largest weak difference of samples, as a share of the range of all samples. Steps between neighbouring
// levels of pictures with more than some 16 levels are weak.
const weak = 1.0 / 16

// reach is how far apart near samples are. Neighbours would not show repetition: where an image was enlarged by
// repeating its samples, they are equal, too. Of tidy dithers, which repeat every 2, 4 or 8 samples, most samples are
// equal at this distance.
const reach = 4

// What is compared: each sample and the one that is this way from it.
var (
	right, below    = goimage.Pt(1, 0), goimage.Pt(0, 1)
	falling, rising = goimage.Pt(1, 1), goimage.Pt(-1, 1)
	near            = [...]goimage.Point{{X: reach}, {Y: reach}}
)

// counts is what was counted in tiles.
type counts struct {
	equal, weak, strong int // pairs of near samples, by their difference
	lasting, crossed    int // squares with an edge that goes on, and those with two samples in both orders
}

// repeats reports whether near samples are mostly equal or strongly different.
func (c counts) repeats() bool { return c.equal > c.weak && c.strong > c.weak }

// isPicture reports whether a tile looks like a piece of a picture. One whose near samples are all equal tells nothing.
func (c counts) isPicture() bool { return c.weak+c.strong > 0 && !c.repeats() }

// isDithered reports whether two samples are more often in both orders than an edge goes on. In noise, both are equally
// likely.
func (c counts) isDithered() bool { return c.crossed > minCrossed*c.lasting+side }

// differences holds the largest difference of pairs of samples in any plane, by the place of the first sample in a
// tile. It is negative where the second one is outside of the tile.
type differences [side * side]float32

// tile has memory for the pairs of a tile.
type tile struct{ right, below, falling, rising, near differences }

// count looks at the samples of planes, each with width samples in a row, within an area of at most side x side.
func (t *tile) count(planes [][]float32, width int, area goimage.Rectangle, weak float32) (c counts) {
	for _, way := range near {
		t.near.measure(planes, width, area, way)
		for _, d := range t.near {
			switch {
			case d < 0:
			case d == 0:
				c.equal++
			case d <= weak:
				c.weak++
			default:
				c.strong++
			}
		}
	}
	if c.repeats() { // else the squares do not matter
		t.countSquares(&c, planes, width, area)
	}
	return c
}

// countSquares counts the squares of a tile.
func (t *tile) countSquares(c *counts, planes [][]float32, width int, area goimage.Rectangle) {
	t.right.measure(planes, width, area, right)
	t.below.measure(planes, width, area, below)
	t.falling.measure(planes, width, area, falling)
	t.rising.measure(planes, width, area, rising)
	for y := range area.Dy() - 1 {
		for i := y * side; i < y*side+area.Dx()-1; i++ {
			upper, left := t.right[i], t.below[i]
			switch {
			case upper != 0 && left == 0 && t.below[i+1] == 0, left != 0 && upper == 0 && t.right[i+side] == 0:
				c.lasting++
			case upper != 0 && t.falling[i] == 0 && t.rising[i+1] == 0:
				c.crossed += 2 // edges are seen in two directions, too
			}
		}
	}
}

// measure compares the samples of an area with those that are a way from them.
func (d *differences) measure(planes [][]float32, width int, area goimage.Rectangle, way goimage.Point) {
	for i := range d {
		d[i] = -1
	}
	first := area.Intersect(area.Sub(way))
	for _, p := range planes {
		for y := first.Min.Y; y < first.Max.Y; y++ {
			a := p[y*width+first.Min.X:][:first.Dx()]
			b := p[(y+way.Y)*width+first.Min.X+way.X:][:len(a)]
			out := d[(y-area.Min.Y)*side+first.Min.X-area.Min.X:][:len(a)]
			for i, v := range a {
				out[i] = max(out[i], float32(math.Abs(float64(v-b[i]))))
			}
		}
	}
}
