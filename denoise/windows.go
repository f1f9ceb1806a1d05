package denoise

import goimage "image"

// Residuals are measured in windows, in a grid over the image. On an axis without room for two windows, the measurement
// covers all of the image.
const (
	windowSide = 192 // samples
	maxWindows = 4   // on each axis
)

// windowAreas returns where the windows are.
func (img image) windowAreas() (areas []goimage.Rectangle) {
	for _, y := range windowsOn(img.height) {
		for _, x := range windowsOn(img.width) {
			areas = append(areas, goimage.Rect(x.from, y.from, x.to, y.to))
		}
	}
	return areas
}

// windows returns copies of windows.
func (img image) windows(areas []goimage.Rectangle) (windows []image) {
	for _, area := range areas {
		windows = append(windows, image{cutAll(img.planes, img.width, area), area.Dx(), area.Dy()})
	}
	return windows
}

// windowsOn returns where the windows are on an axis.
func windowsOn(length int) []span {
	count := min(length/windowSide, maxWindows)
	if count < 2 {
		return []span{{0, min(length, 2*windowSide)}}
	}
	spans := make([]span, count)
	for i := range spans {
		from := i * (length - windowSide) / (count - 1)
		spans[i] = span{from, from + windowSide}
	}
	return spans
}
