package mosaic

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

const (
	// hot is how many standard deviations of the noise a hot pixel is above the samples of its colour around it.
	hot = 12
	// contrast is how many times the range of those samples it must be above them, besides: texture has a large range.
	contrast = 3
	// Light falls on neighbours, too. None of those of a hot pixel rises by more than this share of it, besides what
	// noise does.
	share, rise = 0.08, 2.5
)

// RemoveHot gives hot pixels the median of the samples of their colour around them, and returns their places. Points of
// light stay: they reach neighbours. Deviation returns the standard deviation of the noise at a level of a colour.
func (m Mosaic) RemoveHot(ctx context.Context, workers int, deviation func(colour int, level float32) float32) []int {
	var mu sync.Mutex
	found := map[int]float32{}
	_ = parallel.Bands(ctx, workers, m.Width, m.Height, func(from, to int) {
		for y := max(from, side); y < min(to, m.Height-side); y++ {
			for x := side; x < m.Width-side; x++ {
				if value, ok := m.isHot(x, y, deviation); ok {
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
func (m Mosaic) isHot(x, y int, deviation func(colour int, level float32) float32) (median float32, yes bool) {
	w, at := m.Width, y*m.Width+x
	v := m.Pix[at]
	if v <= max(m.Pix[at-side], m.Pix[at+side], m.Pix[at-side*w], m.Pix[at+side*w]) { // as most samples are
		return 0, false
	}
	near := m.around(x, y)
	noise := deviation(m.Colours[y%side][x%side], near.median)
	if v < near.median+hot*noise+contrast*near.span {
		return 0, false
	}
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			if (dx != 0 || dy != 0) && m.rises(x+dx, y+dy, v-near.median, deviation) {
				return 0, false
			}
		}
	}
	return near.median, true
}

// rises reports whether a sample beside one that is higher than its surroundings is so, too.
func (m Mosaic) rises(x, y int, by float32, deviation func(colour int, level float32) float32) bool {
	if x < side || y < side || x >= m.Width-side || y >= m.Height-side {
		return false
	}
	near := m.around(x, y)
	noise := deviation(m.Colours[y%side][x%side], near.median)
	return m.Pix[y*m.Width+x]-near.median > share*by+rise*noise
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
