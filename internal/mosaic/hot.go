package mosaic

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// hot is how many standard deviations of the noise a hot pixel is above the samples of its colour around it.
const hot = 12

// Light falls on neighbours, too. None of those of a hot pixel rises by more than this share of it, besides what noise
// and texture do.
const share, rise = 0.08, 3

// texture is how much texture excuses, in ranges of the samples of a colour around a sample: contrast is how many of
// them a hot pixel must be above those samples, and beside is how many of theirs its neighbours may rise by.
type texture struct{ contrast, beside float32 }

// A sample is a hot pixel by the first rule if no other one within some samples is one by the second: where several
// look so, they are texture.
var (
	strict = texture{2, 0.3}
	loose  = texture{1.5, 0.6}
)

const alone = 5

// hotFinder finds hot pixels. Deviation returns the standard deviation of the noise at a level of a colour.
type hotFinder struct {
	Mosaic
	deviation func(colour int, level float32) float32
}

// RemoveHot gives hot pixels the median of the samples of their colour around them, and returns their places. Points of
// light stay: they reach neighbours. Deviation returns the standard deviation of the noise at a level of a colour.
func (m Mosaic) RemoveHot(ctx context.Context, workers int, deviation func(colour int, level float32) float32) []int {
	f := hotFinder{m, deviation}
	var mu sync.Mutex
	found := map[int]float32{}
	_ = parallel.Bands(ctx, workers, m.Width, m.Height, func(from, to int) {
		for y := from; y < to; y++ {
			for x := range m.Width {
				if value, ok := f.isHot(x, y, strict); ok && f.isAlone(x, y) {
					mu.Lock()
					found[y*m.Width+x] = value
					mu.Unlock()
				}
			}
		}
	})
	for at, v := range found {
		m.Pix[at] = v
	}
	return slices.Sorted(maps.Keys(found))
}

// isHot reports whether a sample is a hot pixel, and what is to replace it.
func (f hotFinder) isHot(x, y int, t texture) (median float32, yes bool) {
	if !f.hasSurroundings(x, y) {
		return 0, false
	}
	w, at := f.Width, y*f.Width+x
	v := f.Pix[at]
	if v <= max(f.Pix[at-side], f.Pix[at+side], f.Pix[at-side*w], f.Pix[at+side*w]) { // as most samples are
		return 0, false
	}
	near := f.around(x, y)
	if v < near.median+hot*f.noise(x, y, near)+t.contrast*near.span {
		return 0, false
	}
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			if (dx != 0 || dy != 0) && f.rises(x+dx, y+dy, v-near.median, t) {
				return 0, false
			}
		}
	}
	return near.median, true
}

// isAlone reports whether no sample near another one looks like a hot pixel.
func (f hotFinder) isAlone(x, y int) bool {
	for dy := -alone; dy <= alone; dy++ {
		for dx := -alone; dx <= alone; dx++ {
			if dx == 0 && dy == 0 {
				continue
			}
			if _, yes := f.isHot(x+dx, y+dy, loose); yes {
				return false
			}
		}
	}
	return true
}

// rises reports whether a sample beside one that is higher than its surroundings is so, too.
func (f hotFinder) rises(x, y int, by float32, t texture) bool {
	if !f.hasSurroundings(x, y) {
		return false
	}
	near := f.around(x, y)
	return f.Pix[y*f.Width+x]-near.median > share*by+rise*f.noise(x, y, near)+t.beside*near.span
}

// noise returns the standard deviation of the noise of a sample.
func (f hotFinder) noise(x, y int, near surroundings) float32 {
	return f.deviation(f.Colours[y%side][x%side], near.median)
}

// hasSurroundings reports whether all cells around a sample are within the mosaic.
func (m Mosaic) hasSurroundings(x, y int) bool {
	return x >= side && y >= side && x < m.Width-side && y < m.Height-side
}

// surroundings are the eight samples of the same place in the cells around.
type surroundings struct{ median, span float32 } // span: without the lowest and the highest

func (m Mosaic) around(x, y int) surroundings {
	var memory [8]float32
	near := memory[:0]
	for dy := -side; dy <= side; dy += side {
		for dx := -side; dx <= side; dx += side {
			if dx != 0 || dy != 0 {
				near = append(near, m.Pix[(y+dy)*m.Width+x+dx])
			}
		}
	}
	slices.Sort(near)
	return surroundings{(near[3] + near[4]) / 2, near[6] - near[1]}
}
