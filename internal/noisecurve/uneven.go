package noisecurve

import (
	"cmp"
	"math"
	"slices"
)

// Uneven is noise of any form that is stronger at some levels than at others.
type Uneven struct {
	Levels, Variances []float64 // of the noise, by rising level
	Mean              float64   // geometric mean of the standard deviation over the blocks of the picture
	Strong            float64   // standard deviation of coarse noise that next to nothing exceeds
	Clear             bool      // the noise is much stronger at some levels, and known in nearly all of the picture
}

const (
	// maxMiddle tells noise from texture, which is not everywhere. It is the ratio of the energy of the middle blocks
	// of a brightness over that of the smoothest ones. Noise has up to 1.3, clean photographs have 1.5 to 70.
	maxMiddle = 1.5
	// minUneven is the least ratio of strong over weak variance of clear noise. The share minUnevenShare of the blocks
	// has less than the weak one, and the same share has more than the strong one. Twice that share may be unsure.
	minUneven, minUnevenShare = 6, 0.04
	// minSure is the least share of blocks that have noise and nothing else.
	minSure = 2.0 / 3
)

// Uneven returns the noise at each level. Ok is false if the noise is known in too little of the picture. For noise
// that is not correlated, ok is also false unless Clear is set: texture may look like such noise.
func (c Curve) Uneven(correlated bool) (u Uneven, ok bool) {
	var sure []Point
	for _, p := range c.Points {
		if c.isNoise(p, !correlated) {
			sure = append(sure, p)
			u.Levels, u.Variances = append(u.Levels, p.Level), append(u.Variances, p.Variance)
		}
	}
	blocks := blocksOf(sure)
	share := blocks / max(1, blocksOf(c.Points))
	if share < minSure {
		return u, false
	}
	for _, p := range sure {
		u.Mean += float64(p.Blocks) / blocks * math.Log(p.Variance) / 2
	}
	u.Mean = math.Exp(u.Mean)
	slices.SortStableFunc(sure, func(a, b Point) int { return cmp.Compare(a.Variance, b.Variance) })
	strong := varianceAt(sure, 1-minUnevenShare)
	u.Strong = math.Sqrt(strong * c.Broad())
	u.Clear = share >= 1-2*minUnevenShare && strong > minUneven*varianceAt(sure, minUnevenShare)
	return u, correlated || u.Clear
}

// isNoise reports whether a point is noise and nothing else: it is about as strong everywhere, or white if that counts.
// Edges have much more at coarse frequencies. Clipped noise is less than there was.
func (c Curve) isNoise(p Point, white bool) bool {
	return (p.Middle < maxMiddle*p.Variance || white && p.Coarse < MaxWhite*p.Variance) &&
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
