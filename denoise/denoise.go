// Package denoise removes noise from whole images: it finds the kind and the level of the noise if they are not given, makes
// photon noise Gaussian, decorrelates the colours, runs a model on each plane, and blends the result with the input.
package denoise

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Chooser gives the model for a noise level in grey levels of 0-255.
type Chooser interface {
	Choose(sigma float64) (*model.Model, error)
}

// One is a Chooser that has a single model for every noise level.
type One struct{ Model *model.Model }

// Choose implements Chooser.
func (o One) Choose(float64) (*model.Model, error) { return o.Model, nil }

// Options say what to do.
type Options struct {
	Models      Chooser // for Gaussian noise, and for what photon noise becomes
	Camera      Chooser // for the noise of cameras; nil = Auto takes all noise for Gaussian
	Noise       Noise
	Photons     PhotonNoise // if the noise is Poisson; in the unit of the samples for Planes, in that of the file for File
	Sigma       float64     // standard deviation of the noise in grey levels of 0-255, whatever the file's depth; < 0 = estimate
	Strength    float64     // 1 = the denoised image, 0 = the input, in between a blend
	Stride      int         // see model.Options
	PilotStride int         // see model.Options
	GroupStride int         // see model.Options
	Passes      int         // see model.Options
	Workers     int         // see model.Options
	TileSide    int         // of the tiles that a plane is denoised in, about; 0 = as memory allows; the result does not depend on it
}

// EstimateSigma as Options.Sigma asks for the noise level to be estimated.
const EstimateSigma = -1

func (o Options) validate() error {
	switch {
	case o.Noise < Auto || o.Noise > Poisson:
		return fmt.Errorf("noise of kind %d", int(o.Noise))
	case o.Models == nil && o.Noise != Camera, o.Camera == nil && o.Noise == Camera:
		return errors.New("no model")
	case math.IsNaN(o.Sigma) || o.Sigma > 1e6:
		return fmt.Errorf("sigma %g is out of range", o.Sigma)
	case o.TileSide < 0:
		return fmt.Errorf("tile side %d is negative", o.TileSide)
	case !(o.Strength >= 0 && o.Strength <= 1):
		return fmt.Errorf("strength %g is not in 0..1", o.Strength)
	}
	if o.Noise == Poisson {
		return o.Photons.validate()
	}
	return nil
}

// Result says what was done.
type Result struct {
	Noise     Noise   // what it was taken for: not Auto
	Sigma     float64 // that was given or estimated, in grey levels of 0-255; 0 for Poisson noise
	Estimated bool
	Model     string // name and sigma of the model for the gray plane or the luma; "" if there was nothing to do
}

// minSigma is the noise, in grey levels, below which an image counts as clean. An 8-bit file cannot show less than its
// rounding, whose standard deviation is 0.29.
const minSigma = 0.05

// Planes denoises an image of one gray or three colour planes of width x height samples, on a scale of 0 to 1 of full
// scale, in place. It needs little memory besides, whatever the size of the image (see Options.TileSide). After an error
// the samples mean nothing.
func Planes(ctx context.Context, planes [][]float32, width, height int, o Options) (Result, error) {
	if err := o.validate(); err != nil {
		return Result{}, err
	}
	if len(planes) != 1 && len(planes) != 3 {
		return Result{}, fmt.Errorf("an image of %d planes is neither gray nor colour", len(planes))
	}
	if o.Noise == Poisson {
		return photons(ctx, planes, width, height, o)
	}
	l := o.level(planes, width, height)
	r := Result{Noise: l.noise, Sigma: 255 * l.sigma, Estimated: l.estimated}
	if r.Sigma < minSigma || o.Strength == 0 {
		return r, nil
	}
	var err error
	r.Model, err = l.denoise(ctx, planes, width, height, o)
	return r, err
}

// photons denoises an image after its noise has been made Gaussian.
func photons(ctx context.Context, planes [][]float32, width, height int, o Options) (Result, error) {
	r := Result{Noise: Poisson}
	if o.Strength == 0 {
		return r, nil
	}
	s, l := stabilize(planes, o)
	o.Strength = 1 // blending has to wait until the way back
	var err error
	if r.Model, err = l.denoise(ctx, planes, width, height, o); err != nil {
		return r, err
	}
	s.restore(planes)
	return r, nil
}

// denoise runs the models on the planes and returns the name of the first one.
func (l level) denoise(ctx context.Context, planes [][]float32, width, height int, o Options) (string, error) {
	if len(planes) == 3 {
		decorrelate(planes, o.Workers)
	}
	jobs := make([]job, len(planes))
	for i, p := range planes {
		m, sigma, err := l.model(o, i, len(planes))
		if err != nil {
			return "", err
		}
		jobs[i] = job{patchify.Plane{Width: width, Height: height, Pix: p}, m, sigma}
	}
	if err := newTiler(jobs, o).denoise(ctx); err != nil {
		return "", err
	}
	if len(planes) == 3 {
		correlate(planes, o.Workers)
	}
	return fmt.Sprintf("%s %g", jobs[0].model.Name, jobs[0].model.Sigma), nil
}
