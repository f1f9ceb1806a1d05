package noisecurve

import (
	"cmp"
	"math"
	"slices"
)

// spot is the noise in one part of an image at one brightness.
type spot struct {
	part int
	Point
}

const (
	minSpot  = 60 // blocks
	maxSpots = 4  // of a part

	// White noise has the same energy at all frequencies. These are limits of the coarse and the finest energy over the
	// fine one. Texture is outside of them, and beyond MaxWhite.
	minSpotCoarse                = 0.65
	minSpotFinest, maxSpotFinest = 0.8, 1.2

	knots     = 12 // where the dependence on the brightness is found
	fitRounds = 30
)

// nearness has the weights of parts that are so many parts away. It is never 0: where no near part was measured, the
// nearest one counts.
var nearness = func() (weights [maxParts]float64) {
	const width = 0.6
	for i := range weights {
		weights[i] = math.Exp(-float64(i*i) / (2 * width * width))
	}
	return weights
}()

// parts returns the blocks of each part, evened.
func (p *Places) parts(g *grid, blocks []block) [][]block {
	partOf := func(x, y int) int {
		return (y+side/2)*p.rows/p.height*p.columns + (x+side/2)*p.columns/p.width
	}
	counts := make([]int, len(p.factors))
	for _, b := range blocks {
		counts[partOf(g.place(b))]++
	}
	parts, all := make([][]block, len(p.factors)), make([]block, len(blocks))
	for i, n := range counts {
		parts[i], all = all[:0:n], all[n:]
	}
	for _, b := range blocks {
		x, y := g.place(b)
		at := partOf(x, y)
		parts[at] = append(parts[at], p.evened(b, x, y))
	}
	return parts
}

// spots returns the spots that have white noise and nothing else, by rising level.
func (p *Places) spots(g *grid, blocks []block) (spots []spot) {
	for i, part := range p.parts(g, blocks) {
		ends := make([]int, min(maxSpots, len(part)/minSpot))
		if len(ends) == 0 {
			continue
		}
		for j := range ends {
			ends[j] = (j + 1) * len(part) / len(ends)
		}
		byCoarse(part)
		for _, members := range groups(byMean(part), ends) {
			s := spot{i, newBin(part, members, g.density()).point()}
			if s.white() {
				spots = append(spots, s)
			}
		}
	}
	slices.SortStableFunc(spots, func(a, b spot) int { return cmp.Compare(a.Level, b.Level) })
	return spots
}

func (s spot) white() bool {
	return s.Variance > 0 && s.Settled() && s.Low+s.High < MaxClipped &&
		s.Coarse > minSpotCoarse*s.Variance && s.Coarse < MaxWhite*s.Variance &&
		s.Finest > minSpotFinest*s.Variance && s.Finest < maxSpotFinest*s.Variance
}

// fit explains the logarithms of the noise of the spots, by rising level, by a function of the place plus one of the
// brightness. Each is found in turn from what the other leaves.
func (p *Places) fit(spots []spot) (places, levels []float64) {
	places, levels = make([]float64, len(p.factors)), make([]float64, knots)
	noise := make([]float64, len(spots))
	for i, s := range spots {
		noise[i] = math.Log(s.Variance) / 2
	}
	// by the rank of the level
	knot := func(i int) float64 { return float64(i) / float64(max(1, len(spots)-1)) * (knots - 1) }
	for range fitRounds {
		for k := range levels {
			levels[k] = weightedMean(len(spots), func(i int) (weight, value float64) {
				d := knot(i) - float64(k)
				return math.Exp(-2 * d * d), noise[i] - places[spots[i].part]
			})
		}
		left, weights := make([]float64, len(places)), make([]float64, len(places))
		for i, s := range spots {
			k, f := between(knot(i), knots)
			left[s.part] += noise[i] - mix(levels[k], levels[min(k+1, knots-1)], f)
			weights[s.part]++
		}
		for i, w := range weights {
			left[i] /= max(1, w)
		}
		places = p.smooth(left, weights)
	}
	return places, levels
}

// smooth returns a surface through the values of the parts, plus what is left of them, smoothed, less the mean of all.
func (p *Places) smooth(values, weights []float64) []float64 {
	surface := p.surface(values, weights)
	out := make([]float64, len(values))
	for i := range out {
		x, y := i%p.columns, i/p.columns
		out[i] = surface[i] + weightedMean(len(values), func(j int) (weight, value float64) {
			return nearness[abs(j%p.columns-x)] * nearness[abs(j/p.columns-y)] * weights[j], values[j] - surface[j]
		})
	}
	m := mean(out)
	for i := range out {
		out[i] -= m
	}
	return out
}

// surface fits a polynomial of the second order in the place to values by least squares, and returns it in all parts.
// It stays within the range of the values that have a weight.
func (p *Places) surface(values, weights []float64) []float64 {
	terms := func(part int) []float64 {
		x, y := float64(2*(part%p.columns)+1)/float64(p.columns)-1, float64(2*(part/p.columns)+1)/float64(p.rows)-1
		return []float64{1, x, y, x * x, x * y, y * y}
	}
	var l normalEquations
	low, high := math.Inf(1), math.Inf(-1)
	for i, w := range weights {
		if w > 0 {
			low, high = min(low, values[i]), max(high, values[i])
			l.add(terms(i), values[i], w)
		}
	}
	coefficients := l.solve()
	out := make([]float64, len(values))
	for i := range out {
		for a, t := range terms(i) {
			out[i] += t * coefficients[a]
		}
		out[i] = max(low, min(high, out[i]))
	}
	return out
}

// normalEquations has a row for each of the six terms of a least-squares fit. The last number of a row is its right
// side.
type normalEquations [6][7]float64

func (l *normalEquations) add(terms []float64, value, weight float64) {
	for a, t := range terms {
		for b, u := range terms {
			l[a][b] += weight * t * u
		}
		l[a][len(terms)] += weight * t * value
	}
}

// ridge is how much the terms beyond the first are drawn to 0, as a share of all weights. It makes the equations
// definite.
const ridge = 0.01

// solve returns the coefficients, by elimination. It needs a value with a weight.
func (l normalEquations) solve() (coefficients [6]float64) {
	weights := l[0][0]
	for a := 1; a < len(l); a++ {
		l[a][a] += ridge * weights
	}
	for a := range l {
		for b := range l {
			if b == a {
				continue
			}
			f := l[b][a] / l[a][a]
			for c := a; c <= len(l); c++ {
				l[b][c] -= f * l[a][c]
			}
		}
	}
	for a := range l {
		coefficients[a] = l[a][len(l)] / l[a][a]
	}
	return coefficients
}

func abs(v int) int { return max(v, -v) }

func mean(v []float64) float64 {
	return weightedMean(len(v), func(i int) (weight, value float64) { return 1, v[i] })
}

// weightedMean returns the mean of n values, or 0 if they have no weight.
func weightedMean(n int, of func(i int) (weight, value float64)) float64 {
	sum, weights := 0.0, 0.0
	for i := range n {
		w, v := of(i)
		sum += w * v
		weights += w
	}
	if weights == 0 {
		return 0
	}
	return sum / weights
}
