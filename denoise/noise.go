package denoise

import (
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/internal/estimate"
	"github.com/blorc-denoise/blorc-denoise/model"
)

// Noise is a kind of noise.
type Noise int

const (
	// Auto decides between Camera, if there is a model for it, and Gaussian by the image itself.
	Auto Noise = iota
	// Gaussian noise is white and equally strong everywhere, with a standard deviation of Sigma.
	Gaussian
	// Camera noise is what cameras and their compression make of it: broad, and stronger in some places than in others.
	Camera
	// Poisson noise is that of counted photons and of reading them out (see PhotonNoise).
	Poisson
)

func (n Noise) String() string { return [...]string{"auto", "gaussian", "camera", "poisson"}[n] }

// level is how much noise of which kind an image has.
type level struct {
	noise     Noise
	sigma     float64 // on the samples' scale
	estimated bool
}

// level measures what the options leave open.
func (o Options) level(planes [][]float32, width, height int) level {
	switch {
	case o.Noise == Camera:
		return level{Camera, CameraLevel(planes, width, height), true}
	case o.Sigma >= 0:
		return level{Gaussian, o.Sigma / 255, false}
	}
	white := estimate.Sigma(planes, width, height)
	if o.Noise == Auto && o.Camera != nil && fromCamera(planes, width, height, white) {
		return level{Camera, CameraLevel(planes, width, height), true}
	}
	return level{Gaussian, white, true}
}

// model returns the model for plane i of an image of n, and the noise of that plane that it is to be told.
func (l level) model(o Options, i, n int) (*model.Model, float64, error) {
	if l.noise == Camera {
		m, err := o.Camera.Choose(255 * l.sigma)
		if err != nil {
			return nil, 0, err
		}
		if m.Noise != model.CameraNoise {
			return nil, 0, fmt.Errorf("model %s is not for the noise of cameras", m.Name)
		}
		if i > 0 {
			m = m.ForChroma()
		}
		return m, cameraUnit(l.sigma, n), nil
	}
	c := 1.0
	if n == 3 {
		c = contrast[i]
	}
	m, err := o.Models.Choose(255 * l.sigma / c)
	return m, l.sigma, err
}
