// Package ink lets the black ink of a picture follow the light that was denoised.
package ink

import (
	"context"
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// Reach is how far around a sample others decide about it.
const Reach = 2 * radius

const (
	radius = 4 // of the squares in which the black ink is a line over the light
	// least keeps slopes small where the light is flat: the square of a level of 8 bits.
	least = 1. / (255 * 255)
)

// Black returns what black becomes in an area of a picture when the light in red, green and blue has been denoised: a
// line over the denoised light around each sample (a guided filter: He, Sun, Tang, 2013).
func Black(black []float32, light [][]float32, width int, area goimage.Rectangle, workers int) []float32 {
	all := goimage.Rect(0, 0, width, len(black)/width)
	lines := area.Inset(-radius).Intersect(all)
	seen := lines.Inset(-radius).Intersect(all)
	guide, own, square, product := newField(seen), newField(seen), newField(seen), newField(seen)
	for y := seen.Min.Y; y < seen.Max.Y; y++ {
		for x := seen.Min.X; x < seen.Max.X; x++ {
			i, at := y*width+x, guide.index(x, y)
			g := (float64(light[0][i]) + float64(light[1][i]) + float64(light[2][i])) / 3
			k := float64(black[i])
			guide.v[at], own.v[at], square.v[at], product.v[at] = g, k, float64(g*g), float64(g*k)
		}
	}
	guides, owns := guide.means(lines, workers), own.means(lines, workers)
	squares, products := square.means(lines, workers), product.means(lines, workers)
	slope, base := newField(lines), newField(lines)
	for i, g := range guides.v {
		slope.v[i] = (products.v[i] - float64(g*owns.v[i])) / (squares.v[i] - float64(g*g) + least)
		base.v[i] = owns.v[i] - float64(slope.v[i]*g)
	}
	slope, base = slope.means(area, workers), base.means(area, workers)
	out := make([]float32, area.Dx()*area.Dy())
	for i := range out {
		at := area.Min.Add(goimage.Pt(i%area.Dx(), i/area.Dx()))
		out[i] = float32(float64(slope.v[i]*guide.v[guide.index(at.X, at.Y)]) + base.v[i])
	}
	return out
}

// field is a number for each sample of an area.
type field struct {
	at goimage.Rectangle
	v  []float64
}

func newField(at goimage.Rectangle) field { return field{at, make([]float64, at.Dx()*at.Dy())} }

func (f field) index(x, y int) int { return (y-f.at.Min.Y)*f.at.Dx() + x - f.at.Min.X }

// means returns the means over squares around the samples of an area. They do not depend on what else the field has.
func (f field) means(area goimage.Rectangle, workers int) field {
	wide := goimage.Rect(area.Min.X, f.at.Min.Y, area.Max.X, f.at.Max.Y)
	rows, out := newField(wide), newField(area)
	_ = parallel.For(context.Background(), workers, wide.Dy(), func(_, i int) { // too short to stop
		y := wide.Min.Y + i
		for x := wide.Min.X; x < wide.Max.X; x++ {
			from, to := max(x-radius, f.at.Min.X), min(x+radius+1, f.at.Max.X)
			sum := 0.0
			for _, v := range f.v[f.index(from, y):][:to-from] {
				sum += v
			}
			rows.v[rows.index(x, y)] = sum / float64(to-from)
		}
	})
	_ = parallel.For(context.Background(), workers, area.Dy(), func(_, i int) {
		y := area.Min.Y + i
		from, to := max(y-radius, f.at.Min.Y), min(y+radius+1, f.at.Max.Y)
		for x := area.Min.X; x < area.Max.X; x++ {
			sum := 0.0
			for at := from; at < to; at++ {
				sum += rows.v[rows.index(x, at)]
			}
			out.v[out.index(x, y)] = sum / float64(to-from)
		}
	})
	return out
}
