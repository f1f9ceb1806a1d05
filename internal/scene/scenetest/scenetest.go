// Package scenetest draws the scene for tests. Drawing takes long, and many tests want the same size.
package scenetest

import (
	"slices"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/scene"
)

var (
	mu    sync.Mutex
	drawn = map[[2]int][3][]float32{}
)

// Draw returns what scene.Draw does. It draws each size once in a process, and returns copies.
func Draw(width, height int) [3][]float32 {
	mu.Lock()
	defer mu.Unlock()
	size := [2]int{width, height}
	planes, ok := drawn[size]
	if !ok {
		planes = scene.Draw(width, height)
		drawn[size] = planes
	}
	for i, p := range planes {
		planes[i] = slices.Clone(p)
	}
	return planes
}

// Gray returns the BT.601 luma of red, green and blue planes, which must have the same length.
func Gray(planes [3][]float32) []float32 {
	luma := make([]float32, len(planes[0]))
	for i := range luma {
		r, g, b := float64(planes[0][i]), float64(planes[1][i]), float64(planes[2][i])
		luma[i] = float32(0.299*r + 0.587*g + 0.114*b)
	}
	return luma
}
