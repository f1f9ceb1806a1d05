// Package scene draws a picture by code: a street in the evening light, for tests
// and demonstrations that need an image without shipping one. It is made to be hard
// on a denoiser. There are windows that repeat in slight perspective, brickwork,
// stripes of many periods and directions, lettering down to the unreadable, a
// resolution star, leaves, and, where noise and banding would show most, a smooth sky.
package scene

import (
	"math"
	"runtime"
	"sync"
)

// aspect is the width of the scene; its height is 1. The middle square holds all
// that matters.
const aspect = 4.0 / 3

// Draw returns the red, green and blue planes of the scene, each of width x height
// samples in rows, from 0 to 1 in display values (not linear light). The scene fills
// the image and is cropped to its shape. Each sample is the mean of many points of its
// pixel, so edges are smooth at any size. The same size gives the same image.
// Both sides must be at least 1.
func Draw(width, height int) [3][]float32 {
	if width < 1 || height < 1 {
		panic("scene: an image needs at least one sample")
	}
	var planes [3][]float32
	for i := range planes {
		planes[i] = make([]float32, width*height)
	}
	view := newCamera(width, height)
	var rows sync.WaitGroup
	workers := min(height, runtime.GOMAXPROCS(0))
	for worker := range workers {
		rows.Go(func() {
			for y := worker; y < height; y += workers {
				for x := range width {
					c := view.pixel(x, y)
					at := y*width + x
					planes[0][at], planes[1][at], planes[2][at] = float32(c.r), float32(c.g), float32(c.b)
				}
			}
		})
	}
	rows.Wait()
	return planes
}

// Gray returns the BT.601 luma of red, green and blue planes.
func Gray(planes [3][]float32) []float32 {
	luma := make([]float32, len(planes[0]))
	for i := range luma {
		r, g, b := float64(planes[0][i]), float64(planes[1][i]), float64(planes[2][i])
		luma[i] = float32(0.299*r + 0.587*g + 0.114*b)
	}
	return luma
}

// camera maps pixels to the scene.
type camera struct {
	left, top float64 // of the image, in the scene
	pixelSize float64
	grid      int // points per pixel in each direction
}

func newCamera(width, height int) camera {
	size := min(aspect/float64(width), 1/float64(height))
	return camera{
		left:      (aspect - size*float64(width)) / 2,
		top:       (1 - size*float64(height)) / 2,
		pixelSize: size,
		// The finest detail has a period of about 1/300. Where that is less than a
		// pixel, it takes more points to average it out than to smooth an edge.
		grid: max(4, min(16, int(math.Ceil(1600*size)))),
	}
}

func (v camera) pixel(x, y int) colour {
	var sum colour
	for j := range v.grid {
		for i := range v.grid {
			sum = sum.plus(at(
				v.left+v.pixelSize*(float64(x)+(float64(i)+0.5)/float64(v.grid)),
				v.top+v.pixelSize*(float64(y)+(float64(j)+0.5)/float64(v.grid)),
			))
		}
	}
	return sum.times(1 / float64(v.grid*v.grid)).clamp()
}

// layers are the things in the scene, the nearest first. Each tells its colour at a
// point, and whether it is there at all.
var layers = []func(x, y float64) (colour, bool){lamp, tree, tower, facade, ground, skyline}

// at is the scene: x goes right and y down, y from 0 to 1.
func at(x, y float64) colour {
	for _, layer := range layers {
		if c, ok := layer(x, y); ok {
			return c
		}
	}
	return sky(x, y)
}
