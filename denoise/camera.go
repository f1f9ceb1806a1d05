package denoise

import (
	"github.com/blorc-denoise/blorc-denoise/internal/estimate"
)

// CameraLevel measures how strong the noise of a camera is in an image of one gray or three colour planes, on the
// samples' scale: somewhat below its root mean square. It is what models for camera noise have as their unit, in training as in
// use.
func CameraLevel(planes [][]float32, width, height int) float64 {
	return estimate.MeasureBroad(planes, width, height).Level
}

// CameraPlanes turns the planes of an image, in place, into what models for camera noise are trained on: colours
// decorrelated, luma first, in units of the level.
func CameraPlanes(planes [][]float32, level float64, workers int) {
	unit := cameraUnit(level, len(planes))
	if len(planes) == 3 {
		decorrelate(planes, workers)
	}
	for _, p := range planes {
		for i, v := range p {
			p[i] = v / float32(unit)
		}
	}
}

// cameraUnit makes a gray plane as large as the luma of the same image in colour, which is three grays over the root of
// three.
func cameraUnit(level float64, planes int) float64 {
	if planes == 1 {
		return level / contrast[0]
	}
	return level
}

// fromCamera decides by the spectrum whether the noise is that of a camera: its processing and compression take away
// nearly all that is fine and leave what is broad, everywhere about the same. Texture is stronger than noise in most
// places and weaker in some, and has its fine part. White noise of sigma s has 0.95 s in the broad measure. In doubt the
// answer is no, which changes such an image by next to nothing.
func fromCamera(planes [][]float32, width, height int, white float64) bool {
	const (
		mostFine = 0.4 / 255 // grey levels that are left of the finest noise at most
		ratio    = 6.8       // broad over fine, at least
		least    = 0.5 / 255 // of the broad noise: less is not worth the risk
		most     = 7.0 / 255 // that is more than at the highest sensitivities
		spread   = 2.6       // the level over what is everywhere, at most
	)
	if white >= mostFine {
		return false // as most are; the rest takes time
	}
	broad := estimate.MeasureBroad(planes, width, height)
	return broad.Everywhere > max(ratio*white, least) &&
		broad.Level < min(most, spread*broad.Everywhere)
}
