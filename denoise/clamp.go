package denoise

import (
	"context"
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/noisemap"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// maxChange is the largest change of a sample, in standard deviations of its noise. Noise exceeds it in one of two
// million samples; small bright spots and thin lines that the models take for noise exceed it by far.
const maxChange = 5

// clamp bounds the change of each sample to maxChange times its noise. The bound depends on the sample and its result
// alone, so a part of an image has the samples of the whole. The nil clamp bounds nothing.
type clamp struct {
	noise []noisemap.Curve // of each plane, or one of all, by the brightness of the result
	lift  float32          // added to samples for their brightness: see image.pedestal
	gray  reflection       // of the planes; see wholeImage
}

// evenClamp clamps white noise. Sigma and chroma are its levels in the brightness and in the colours, after
// decorrelate.
func evenClamp(sigma, chroma float64, planes int) *clamp {
	if planes == 3 && chroma > 0 {
		sigma = math.Sqrt((sigma*sigma + 2*chroma*chroma) / 3) // each of red, green and blue has a third of each
	}
	return &clamp{noise: []noisemap.Curve{noisemap.Even(sigma)}}
}

// keep clamps the results of the planes of a tile. Three planes are luma and chroma, as decorrelate makes them.
func (b *clamp) keep(noisy, results []part, workers int) {
	if b == nil {
		return
	}
	least := float32(maxChange * b.least())
	_ = parallel.For(context.Background(), workers, noisy[0].ys.len(), func(_, y int) { // too short to stop
		var from, to [3][]float32
		for i := range results {
			from[i], to[i] = noisy[i].row(y), results[i].row(y)
		}
		for x := range to[0] {
			moved := float32(0)
			for i := range results {
				d := to[i][x] - from[i][x]
				moved += d * d
			}
			if moved <= least*least { // the maps of the planes keep lengths
				continue
			}
			if len(results) == 1 {
				to[0][x], _ = b.sample(0, from[0][x], to[0][x])
				continue
			}
			b.keepColour([3]float32{from[0][x], from[1][x], from[2][x]}, to, x)
		}
	})
}

// keepAll is keep for a whole image.
func (b *clamp) keepAll(noisy [][]float32, img image, workers int) {
	all := func(planes [][]float32) (parts []part) {
		for _, p := range planes {
			parts = append(parts, part{patchify.Plane{Width: img.width, Height: img.height, Pix: p}, span{0, img.width},
				span{0, img.height}})
		}
		return parts
	}
	b.keep(all(noisy), all(img.planes), workers)
}

// keepColour is keep for one pixel of luma and chroma.
func (b *clamp) keepColour(noisy [3]float32, rows [3][]float32, x int) {
	red, green, blue := b.gray.of(toColours(noisy[0], noisy[1], noisy[2]))
	from := [3]float32{red, green, blue}
	red, green, blue = b.gray.of(toColours(rows[0][x], rows[1][x], rows[2][x]))
	to, any := [3]float32{red, green, blue}, false
	for i, v := range to {
		var far bool
		to[i], far = b.sample(i, from[i], v)
		any = any || far
	}
	if any {
		rows[0][x], rows[1][x], rows[2][x] = toLuma(b.gray.of(to[0], to[1], to[2]))
	}
}

// sample returns the result of a sample, not too far from the sample itself.
func (b *clamp) sample(plane int, noisy, result float32) (kept float32, far bool) {
	most := float32(maxChange * b.noise[min(plane, len(b.noise)-1)].At(float64(result+b.lift)))
	switch {
	case result > noisy+most:
		return noisy + most, true
	case result < noisy-most:
		return noisy - most, true
	}
	return result, false
}

// least returns the weakest noise of all planes.
func (b *clamp) least() float64 {
	least := b.noise[0].Sigmas[0]
	for _, c := range b.noise {
		for _, s := range c.Sigmas {
			least = min(least, s)
		}
	}
	return least
}

// of is apply for one pixel.
func (m reflection) of(r, g, b float32) (x, y, z float32) {
	d := m.x*r + m.y*g + m.z*b
	return r - d*m.x, g - d*m.y, b - d*m.z
}
