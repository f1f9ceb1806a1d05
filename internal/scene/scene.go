// Package scene draws a street in the evening by code, for tests and demonstrations that need an image without shipping
// one. The scene is hard to denoise: it has windows that repeat in slight perspective, brickwork, stripes of many
// periods and directions, letters down to unreadable sizes, a resolution star and leaves. Its smooth sky shows noise
// and banding best.
package scene

import (
	"math"
	"runtime"
	"sync"
)

// aspect is the width of the scene. Its height is 1. The square in the middle holds everything of interest.
const aspect = 4.0 / 3

// Draw returns the red, green and blue planes of the scene, each of width x height samples in rows. Samples are from 0
// to 1 and in display values, not linear light. The scene fills the image; what does not fit its shape is cut off. Each
// sample is the mean over many points of its pixel, so edges are smooth at any size. The same size always gives the
// same image. Draw panics if a side is less than 1.
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

// camera maps the pixels of an image to the scene.
type camera struct {
	left, top float64 // corner of the image in the scene
	pixelSize float64 // in units of the scene
	grid      int     // points per pixel in each direction
}

func newCamera(width, height int) camera {
	size := min(aspect/float64(width), 1/float64(height))
	return camera{
		left:      (aspect - size*float64(width)) / 2,
		top:       (1 - size*float64(height)) / 2,
		pixelSize: size,
		// The finest detail has a period of about 1/300. If a pixel is larger than that, averaging the detail takes
		// more points than smoothing an edge.
		grid: max(4, min(16, int(math.Ceil(1600*size)))),
	}
}

// pixel returns the mean colour of a pixel.
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

// layers are the objects in the scene, the nearest first. Each function returns the colour of its object at a point and
// whether the object covers that point.
var layers = []func(x, y float64) (colour, bool){lamp, tree, tower, facade, ground, skyline}

// at returns the colour of the scene at a point. x goes right from 0 to aspect, and y down from 0 to 1.
func at(x, y float64) colour {
	for _, layer := range layers {
		if c, ok := layer(x, y); ok {
			return c
		}
	}
	return sky(x, y)
}
