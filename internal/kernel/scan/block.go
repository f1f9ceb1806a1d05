// Package scan compares patches of a plane with the patches around them and keeps the most similar ones.
//
// It works on blocks: references, patches whose corners lie close together, and the part of the plane around them. At one
// offset, the squared differences of all samples are computed once and summed for each reference, so that overlapping
// references share them. The loops exist in plain Go (generic.go, which says what each computes) and in assembly for AVX2
// and AVX-512, which a generator writes, for patches of 8 x 8 samples. All of them add up in the same order without fused
// operations: results are the same bits.
package scan

import "math"

// Lanes is the number of neighbouring columns, or neighbouring offsets, that loops take at a time.
const Lanes = 16

// farthest is a distance that no patch reaches: farther ones, infinite ones and NaN are not similar.
const farthest = math.MaxFloat32

// Plane is a plane of samples, row by row.
type Plane struct {
	Width, Height int
	Pix           []float32
}

// Block holds references and a list of the most similar patches for each of them. It starts with New and Reset.
type Block struct {
	size, count, window, scouted int
	*kernel

	xs, ys []int // corners of the references, from that of the block
	width  int   // of the plane
	x0, y0 int   // of the block in the plane
	strip  strip
	half   strip // the same at half the size
	origin int   // of the block in the strip
	lanes  int   // columns in which corners may lie

	corners   []int32   // of the references in the plane, y*width+x
	distances []float32 // count for each reference, in order
	found     []int32   // their corners
	bounds    []float32 // len(ys) x lanes: the last distance of each list, or -1 where there is no reference
	slots     []int32   // of a bound: which reference

	scoutDistances []float32 // of a list at half the size, in order
	scoutPlaces    []int32   // in half, from the place of the reference

	squares []float32 // memory of loops
	hits    []int32
	near    []float32
}

// New returns a block for lists of count patches of size x size samples within a window: the farthest offsets in x and y.
// Scout finds at most as many as scouted.
func New(size, count, window, scouted int) *Block {
	return &Block{size: size, count: count, window: window, scouted: scouted, kernel: choose(size, count)}
}

// Open prepares for blocks whose corners are all y0 high, with references at the heights ys from there; y0 is even.
func (b *Block) Open(p Plane, y0 int, ys []int) {
	b.ys, b.width, b.y0 = ys, p.Width, y0
	b.strip.gather(p, y0, ys[len(ys)-1]+b.size, b.window)
	b.half.halve(&b.strip)
}

// Reset makes xs and the heights of Open the corners of the references, xs counted from x0, which is even. Lists have the
// reference everywhere.
func (b *Block) Reset(x0 int, xs []int) {
	b.xs, b.x0 = xs, x0
	b.lanes = roundUp(xs[len(xs)-1] + 1)
	b.origin = b.strip.at(x0, 0)
	ys := b.ys
	n := len(xs) * len(ys)
	b.corners, b.distances, b.found = resize(b.corners, n), resize(b.distances, n*b.count), resize(b.found, n*b.count)
	b.bounds, b.slots = resize(b.bounds, len(ys)*b.lanes), resize(b.slots, len(ys)*b.lanes)
	for i := range b.bounds {
		b.bounds[i] = -1
	}
	for i := range n {
		x, y := xs[i%len(xs)], ys[i/len(xs)]
		b.corners[i] = int32((b.y0+y)*b.width + x0 + x)
		at := i/len(xs)*b.lanes + x
		b.bounds[at], b.slots[at] = farthest, int32(i)
		list, corners := b.distances[i*b.count:][:b.count], b.found[i*b.count:][:b.count]
		for k := range list {
			list[k], corners[k] = farthest, b.corners[i]
		}
		list[0] = -1 // the reference stays in front of others at distance 0
	}
	if b.count == 1 {
		for i := range b.bounds {
			b.bounds[i] = -1
		}
	}
	b.squares = resize(b.squares, (ys[len(ys)-1]+b.size)*b.columns())
	most := max(len(ys)*b.lanes, roundUp(2*b.window+1)) + Lanes // loops may write a vector where one hit is left
	b.hits, b.near = resize(b.hits, most), resize(b.near, most)
}

func roundUp(n int) int { return (n + Lanes - 1) / Lanes * Lanes }

func resize[T any](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n)
	}
	return v[:n]
}

// columns is the number of columns that loops read.
func (b *Block) columns() int { return b.lanes + roundUp(b.size-1) }

// List returns the corners of the patches most similar to reference i, counted row by row: first the reference itself,
// then by distance, those at the same distance by corner. Where there are fewer, the reference is repeated.
func (b *Block) List(i int) []int32 { return b.found[i*b.count:][:b.count] }

// Full reports whether all lists have as many patches as they can take.
func (b *Block) Full() bool {
	for _, v := range b.bounds {
		if v == farthest {
			return false
		}
	}
	return true
}

// Scan compares each reference with the patch at an offset, which must not be (0, 0) nor one that was scanned.
func (b *Block) Scan(dx, dy int) {
	rows := b.ys[len(b.ys)-1] + b.size
	pitch := b.strip.pitch
	from := b.strip.pix[b.origin:]
	to := b.strip.pix[b.origin+dy*pitch+dx:]
	n := b.scan(b.hits, b.near, b.squares, from, to, b.bounds, b.ys, b.size, rows, b.lanes, pitch)
	b.insert(b.bounds, b.distances, b.found, b.slots, b.corners, b.hits[:n], b.near[:n], b.count, dy*b.width+dx)
}
