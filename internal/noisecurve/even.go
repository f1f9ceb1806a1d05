package noisecurve

import "math"

// Even is noise that is the same at all levels.
type Even struct {
	Variance float64 // of the noise before it was clipped at the ends of the range
	Seen     float64 // what clipping leaves of it, the geometric mean of Variance and the mean over the image
}

const (
	// The noise is measured on this share of the blocks at least, and on this number of them.
	evenShare = 0.006
	evenLeast = 60

	// minLeft is the share of the variance that clipping has to leave for a block to be used.
	minLeft = 0.75

	// Where no block is flat, the variance is corrected by powers of the ratios of finest to fine and of coarse to fine
	// energy, both 1 for white noise. Fitted to crops of BSD400 with noise of 5 and 10 gray levels.
	finestPower = 1.2
	coarsePower = -0.3
)

// even measures the noise as if it were the same everywhere: the flat blocks of all brightnesses together, chosen as
// those of a bin. The blocks are sorted by coarse energy.
func (c Curve) even(blocks []block, density float64) Even {
	clip := c.clipping()
	least := min(len(blocks), max(evenLeast, int(evenShare*float64(len(blocks)))))
	s, left := smoothest(blocks, least, 0, clipping{})
	for range 12 {
		last := s.fine / left
		if wider, l := smoothest(blocks, least, last, clip); l > 0 {
			s, left = wider, l
		} else {
			s, left = smoothest(blocks, least, last, clipping{})
		}
		if math.Abs(s.fine/left-last) <= 1e-4*last {
			break
		}
	}
	v := s.fine / left
	if s.count <= least && v > 0 {
		slack := math.Sqrt(2 / (finestCount * density * float64(s.count)))
		v *= math.Pow(min(1, s.finest/s.fine+slack), finestPower) * math.Pow(max(1, s.coarse/s.fine), coarsePower)
	}
	seen := 0.0
	for _, b := range blocks {
		seen += clip.left(b.mean, v)
	}
	return Even{v, v * math.Sqrt(seen/float64(len(blocks)))}
}

// counted are sums over a number of blocks.
type counted struct {
	sums
	count int
}

// smoothest adds up the blocks, sorted by coarse energy, that have less of it than noise of the given variance, and at
// least so many. It returns the share of the variance that clipping left to each, added up too, or 0 if there are too
// few blocks that clipping spared.
func smoothest(blocks []block, least int, variance float64, clip clipping) (s counted, left float64) {
	for _, b := range blocks {
		l := clip.left(b.mean, variance)
		if l < minLeft {
			continue
		}
		if s.count >= least && b.coarse >= variance*l {
			break
		}
		s.sums = s.plus(b)
		s.count++
		left += l
	}
	if s.count < least {
		return counted{}, 0
	}
	return s, left
}
