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
	kernel              *kernel

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
	column    []int32   // of a lane: which of xs

	squares []float32 // memory of loops
	hits    []int32
	near    []float32
}

// New returns a block for lists of count patches of size x size samples within a window: the farthest offsets in x and y.
func New(size, count, window int) *Block {
	return &Block{size: size, count: count, window: window, kernel: choose(size)}
}

// Reset makes xs and ys the corners of the references, counted from (x0, y0). Lists have the reference everywhere.
func (b *Block) Reset(p Plane, x0, y0 int, xs, ys []int) {
	b.xs, b.ys, b.width = xs, ys, p.Width
	b.lanes = roundUp(xs[len(xs)-1] + 1)
	b.gather(p, x0, y0)
	n := len(xs) * len(ys)
	b.corners, b.distances, b.found = resize(b.corners, n), resize(b.distances, n*b.count), resize(b.found, n*b.count)
	b.bounds, b.column = resize(b.bounds, len(ys)*b.lanes), resize(b.column, b.lanes)
	for i := range b.bounds {
		b.bounds[i] = -1
	}
	for i := range n {
		x, y := xs[i%len(xs)], ys[i/len(xs)]
		b.corners[i] = int32((y0+y)*p.Width + x0 + x)
		b.bounds[i/len(xs)*b.lanes+x] = farthest
		b.column[x] = int32(i % len(xs))
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

// List returns the patches most similar to reference i, counted row by row, and their squared distances: first the
// reference itself, at -1, then by distance, those at the same distance by corner. Where there are fewer, the reference
// is repeated, at a distance that cannot be.
func (b *Block) List(i int) (corners []int32, distances []float32) {
	return b.found[i*b.count:][:b.count], b.distances[i*b.count:][:b.count]
}

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
	shift := dy*b.pitch + dx
	rows := b.ys[len(b.ys)-1] + b.size
	n := b.kernel.scan(b.hits, b.near, b.squares, b.pix[b.origin:], b.pix[b.origin+shift:], b.bounds, b.ys, b.size, rows, b.lanes, b.pitch)
	for i, h := range b.hits[:n] {
		y, x := int(h)/b.lanes, int(h)%b.lanes
		ref := y*len(b.xs) + int(b.column[x])
		b.bounds[h] = b.insert(ref, b.near[i], b.corners[ref]+int32(dy*b.width+dx))
	}
}

// insert puts a patch into a list unless it is full of closer ones, and returns the last distance.
func (b *Block) insert(ref int, d float32, corner int32) float32 {
	found, distances := b.List(ref)
	k := b.count - 1
	if d > distances[k] || d == distances[k] && corner > found[k] {
		return distances[k]
	}
	for k > 0 && (distances[k-1] > d || distances[k-1] == d && found[k-1] > corner) {
		distances[k], found[k] = distances[k-1], found[k-1]
		k--
	}
	distances[k], found[k] = d, corner
	return distances[b.count-1]
}
