package drawn

import (
	"context"
	goimage "image"
	"math"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

const (
	// minRepeating is the share of tiles that repeat, of those that are not flat, from which an image is looked at
	// further. Photographs have 0.02 or less.
	minRepeating = 0.25
	// maxLasting is how many times more edges that go on than others there are where something is drawn. In noise with
	// few levels, there are up to 2 times more, and up to 15 times in noise that JPEG has compressed.
	maxLasting = 20
	// minCrossed is how many times more others there are in a tile of a dither if the picture behind it is smooth
	// there, and minDithered is the share of such tiles. Dithers have 0.03 or more of them, and noise 0.003 by
	// chance.
	minCrossed, minDithered = 2, 1.0 / 64
	// someTiles is the number of tiles, about, that show that an image is a photograph.
	someTiles = 4096
)

// Find looks for what is drawn in an image: its planes have width x height samples row by row, on any scale. The result
// does not depend on the number of workers; 0 means all processors.
func Find(planes [][]float32, width, height, workers int) Map {
	m := Map{across: (width + side - 1) / side, bounds: goimage.Rect(0, 0, width, height)}
	m.parts = make([]goimage.Rectangle, m.across*((height+side-1)/side))
	step := weak * spread(planes, workers)
	some := 1 + len(m.parts)/someTiles
	tiles := m.look(planes, step, some, workers)
	if some > 1 && !sum(tiles).isPicture() {
		tiles = m.look(planes, step, 1, workers)
	}
	found := sum(tiles)
	switch {
	case found.isPicture():
		return Map{}
	case float64(found.dithered-1) > minDithered*float64(found.repeating):
		return Map{all: true}
	case found.lasting <= maxLasting*(found.crossed+1):
		return Map{}
	}
	pictures := make([]bool, len(tiles))
	for i, c := range tiles {
		pictures[i] = c.isPicture()
	}
	m.outline(pictures, planes, step)
	if m.largest.Empty() {
		return Map{all: true}
	}
	return m
}

// look counts in the tiles of an image, row by row, or only in one of some. Differences up to step are weak.
func (m Map) look(planes [][]float32, step float32, some, workers int) []counts {
	all := make([]counts, len(m.parts))
	memory := make([]tile, parallel.Workers(workers))
	_ = parallel.For(context.Background(), workers, len(all)/m.across, func(worker, row int) { // too short to stop
		for x := row % some; x < m.across; x += some {
			i := row*m.across + x
			all[i] = memory[worker].count(planes, m.bounds.Dx(), m.tile(i), step)
		}
	})
	return all
}

// sums says what an image consists of.
type sums struct {
	repeating, dithered, pictures int // tiles
	lasting, crossed              int // squares in the tiles that repeat
}

// isPicture reports whether few tiles repeat.
func (s sums) isPicture() bool {
	return s.repeating == 0 || float64(s.repeating) < minRepeating*float64(s.repeating+s.pictures)
}

// sum adds up what was counted in tiles.
func sum(tiles []counts) (s sums) {
	for _, c := range tiles {
		switch {
		case c.isPicture():
			s.pictures++
		case c.repeats():
			s.repeating++
			s.lasting += c.lasting
			s.crossed += c.crossed
			if c.isDithered() {
				s.dithered++
			}
		}
	}
	return s
}

// spread returns the largest range of a plane.
func spread(planes [][]float32, workers int) (most float32) {
	for _, p := range planes {
		var mu sync.Mutex
		low, high := float32(math.Inf(1)), float32(math.Inf(-1))
		_ = parallel.Bands(context.Background(), workers, 1, len(p), func(from, to int) {
			l, h := bounds(p[from:to])
			mu.Lock()
			defer mu.Unlock()
			low, high = min(low, l), max(high, h)
		})
		most = max(most, high-low)
	}
	return most
}

// bounds returns the least and the largest sample. NaN is neither.
func bounds(p []float32) (low, high float32) {
	low, high = float32(math.Inf(1)), float32(math.Inf(-1))
	for _, v := range p { // comparisons take less time than min and max
		if v < low {
			low = v
		}
		if v > high {
			high = v
		}
	}
	return low, high
}
