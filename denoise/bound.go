package denoise

import (
	"context"
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/noisemap"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// maxMoved is how many times its noise a sample may move. Noise goes beyond in one of two million samples; small
// bright spots and thin lines that are taken for noise go far beyond.
const maxMoved = 5

// bound keeps samples from moving by more than maxMoved times their noise. A sample changes by what it is itself and
// by what its result is, so a part of an image has the samples of the whole.
type bound struct {
	noise []noisemap.Curve // of each plane, or one of all, by the brightness of the result; nil = nothing is bounded
	lift  float32          // what is missing of the brightness: see image.pedestal
	gray  reflection       // of the planes; see stabilized

	// look, if it is not nil, sees the planes of each tile as they are before and after, and tells the noise.
	look func(noisy, result [][]float32) []noisemap.Curve
}

// evenBound bounds white noise. Sigma and chroma are its levels in the brightness and in the colours, after
// decorrelate.
func evenBound(sigma, chroma float64, planes int) *bound {
	if planes == 3 && chroma > 0 {
		sigma = math.Sqrt((sigma*sigma + 2*chroma*chroma) / 3) // each of red, green and blue has a third of each
	}
	return &bound{noise: []noisemap.Curve{noisemap.Even(sigma)}}
}

// keep bounds the samples of planes in a tile. Noisy has the tile before it was denoised. Three planes are luma and
// chroma, as decorrelate makes them.
func (b *bound) keep(planes []*planeTiles, noisy [][]float32, xs, ys span, workers int) {
	if b.look != nil {
		b.noise = b.seen(planes, noisy, xs, ys)
	}
	if b.noise == nil {
		return
	}
	least := float32(maxMoved * b.least())
	_ = parallel.For(context.Background(), workers, ys.len(), func(_, y int) { // too short to stop
		var rows [3][]float32
		for i, p := range planes {
			rows[i] = p.plane.Row(ys.from + y)[xs.from:xs.to]
		}
		for x := range xs.len() {
			at, moved := y*xs.len()+x, float32(0)
			for i := range planes {
				d := rows[i][x] - noisy[i][at]
				moved += d * d
			}
			if moved <= least*least { // the maps of the planes keep lengths
				continue
			}
			if len(planes) == 1 {
				rows[0][x], _ = b.held(0, noisy[0][at], rows[0][x])
				continue
			}
			b.keepColour([3]float32{noisy[0][at], noisy[1][at], noisy[2][at]}, rows, x)
		}
	})
}

// keepColour is keep for one pixel of luma and chroma.
func (b *bound) keepColour(noisy [3]float32, rows [3][]float32, x int) {
	red, green, blue := b.gray.of(toColours(noisy[0], noisy[1], noisy[2]))
	from := [3]float32{red, green, blue}
	red, green, blue = b.gray.of(toColours(rows[0][x], rows[1][x], rows[2][x]))
	to, any := [3]float32{red, green, blue}, false
	for i, v := range to {
		var far bool
		to[i], far = b.held(i, from[i], v)
		any = any || far
	}
	if any {
		rows[0][x], rows[1][x], rows[2][x] = toLuma(b.gray.of(to[0], to[1], to[2]))
	}
}

// held returns the result of a sample, not too far from the sample itself.
func (b *bound) held(plane int, noisy, result float32) (held float32, far bool) {
	most := float32(maxMoved * b.noise[min(plane, len(b.noise)-1)].At(float64(result+b.lift)))
	switch {
	case result > noisy+most:
		return noisy + most, true
	case result < noisy-most:
		return noisy - most, true
	}
	return result, false
}

// least returns the weakest noise of all planes.
func (b *bound) least() float64 {
	least := b.noise[0].Sigmas[0]
	for _, c := range b.noise {
		for _, s := range c.Sigmas {
			least = min(least, s)
		}
	}
	return least
}

// seen calls look for a tile.
func (b *bound) seen(planes []*planeTiles, noisy [][]float32, xs, ys span) []noisemap.Curve {
	before, after := copyPlanes(noisy), make([][]float32, len(planes))
	for i, p := range planes {
		after[i] = make([]float32, 0, xs.len()*ys.len())
		for y := ys.from; y < ys.to; y++ {
			after[i] = append(after[i], p.plane.Row(y)[xs.from:xs.to]...)
		}
	}
	if len(planes) == 3 {
		correlate(before, crew{workers: 1})
		correlate(after, crew{workers: 1})
	}
	lift(before, b.lift)
	lift(after, b.lift)
	return b.look(before, after)
}

// of is apply for one pixel.
func (m reflection) of(r, g, b float32) (x, y, z float32) {
	d := m.x*r + m.y*g + m.z*b
	return r - d*m.x, g - d*m.y, b - d*m.z
}
