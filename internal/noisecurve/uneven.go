package noisecurve

import (
	"cmp"
	"math"
	"slices"
)

// Uneven is noise of any form that is much stronger at some levels than at others.
type Uneven struct {
	Levels, Variances []float64 // of the noise, by rising level
	Strong            float64   // standard deviation of coarse noise that next to nothing exceeds
}

const (
	// maxMiddle tells noise from texture, which is not everywhere. It is the ratio of the energy of the middle blocks
	// of a brightness over that of the smoothest ones. Noise has up to 1.3, clean photographs have 1.5 to 70.
	maxMiddle = 1.5
	// minUneven is the ratio of strong over weak variance. The share minUnevenShare of the blocks has less than the
	// weak one, and the same share has more than the strong one. Twice that share may be unsure.
	minUneven, minUnevenShare = 6, 0.04
)

// Uneven returns noise that is much stronger at some levels than at others. It is false if there is none, or if texture
// may have made it seem so.
func (c Curve) Uneven() (u Uneven, ok bool) {
	var sure []Point
	for _, p := range c.Points {
		if c.isNoise(p) {
			sure = append(sure, p)
			u.Levels, u.Variances = append(u.Levels, p.Level), append(u.Variances, p.Variance)
		}
	}
	if blocksOf(sure) < (1-2*minUnevenShare)*blocksOf(c.Points) || len(sure) == 0 {
		return u, false
	}
	slices.SortStableFunc(sure, func(a, b Point) int { return cmp.Compare(a.Variance, b.Variance) })
	strong := varianceAt(sure, 1-minUnevenShare)
	u.Strong = math.Sqrt(strong * c.Broad())
	return u, strong > minUneven*varianceAt(sure, minUnevenShare)
}

// isNoise reports whether a point is noise and nothing else: white, or about as strong everywhere. Edges have much more
// at coarse frequencies. Clipped noise is less than there was.
func (c Curve) isNoise(p Point) bool {
	return (p.Coarse < MaxWhite*p.Variance || p.Middle < maxMiddle*p.Variance) &&
		p.Coarse < 2*c.Broad()*p.Variance && c.clipping().left(p.Level-c.Low, p.Variance) >= minLeft
}

func blocksOf(points []Point) (n float64) {
	for _, p := range points {
		n += float64(p.Blocks)
	}
	return n
}

// varianceAt returns the variance that a share of the blocks of points, by rising variance, has at most.
func varianceAt(points []Point, share float64) float64 {
	left := share * blocksOf(points)
	for _, p := range points {
		if left -= float64(p.Blocks); left <= 0 {
			return p.Variance
		}
	}
	return points[len(points)-1].Variance
}
