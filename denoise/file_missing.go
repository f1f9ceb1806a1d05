package denoise

import (
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// present returns the part of an image that its file has: all of it, unless the file is damaged.
func present(img *imageio.Image) goimage.Rectangle {
	all := goimage.Rect(0, 0, img.Width, img.Height)
	there := goimage.Rectangle{Min: goimage.Pt(img.MissingLeft, img.MissingTop), Max: goimage.Pt(img.Width-img.MissingRight, img.Height-img.MissingBottom)}
	if there.Empty() || !there.In(all) {
		return all
	}
	return there
}

// areaOf returns an area of the planes of an image: the planes themselves if it is all of them.
func areaOf(img *imageio.Image, planes [][]float32, area goimage.Rectangle) [][]float32 {
	if area == goimage.Rect(0, 0, img.Width, img.Height) {
		return planes
	}
	return cutAll(planes, img.Width, area)
}

// putBack writes an area that areaOf has returned back into the planes.
func putBack(planes, areas [][]float32, width int, at goimage.Rectangle) {
	if len(areas) > 0 && len(areas[0]) < len(planes[0]) {
		pasteAll(planes, width, areas, at)
	}
}
