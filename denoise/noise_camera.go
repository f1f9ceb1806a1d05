package denoise

import (
	"context"
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/internal/estimate"
	"github.com/blorc-denoise/blorc-denoise/model"
)

// cameraNoise is the noise of a photograph, measured in the way in which the models for it were trained.
type cameraNoise struct {
	level float64 // on the scale of the samples
}

func measureCamera(planes [][]float32, width, height, workers int) cameraNoise {
	return cameraNoise{CameraLevel(planes, width, height, workers)}
}

func (n cameraNoise) result() Result {
	return Result{Noise: Camera, Sigma: 255 * n.level, Estimated: true}
}

func (n cameraNoise) remove(ctx context.Context, img image, o Options) (string, error) {
	models, ok := o.Models.camera()
	if !ok {
		return "", badArgument("the model %s is not for the noise of cameras", o.Models)
	}
	return img.run(ctx, o, func(i int) (planeModel, error) {
		m, err := models.Choose(255 * n.level)
		if err != nil {
			return planeModel{}, err
		}
		if m.Noise != model.CameraNoise {
			return planeModel{}, fmt.Errorf("model %s is not for the noise of cameras", m.Name)
		}
		stages := m.Stages
		if i > 0 {
			stages = m.ForChroma()
		}
		return planeModel{m, stages, cameraUnit(n.level, len(img.planes))}, nil
	})
}

// CameraLevel measures how strong the noise of a camera is in an image of one gray or three colour planes, on the scale of the
// samples: somewhat below its root mean square. Models for camera noise work in this unit, in training as in use.
func CameraLevel(planes [][]float32, width, height, workers int) float64 {
	return estimate.MeasureBroad(planes, width, height, workers).Level
}

// CameraPlanes turns the planes of an image, in place, into what models for camera noise are trained on: colours decorrelated,
// luma first, in units of the level.
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

// cameraUnit makes a gray plane as large as the luma of the same image in colour, which is the sum of three grays over the root
// of three.
func cameraUnit(level float64, planes int) float64 {
	if planes == 1 {
		return level / contrast[0]
	}
	return level
}

// fromCamera decides by the spectrum whether the noise is that of a camera. Its processing and compression remove nearly all
// fine noise and leave broad noise, about equally strong everywhere. Texture is stronger than noise in most places, weaker in
// some, and has fine detail. White noise of sigma s has 0.95 s in the broad measure. In doubt the answer is no: then such an
// image changes by next to nothing.
func fromCamera(planes [][]float32, width, height int, white float64, workers int) bool {
	const (
		mostFine = 0.4 / 255 // largest level of the finest noise
		ratio    = 6.8       // least ratio of broad over fine noise
		least    = 0.5 / 255 // least broad noise: less is not worth the risk
		most     = 7.0 / 255 // more than at the highest sensitivities
		spread   = 2.6       // largest ratio of the level over the low quantile
	)
	if white >= mostFine {
		return false // as in most images; the rest takes time
	}
	broad := estimate.MeasureBroad(planes, width, height, workers)
	return broad.LowQuantile > max(ratio*white, least) &&
		broad.Level < min(most, spread*broad.LowQuantile)
}
