package train

import "github.com/blorc-denoise/blorc-denoise/patchify"

// orientation is one of the eight ways to lay a square on its place: 1 mirrors left and right, 2 top and bottom, and 4
// exchanges x and y first.
type orientation int

// of returns a plane in the orientation.
func (o orientation) of(p patchify.Plane) patchify.Plane {
	out := patchify.NewPlane(p.Width, p.Height)
	if o&4 != 0 {
		out = patchify.NewPlane(p.Height, p.Width)
	}
	for y := range out.Height {
		row := out.Row(y)
		for x := range row {
			i, j := x, y
			if o&1 != 0 {
				i = out.Width - 1 - i
			}
			if o&2 != 0 {
				j = out.Height - 1 - j
			}
			if o&4 != 0 {
				i, j = j, i
			}
			row[x] = p.Pix[j*p.Width+i]
		}
	}
	return out
}
