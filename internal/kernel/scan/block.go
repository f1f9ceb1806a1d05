// Package scan finds, for patches of a plane, the most similar patches around them.
//
// It works on blocks. A block holds references, which are patches whose corners lie close together, and the part of the
// plane around them. For each offset, the squared differences of all samples are computed once and then summed for each
// reference, so that overlapping references share them. The loops exist in plain Go (generic.go), which is the
// specification, and for patches of 8 x 8 samples in generated assembly for AVX2 and AVX-512. All versions add in the
// same order and without fused operations, so their results are the same bits.
package scan

import "math"

// Lanes is the number of neighbouring columns, or neighbouring offsets, that a loop takes at a time.
const Lanes = 16

// farthest is an upper bound for distances. Patches that are not nearer are not similar; nor are those whose distance
// is NaN.
const farthest = math.MaxFloat32

// Plane is a plane of samples, row by row.
type Plane struct {
	Width, Height int
	Pix           []float32
}

// Block holds references and, for each of them, a list of the most similar patches. New, Open and Reset must be called
// before the other methods, in this order.
type Block struct {
	size, count, window, coarseCount int
	*loops

	xs, ys []int // corners of the references, relative to the corner of the block
	width  int   // of the plane
	x0, y0 int   // corner of the block in the plane
	strip  strip
	half   strip // strip at half the size
	origin int   // index of the block's corner in the strip

	corners   []int32   // of the references in the plane, y*width+x
	distances []float32 // lists of count ascending distances, one list for each reference
	found     []int32   // corners of the patches in the lists
	bounds    []float32 // the last distance of each list, and -1 up to a multiple of Lanes
	columns   int       // number of columns that scan sums
	places    []int32   // for each bound, the place of the reference's first column in sums

	coarseDistances []float32 // list of the coarse search, ascending
	coarsePlaces    []int32   // indices in half, relative to the reference

	sums []float32 // scratch memory of the loops
	hits []int32
	near []float32
}

// New returns a block for patches of size x size samples and lists of count patches. window is the largest offset in x
// and in y. CoarseSearch finds at most coarseCount offsets. It uses the kernel that is selected in package kernel.
func New(size, count, window, coarseCount int) *Block {
	return &Block{size: size, count: count, window: window, coarseCount: coarseCount, loops: choose(size, count)}
}

// Open prepares for the blocks whose corners are in row y0 of a plane, which must be even. Their references are in the
// rows y0 + ys.
func (b *Block) Open(p Plane, y0 int, ys []int) {
	b.ys, b.width, b.y0 = ys, p.Width, y0
	b.strip.gather(p, y0, ys[len(ys)-1]+b.size, b.window)
	b.half.downsample2(&b.strip)
}

// Reset starts a block. Its references are in the columns x0 + xs, where x0 must be even, of the rows given to Open. At
// first all entries of a list are the reference itself.
func (b *Block) Reset(x0 int, xs []int) {
	b.xs, b.x0 = xs, x0
	b.origin = b.strip.at(x0, 0)
	ys := b.ys
	n := len(xs) * len(ys)
	b.corners, b.distances, b.found = resize(b.corners, n), resize(b.distances, n*b.count), resize(b.found, n*b.count)
	b.bounds, b.places = resize(b.bounds, roundUp(n)), resize(b.places, roundUp(n))
	b.columns = roundUp(xs[len(xs)-1] + b.size)
	for i := range b.bounds {
		b.bounds[i], b.places[i] = -1, 0
	}
	for i := range n {
		x, row := xs[i%len(xs)], i/len(xs)
		b.corners[i] = int32((b.y0+ys[row])*b.width + x0 + x)
		b.places[i] = int32(row*b.columns + x)
		if b.count > 1 {
			b.bounds[i] = farthest
		}
		list, corners := b.distances[i*b.count:][:b.count], b.found[i*b.count:][:b.count]
		for k := range list {
			list[k], corners[k] = farthest, b.corners[i]
		}
		list[0] = -1 // keeps the reference in front of other patches at distance 0
	}
	b.sums = resize(b.sums, len(ys)*b.columns)
	most := max(len(b.bounds), roundUp(2*b.window+1)) + Lanes // loops may write a whole vector for the last hit
	b.hits, b.near = resize(b.hits, most), resize(b.near, most)
}

func roundUp(n int) int { return (n + Lanes - 1) / Lanes * Lanes }

func resize[T any](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n)
	}
	return v[:n]
}

// List returns the corners of the patches most similar to reference i. References are numbered row by row. The
// reference itself comes first, the others are in order of distance and then of corner. If there are too few similar
// patches, the reference is repeated.
func (b *Block) List(i int) []int32 { return b.found[i*b.count:][:b.count] }

// Full reports whether all lists are full.
func (b *Block) Full() bool {
	for _, v := range b.bounds {
		if v == farthest {
			return false
		}
	}
	return true
}

// Scan compares each reference with the patch at an offset from it. The offset must not be (0, 0) and must not have
// been scanned since Reset.
func (b *Block) Scan(dx, dy int) {
	pitch := b.strip.pitch
	from := b.strip.pix[b.origin:]
	to := b.strip.pix[b.origin+dy*pitch+dx:]
	n := b.scan(b.hits, b.near, b.sums, from, to, b.bounds, b.places, b.ys, b.size, b.columns, pitch)
	b.insert(b.bounds, b.distances, b.found, b.corners, b.hits[:n], b.near[:n], b.count, dy*b.width+dx)
}
