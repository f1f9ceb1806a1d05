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
// blocks of a dark image get bins as well. It returns the places of the blocks of each bin, by rising place.
func split(blocks []block) [][]int32 {
	order := byMean(blocks)
	n := len(order)
	count := max(1, min(maxBins, n/minBin))
	mean := func(i int) float64 { return blocks[order[i]].mean }
	low, high := mean(n/200), mean(n-1-n/200)
	place := func(i int) float64 { // of a block, from 0 to 1
		byNumber := float64(i) / float64(n)
		if high <= low {
			return byNumber
		}
		return (byNumber + min(1, max(0, (mean(i)-low)/(high-low)))) / 2
	}
	var ends []int
	from := 0
	for i := minBin; i+minBin <= n; i++ {
		if i-from >= minBin && place(i)*float64(count) >= float64(len(ends)+1) {
			ends = append(ends, i)
			from = i
		}
	}
	return groups(order, append(ends, n))
}

// groups cuts an order into parts that end where the ends say, and sorts each of them. It overwrites the order.
func groups(order []int32, ends []int) [][]int32 {
	number := make([]int32, len(order))
	parts, from := make([][]int32, len(ends)), 0
	for i, end := range ends {
		for _, at := range order[from:end] {
			number[at] = int32(i)
		}
		parts[i], from = order[from:from:end], end
	}
	for at, i := range number {
		parts[i] = append(parts[i], int32(at))
	}
	return parts
}

// bin holds the blocks of one brightness.
type bin struct {
	blocks    []block   // by rising coarse energy, with those of other brightness
	members   []int32   // places of its own
	fine      []float64 // sums over the first members: fine[k] is of k blocks
	low, high float64   // share of samples at the ends of the range
	density   float64   // independent blocks per block
}

// sums are sums over blocks.
type sums struct{ mean, coarse, fine, fineSquared, finest float64 }

func (s sums) plus(b block) sums {
	return sums{s.mean + b.mean, s.coarse + b.coarse, s.fine + b.fine, s.fineSquared + b.fine*b.fine,
		s.finest + b.finest}
}

// newBin takes blocks that are sorted by coarse energy.
func newBin(blocks []block, members []int32, density float64) bin {
	b := bin{blocks: blocks, members: members, fine: make([]float64, len(members)+1), density: density}
	low, high := 0, 0
	for i, at := range members {
		x := &blocks[at]
		b.fine[i+1] = b.fine[i] + x.fine
		low += int(x.low)
		high += int(x.high)
	}
	b.low = float64(low) / float64(side*side*len(members))
	b.high = float64(high) / float64(side*side*len(members))
	return b
}

// point measures the noise of the bin, with the level above the least sample. It raises the limit of coarse energy from
// below until it fits the noise.
func (b bin) point() Point {
	n := len(b.members)
	least := min(n, max(minUsed, int(minShare*float64(n))))
	used := least
	for range 8 {
		below, _ := slices.BinarySearchFunc(b.members, b.fine[used]/float64(used),
			func(at int32, limit float64) int { return cmp.Compare(b.blocks[at].coarse, limit) })
		used = max(least, below)
	}
	var s sums
	for _, at := range b.members[:used] {
		s = s.plus(b.blocks[at])
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
