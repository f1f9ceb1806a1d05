package scan

// CoarseSearch searches the window around reference i at half the size and calls found with the offsets of the most
// similar patches, in units of the plane. Offsets are even. The position of the reference is rounded down to even
// coordinates. It finds seven eighths as many patches as a list has, since the last ones rarely help other references,
// and at most the number given to New. Rows more than denseRows away at half the size are searched only if their
// distance is even.
func (b *Block) CoarseSearch(i int, found func(dx, dy int)) {
	h := &b.half
	size, reach := max(b.size/2, 1), b.window/2
	at := h.at((b.x0+b.xs[i%len(b.xs)])/2, b.ys[i/len(b.xs)]/2)
	n := min((7*b.count+7)/8, b.coarseCount)
	b.coarseDistances, b.coarsePlaces = resize(b.coarseDistances, n), resize(b.coarsePlaces, n)
	for k := range b.coarseDistances {
		b.coarseDistances[k] = farthest
	}
	b.coarseLine(h.pix[at:], at, 0, size, reach)
	for dy := 1; dy <= reach; dy++ { // from near to far, because similar patches are mostly near
		if dy > denseRows && dy%2 == 1 {
			continue
		}
		b.coarseLine(h.pix[at:], at, -dy, size, reach)
		b.coarseLine(h.pix[at:], at, dy, size, reach)
	}
	for k, d := range b.coarseDistances {
		if d == farthest {
			return
		}
		p := int(b.coarsePlaces[k]) + reach // dy*pitch + dx + reach
		dy := floorDiv(p, h.pitch)
		found(2*(p-dy*h.pitch-reach), 2*dy)
	}
}

// denseRows is how far away a coarse search looks at every row. With 12, groups are as good as with all rows; with 6
// they are worse on buildings.
const denseRows = 12

// coarseLine compares a patch at half the size, whose index is at, with the patches dy rows away from it.
func (b *Block) coarseLine(patch []float32, at, dy, size, reach int) {
	h := &b.half
	place := dy*h.pitch - reach
	last := len(b.coarseDistances) - 1
	n := b.line(b.hits, b.near, patch, h.pix[at+place:], b.coarseDistances[last], size, roundUp(2*reach+1), h.pitch)
	for k, i := range b.hits[:n] {
		if p := place + int(i); p != 0 && int(i) <= 2*reach {
			put(b.coarseDistances, b.coarsePlaces, b.near[k], int32(p))
		}
	}
}

func floorDiv(a, b int) int {
	if a < 0 {
		return -((b - 1 - a) / b)
	}
	return a / b
}
