package scene

import (
	"image"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/inconsolata"
	"golang.org/x/image/math/fixed"
)

// lettering is a line of text that can be drawn at any size. The mask of a bitmap font is interpolated, and the outline
// of the letters is where it passes one half. This rounds their corners.
type lettering struct{ mask *image.Alpha }

// newLettering returns a line of ASCII text.
func newLettering(text string) lettering {
	face := inconsolata.Bold8x16
	advance := face.Advance + 1 // wide letters would touch without the 1
	mask := image.NewAlpha(image.Rect(0, 0, advance*len(text), face.Height))
	drawer := font.Drawer{Dst: mask, Src: image.Opaque, Face: face}
	for i, letter := range text {
		drawer.Dot = fixed.P(i*advance, face.Ascent)
		drawer.DrawString(string(letter))
	}
	return lettering{mask}
}

// length returns the length of the line when its height is 1.
func (l lettering) length() float64 {
	return float64(l.mask.Rect.Dx()) / float64(l.mask.Rect.Dy())
}

// covers reports whether a point is on a letter. The line starts at the origin and has a height of 1.
func (l lettering) covers(x, y float64) bool {
	height := float64(l.mask.Rect.Dy())
	x, y = x*height-0.5, y*height-0.5
	left, top := math.Floor(x), math.Floor(y)
	u, v := x-left, y-top
	i, j := int(left), int(top)
	above := l.alpha(i, j)*(1-u) + l.alpha(i+1, j)*u
	below := l.alpha(i, j+1)*(1-u) + l.alpha(i+1, j+1)*u
	return above*(1-v)+below*v > 0.5
}

// alpha returns the mask at a pixel, 0 to 1, and 0 outside.
func (l lettering) alpha(i, j int) float64 {
	return float64(l.mask.AlphaAt(i, j).A) / 255
}
