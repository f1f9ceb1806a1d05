// Package scan compares patches of a plane with the patches around them and keeps the most similar ones.
//
// It works on blocks: references, patches whose corners lie close together, and the part of the plane around them. At one
// offset, the squared differences of all samples are computed once and summed for each reference, so that overlapping
// references share them. The loops exist in plain Go (twin.go, which says what each computes) and in assembly for AVX2
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
	size, count, window int
	*kernel

	xs, ys []int     // corners of the references, from that of the block
	width  int       // of the plane
	pix    []float32 // the block and what lies within the window around it; outside of the plane +Inf
	pitch  int       // samples from row to row
	origin int       // of the block in pix
	lanes  int       // columns in which corners may lie

	corners   []int32   // of the references in the plane, y*width+x
	distances []float32 // count for each reference, in order
	found     []int32   // their corners
	bounds    []float32 // len(ys) x lanes: the last distance of each list, or -1 where there is no reference
	slots     []int32   // of a bound: which reference

	keptDistances []float32 // of a list, in Explore
	keptFound     []int32

	squares []float32 // memory of loops
	hits    []int32
	near    []float32
}

// New returns a block for lists of count patches of size x size samples within a window: the farthest offsets in x and y.
func New(size, count, window int) *Block {
	return &Block{size: size, count: count, window: window, kernel: choose(size, count)}
}

// Reset makes xs and ys the corners of the references, counted from (x0, y0). Lists have the reference everywhere.
func (b *Block) Reset(p Plane, x0, y0 int, xs, ys []int) {
	b.xs, b.ys, b.width = xs, ys, p.Width
	b.lanes = roundUp(xs[len(xs)-1] + 1)
	b.gather(p, x0, y0)
	n := len(xs) * len(ys)
	b.corners, b.distances, b.found = resize(b.corners, n), resize(b.distances, n*b.count), resize(b.found, n*b.count)
	b.bounds, b.slots = resize(b.bounds, len(ys)*b.lanes), resize(b.slots, len(ys)*b.lanes)
	for i := range b.bounds {
		b.bounds[i] = -1
	}
	for i := range n {
		x, y := xs[i%len(xs)], ys[i/len(xs)]
		b.corners[i] = int32((y0+y)*p.Width + x0 + x)
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

// gather copies the samples around the block.
func (b *Block) gather(p Plane, x0, y0 int) {
	b.pitch = 2*b.window + max(b.columns(), 2*Lanes+b.lanes)
	rows := 2*b.window + b.ys[len(b.ys)-1] + b.size
	b.origin = b.window*b.pitch + b.window
	b.pix = resize(b.pix, rows*b.pitch)
	left := x0 - b.window
	from, to := max(left, 0), min(left+b.pitch, p.Width)
	for r := range rows {
		row := b.pix[r*b.pitch:][:b.pitch]
		y := y0 - b.window + r
		if y < 0 || y >= p.Height {
			outside(row)
			continue
		}
		outside(row[:from-left])
		copy(row[from-left:], p.Pix[y*p.Width+from:y*p.Width+to])
		outside(row[to-left:])
	}
}

func outside(row []float32) {
	for i := range row {
		row[i] = float32(math.Inf(1))
	}
}

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
	from := b.pix[b.origin:]
	to := b.pix[b.origin+dy*b.pitch+dx:]
	n := b.scan(b.hits, b.near, b.squares, from, to, b.bounds, b.ys, b.size, rows, b.lanes, b.pitch)
	b.insert(b.bounds, b.distances, b.found, b.slots, b.corners, b.hits[:n], b.near[:n], b.count, dy*b.width+dx)
}

// ScanLine compares reference i with the patches at the offsets (-window, dy) to (window, dy), except for those from
// (-skip, dy) to (skip, dy). None of the others must have been scanned.
func (b *Block) ScanLine(i, dy, skip int) {
	x, y := b.xs[i%len(b.xs)], b.ys[i/len(b.xs)]
	at := b.origin + y*b.pitch + x
	to := b.pix[at+dy*b.pitch-b.window:]
	lists := b.distances[i*b.count:][:b.count]
	n := b.line(b.hits, b.near, b.pix[at:], to, lists[b.count-1], b.size, roundUp(2*b.window+1), b.pitch)
	for k, h := range b.hits[:n] {
		if dx := int(h) - b.window; dx <= b.window && (dx < -skip || dx > skip) {
			put(lists, b.found[i*b.count:][:b.count], b.near[k], b.corners[i]+int32(dy*b.width+dx))
		}
	}
}

// Explore runs search, which may call ScanLine for reference i and read its list, and then takes back what that found.
func (b *Block) Explore(i int, search func()) {
	from, to := i*b.count, (i+1)*b.count
	b.keptDistances = append(b.keptDistances[:0], b.distances[from:to]...)
	b.keptFound = append(b.keptFound[:0], b.found[from:to]...)
	search()
	copy(b.distances[from:to], b.keptDistances)
	copy(b.found[from:to], b.keptFound)
}
