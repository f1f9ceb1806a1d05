package denoise

import (
	"github.com/blorc-denoise/blorc-denoise/internal/hugepage"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// scaled sets dst to a multiple of src, padded to the size of a patch.
func scaled(dst *patchify.Plane, src patchify.Plane, factor float64, workers int) {
	src = patchify.Pad(src, patchSide)
	*dst = patchify.Plane{Width: src.Width, Height: src.Height, Pix: hugepage.Grow(dst.Pix, len(src.Pix))}
	pool{workers: workers}.pieces(len(src.Pix), func(from, to int) {
		out := dst.Pix[from:to]
		for i, v := range src.Pix[from:to] {
			out[i] = v * float32(factor)
		}
	})
}

// fromUnits sets a window to a plane in units of its noise, which may be padded.
func fromUnits(w, p patchify.Plane, sigma float64, workers int) {
	pool{workers: workers}.rows(w.Width, w.Height, func(from, to int) {
		for y := from; y < to; y++ {
			row := w.Row(y)
			for x, v := range p.Row(y)[:len(row)] {
				row[x] = v * float32(sigma)
			}
		}
	})
}

// unscaled returns a multiple of the upper left part of a plane.
func unscaled(src patchify.Plane, width, height int, factor float64) patchify.Plane {
	dst := patchify.NewPlane(width, height)
	for y := range height {
		row := dst.Row(y)
		for x, v := range src.Row(y)[:width] {
			row[x] = v * float32(factor)
		}
	}
	return dst
}
