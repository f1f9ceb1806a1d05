package denoise

import "math"

// maxWindow is how many samples a tile with its margins may have. In colour, such a tile takes about 500 MB at fast and
// 750 MB at balanced quality.
const maxWindow = 11 << 20

// span is the range of positions from..to-1 on an axis.
type span struct{ from, to int }

func (s span) len() int { return s.to - s.from }

// cutPlane divides a plane into columns and rows of tiles: those with the least work on margins and the smallest
// windows, among all whose windows are not too large. If all are, the windows are the smallest.
func (t *tiler) cutPlane(width, height int) (columns, rows []span) {
	if t.side > 0 {
		return t.cut(width, (width+t.side-1)/t.side), t.cut(height, (height+t.side-1)/t.side)
	}
	least := math.Inf(1)
	for nx := 1; ; nx++ {
		xs := t.cut(width, nx)
		widest, wide := t.windows(xs, width)
		ys := t.fewest(height, maxWindow/widest)
		highest, high := t.windows(ys, height)
		window := float64(widest) * float64(highest)
		cost := float64(wide)*float64(high) + window/2 // a sample less in memory is worth half of one less to denoise
		if window > maxWindow {
			cost = window * math.MaxInt64 // more than that of any windows that fit
		}
		if cost < least {
			least, columns, rows = cost, xs, ys
		}
		if len(ys) == 1 || t.smallest(width, nx) { // more columns only add margins, or are no smaller
			return columns, rows
		}
	}
}

// fewest divides an axis into the fewest tiles with windows of at most a given length, or into the smallest tiles.
func (t *tiler) fewest(length, most int) []span {
	for n := 1; ; n++ {
		tiles := t.cut(length, n)
		if longest, _ := t.windows(tiles, length); longest <= most || t.smallest(length, n) {
			return tiles
		}
	}
}

// smallest reports whether cutting an axis into more tiles makes none smaller.
func (t *tiler) smallest(length, count int) bool {
	least := t.margin
	if least == 0 {
		least = t.align
	}
	return (length+count-1)/count <= least
}

// windows returns the length of the longest window of tiles, and that of all of them.
func (t *tiler) windows(tiles []span, length int) (longest, sum int) {
	for _, s := range tiles {
		n := t.widen(s, length).len()
		longest, sum = max(longest, n), sum+n
	}
	return longest, sum
}

// cut divides an axis into about count tiles of about equal length. Only the last may be shorter than a margin. Their
// windows start at multiples of the alignment.
func (t *tiler) cut(length, count int) []span {
	target := (length + count - 1) / count
	side := roundUp(max(t.margin, target), t.align)
	first := t.margin + roundUp(max(0, target-t.margin), t.align)
	tiles := []span{{0, min(first, length)}}
	for from := first; from < length; from += side {
		tiles = append(tiles, span{from, min(from+side, length)})
	}
	return tiles
}

// widen adds the margins to a tile.
func (t *tiler) widen(tile span, length int) span {
	return span{max(0, tile.from-t.margin), min(length, tile.to+t.margin)}
}

func roundUp(n, step int) int { return (n + step - 1) / step * step }
