package scan

// Scout calls found with the offsets of the patches that are most similar to reference i at half the size, within the
// window: offsets are even, and so is the place that stands for the reference. They are seven eighths as many as a list
// takes, but at most as many as New was told: the last ones are most often of no use to other references.
func (b *Block) Scout(i int, found func(dx, dy int)) {
	h := &b.half
	size, reach := max(b.size/2, 1), b.window/2
	at := h.at((b.x0+b.xs[i%len(b.xs)])/2, b.ys[i/len(b.xs)]/2)
	n := min((7*b.count+7)/8, b.scouted)
	b.scoutDistances, b.scoutPlaces = resize(b.scoutDistances, n), resize(b.scoutPlaces, n)
	for k := range b.scoutDistances {
		b.scoutDistances[k] = farthest
	}
	b.scoutLine(h.pix[at:], at, 0, size, reach)
	for dy := 1; dy <= reach; dy++ { // from near to far: similar patches are most often near
		b.scoutLine(h.pix[at:], at, -dy, size, reach)
		b.scoutLine(h.pix[at:], at, dy, size, reach)
	}
	for k, d := range b.scoutDistances {
		if d == farthest {
			return
		}
		p := int(b.scoutPlaces[k]) + reach // in its line: at least 0, less than the pitch
		dy := floorDiv(p, h.pitch)
		found(2*(p-dy*h.pitch-reach), 2*dy)
	}
}

// scoutLine compares a patch of half the size at a place with those on the line dy away from it.
func (b *Block) scoutLine(patch []float32, at, dy, size, reach int) {
	h := &b.half
	place := dy*h.pitch - reach
	last := len(b.scoutDistances) - 1
	n := b.line(b.hits, b.near, patch, h.pix[at+place:], b.scoutDistances[last], size, roundUp(2*reach+1), h.pitch)
	for k, i := range b.hits[:n] {
		if p := place + int(i); p != 0 && int(i) <= 2*reach {
			put(b.scoutDistances, b.scoutPlaces, b.near[k], int32(p))
		}
	}
}

func floorDiv(a, b int) int {
	if a < 0 {
		return -((b - 1 - a) / b)
	}
	return a / b
}
