package denoise

import (
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/mask"
)

// present returns the part of an image that its file has: all of it, unless the file is damaged.
func present(img *imageio.Image) goimage.Rectangle {
	all := goimage.Rect(0, 0, img.Width, img.Height)
	there := goimage.Rectangle{Min: goimage.Pt(img.MissingLeft, img.MissingTop),
		Max: goimage.Pt(img.Width-img.MissingRight, img.Height-img.MissingBottom)}
	if there.Empty() || !there.In(all) {
		return all
	}
	return there
}

// missingIn returns the samples of an area that the file lacks inside of it, or nil if there are none.
func missingIn(img *imageio.Image, area goimage.Rectangle) (m *mask.Mask) {
	for _, hole := range img.Holes {
		hole = hole.Intersect(area).Sub(area.Min)
		if m == nil && !hole.Empty() {
			m = mask.New(area.Dx() * area.Dy())
		}
		for y := hole.Min.Y; y < hole.Max.Y; y++ {
			for x := hole.Min.X; x < hole.Max.X; x++ {
				m.Mark(y*area.Dx() + x)
			}
		}
	}
	return m
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
