package denoise

import (
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// present returns the part of an image that its file has: all of it, unless the file is damaged.
func present(img *imageio.Image) goimage.Rectangle {
	all := goimage.Rect(0, 0, img.Width, img.Height)
	there := goimage.Rectangle{Min: goimage.Pt(img.MissingLeft, img.MissingTop), Max: goimage.Pt(img.Width-img.MissingRight, img.Height-img.Missing)}
	if there.Empty() || !there.In(all) {
		return all
	}
	return there
}

// cutOutAll returns an area of planes of an image: the planes themselves if it is all of them.
func cutOutAll(img *imageio.Image, planes [][]float32, area goimage.Rectangle) [][]float32 {
	if area == goimage.Rect(0, 0, img.Width, img.Height) {
		return planes
	}
	var cut [][]float32
	for _, p := range planes {
		cut = append(cut, cutOut(p, img.Width, area))
	}
	return cut
}

// putBack writes an area that cutOut has returned back into its plane.
func putBack(plane, area []float32, width int, at goimage.Rectangle) {
	if len(area) == len(plane) { // the plane itself
		return
	}
	for y := range at.Dy() {
		copy(plane[(at.Min.Y+y)*width+at.Min.X:], area[y*at.Dx():][:at.Dx()])
	}
}
