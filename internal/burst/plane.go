package burst

import (
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// halved returns a plane of the means of squares of two samples. What is left of an odd side is left out.
func halved(p patchify.Plane) patchify.Plane {
	h := patchify.NewPlane(p.Width/2, p.Height/2)
	for y := range h.Height {
		a, b, out := p.Row(2*y), p.Row(2*y+1), h.Row(y)
		for x := range out {
			out[x] = 0.25 * (a[2*x] + a[2*x+1] + b[2*x] + b[2*x+1])
		}
	}
	return h
}

// smallest is the least side of the smallest plane of a pyramid.
const smallest = 48

// pyramid returns a plane at its size, at half of it, and so on.
func pyramid(p patchify.Plane) (levels []patchify.Plane) {
	levels = append(levels, p)
	for min(p.Width, p.Height) >= 2*smallest {
		p = halved(p)
		levels = append(levels, p)
	}
	return levels
}

// slopes returns the central differences of a plane along x and y.
func slopes(p patchify.Plane) (alongX, alongY patchify.Plane) {
	alongX, alongY = patchify.NewPlane(p.Width, p.Height), patchify.NewPlane(p.Width, p.Height)
	for y := range p.Height {
		above, row, below := p.Row(max(y-1, 0)), p.Row(y), p.Row(min(y+1, p.Height-1))
		u, v := alongX.Row(y), alongY.Row(y)
		for x := range row {
			u[x] = 0.5 * (row[min(x+1, p.Width-1)] - row[max(x-1, 0)])
			v[x] = 0.5 * (below[x] - above[x])
		}
	}
	return alongX, alongY
}

// place is a place between four samples.
type place struct {
	at                 int // the sample above and to the left
	w00, w10, w01, w11 float32
}

// placeAt returns the place (x, y), in samples from the centre of the first one. It is false outside of the centres.
func placeAt(p patchify.Plane, x, y float64) (place, bool) {
	if !(x >= 0 && y >= 0 && x < float64(p.Width-1) && y < float64(p.Height-1)) {
		return place{}, false
	}
	i, j := int(x), int(y)
	u, v := float32(x-float64(i)), float32(y-float64(j))
	return place{j*p.Width + i, (1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v}, true
}

// of interpolates a plane.
func (s place) of(p patchify.Plane) float32 {
	above, below := p.Pix[s.at:][:2], p.Pix[s.at+p.Width:][:2]
	return s.w00*above[0] + s.w10*above[1] + s.w01*below[0] + s.w11*below[1]
}
