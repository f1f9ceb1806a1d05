package denoise

import "github.com/blorc-denoise/blorc-denoise/imageio"

// belowAlpha reports whether the colours are multiplied by alpha, so that none is above it.
func belowAlpha(img *imageio.Image) bool {
	if !img.Premultiplied || img.Alpha == nil {
		return false
	}
	for _, p := range img.Planes {
		for i, a := range img.Alpha {
			if !(p[i] >= 0 && p[i] <= a) {
				return false
			}
		}
	}
	return true
}

// keepBelowAlpha limits the colours to alpha.
func keepBelowAlpha(img *imageio.Image) {
	for _, p := range img.Planes {
		for i, a := range img.Alpha {
			p[i] = min(max(p[i], 0), a)
		}
	}
}
