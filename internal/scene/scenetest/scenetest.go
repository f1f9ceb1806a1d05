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
