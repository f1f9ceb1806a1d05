package denoise

import (
	"context"
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/internal/estimate"
	"github.com/blorc-denoise/blorc-denoise/model"
)

// cameraNoise is noise for models that were trained on real pairs, measured as it was in their training.
type cameraNoise struct {
	level float64 // on the scale of the samples
}

func measureCamera(img image, workers int) foundNoise {
	n := cameraNoise{CameraLevel(img.planes, img.width, img.height, workers)}
	if 255*n.level < minSigma {
		return noNoise{n.result()}
	}
	return n
}

func (n cameraNoise) result() Result {
	return Result{Noise: Camera, Sigma: 255 * n.level, Estimated: true}
}

func (n cameraNoise) remove(ctx context.Context, img image, o Options) (string, error) {
	return img.run(ctx, nil, o, n.choose(len(img.planes), o))
}

func (n cameraNoise) margins(planes int, o Options) (margins, error) {
	return o.margins(planes, n.choose(planes, o))
}

// choose returns what chooses the model for plane i.
func (n cameraNoise) choose(planes int, o Options) func(i int) (planeModel, error) {
	return func(i int) (planeModel, error) {
		m, err := o.Models.Choose(255 * n.level)
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
		lane := plans[ownModel][o.Quality].luma
		p := planeModel{model: m, lane: lane, sigma: cameraUnit(n.level, planes)}
		p.steps, err = lane.steps(&model.Model{Stages: stages})
		return p, err
	}
}

// CameraLevel measures how strong the noise of a camera is in an image of one gray or three colour planes, on the scale of the
// samples: somewhat below its root mean square. Models for camera noise work in this unit, in training as in use. It is 0 for planes that
// do not have the size.
func CameraLevel(planes [][]float32, width, height, workers int) float64 {
	if len(planes) == 0 || checkSize(planes, width, height) != nil {
		return 0
	}
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
