package noisecurve

import (
	"cmp"
	"math"
	"slices"
)

const (
	maxBins = 24
	minBin  = 80 // blocks in a bin

	// A point is measured on this share of the blocks of a bin at least, and on this number of them.
	minShare = 0.03
	minUsed  = 12
)

// split divides blocks by brightness into bins, half by their number and half by their range, so that the few bright
// blocks of a dark image get bins as well. It sorts the blocks by brightness.
func split(blocks []block) [][]block {
	sortBlocks(blocks, func(b *block) float64 { return b.mean })
	n := len(blocks)
	count := max(1, min(maxBins, n/minBin))
	low, high := blocks[n/200].mean, blocks[n-1-n/200].mean
	place := func(i int) float64 { // of a block, from 0 to 1
		byNumber := float64(i) / float64(n)
		if high <= low {
			return byNumber
		}
		return (byNumber + min(1, max(0, (blocks[i].mean-low)/(high-low)))) / 2
	}
	var bins [][]block
	from := 0
	for i := minBin; i+minBin <= n; i++ {
		if i-from >= minBin && place(i)*float64(count) >= float64(len(bins)+1) {
			bins = append(bins, blocks[from:i])
			from = i
		}
	}
	return append(bins, blocks[from:])
}

// bin holds the blocks of one brightness by rising coarse energy.
type bin struct {
	blocks    []block
	fine      []float64 // sums over the first blocks: fine[k] is of k blocks
	low, high float64   // share of samples at the ends of the range
	density   float64   // independent blocks per block
}

// sums are sums over blocks.
type sums struct{ mean, coarse, fine, fineSquared, finest float64 }

func (s sums) plus(b block) sums {
	return sums{s.mean + b.mean, s.coarse + b.coarse, s.fine + b.fine, s.fineSquared + b.fine*b.fine,
		s.finest + b.finest}
}

// newBin sorts the blocks.
func newBin(blocks []block, density float64) bin {
	byCoarse(blocks)
	b := bin{blocks: blocks, fine: make([]float64, len(blocks)+1), density: density}
	low, high := 0, 0
	for i, x := range blocks {
		b.fine[i+1] = b.fine[i] + x.fine
		low += int(x.low)
		high += int(x.high)
	}
	b.low = float64(low) / float64(side*side*len(blocks))
	b.high = float64(high) / float64(side*side*len(blocks))
	return b
}

func byCoarse(blocks []block) {
	sortBlocks(blocks, func(b *block) float64 { return b.coarse })
}

// point measures the noise of the bin, with the level above the least sample. It raises the limit of coarse energy from
// below until it fits the noise.
func (b bin) point() Point {
	n := len(b.blocks)
	least := min(n, max(minUsed, int(minShare*float64(n))))
	used := least
	for range 8 {
		below, _ := slices.BinarySearchFunc(b.blocks, b.fine[used]/float64(used),
			func(x block, limit float64) int { return cmp.Compare(x.coarse, limit) })
		used = max(least, below)
	}
	var s sums
	for _, x := range b.blocks[:used] {
		s = s.plus(x)
	}
	k := float64(used)
	p := Point{Level: s.mean / k, Variance: s.fine / k, Coarse: s.coarse / k, Finest: s.finest / k,
		Low: b.low, High: b.high, Blocks: n, Used: used, least: least}
	from, to := n*2/5, n*2/5+max(1, n/5)
	p.Middle = (b.fine[min(to, n)] - b.fine[from]) / float64(min(to, n)-from)
	scatter := max(s.fineSquared/k-p.Variance*p.Variance, 2.0/fineCount*p.Variance*p.Variance)
	p.Error = math.Sqrt(scatter / (k * b.density))
	return p
}
