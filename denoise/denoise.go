// Package denoise removes noise from whole images: it finds the noise level if it is not given, decorrelates the colours,
// runs a model on each plane, and blends the result with the input.
package denoise

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/estimate"
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
	Models   Chooser
	Sigma    float64 // standard deviation of the noise in grey levels of 0-255, whatever the file's depth; < 0 = estimate
	Strength float64 // 1 = the denoised image, 0 = the input, in between a blend
	Stride   int     // see model.Options
	Passes   int     // see model.Options
	Workers  int     // see model.Options
	TileSide int     // of the tiles that a plane is denoised in, about; 0 = DefaultTileSide; the result does not depend on it
}

// EstimateSigma as Options.Sigma asks for the noise level to be estimated.
const EstimateSigma = -1

func (o Options) validate() error {
	switch {
	case o.Models == nil:
		return errors.New("no model")
	case math.IsNaN(o.Sigma) || o.Sigma > 1e6:
		return fmt.Errorf("sigma %g is out of range", o.Sigma)
	case o.TileSide < 0:
		return fmt.Errorf("tile side %d is negative", o.TileSide)
	case !(o.Strength >= 0 && o.Strength <= 1):
		return fmt.Errorf("strength %g is not in 0..1", o.Strength)
	}
	return nil
}

// Result says what was done.
type Result struct {
	Sigma     float64 // that was given or estimated, in grey levels of 0-255
	Estimated bool
	Model     string // name and sigma of the model for the gray plane or the luma; "" if there was nothing to do
}

// minSigma is the noise, in grey levels, below which an image counts as clean. An 8-bit file cannot show less than its
// rounding, whose standard deviation is 0.29.
const minSigma = 0.05

// Planes denoises an image of one gray or three colour planes of width x height samples, on a scale of 0 to 1 of full
// scale, in place. It needs little memory besides, whatever the size of the image (see DefaultTileSide). After an error
// the samples mean nothing.
func Planes(ctx context.Context, planes [][]float32, width, height int, o Options) (Result, error) {
	if err := o.validate(); err != nil {
		return Result{}, err
	}
	if len(planes) != 1 && len(planes) != 3 {
		return Result{}, fmt.Errorf("an image of %d planes is neither gray nor colour", len(planes))
	}
	r := Result{Sigma: o.Sigma}
	if o.Sigma < 0 {
		r.Sigma, r.Estimated = 255*estimate.Sigma(planes, width, height), true
	}
	if r.Sigma < minSigma || o.Strength == 0 {
		return r, nil
	}
	if len(planes) == 3 {
		decorrelate(planes, o.Workers)
	}
	jobs := make([]job, len(planes))
	for i, p := range planes {
		c := 1.0
		if len(planes) == 3 {
			c = contrast[i]
		}
		m, err := o.Models.Choose(r.Sigma / c)
		if err != nil {
			return Result{}, err
		}
		jobs[i] = job{patchify.Plane{Width: width, Height: height, Pix: p}, m, r.Sigma / 255}
	}
	r.Model = fmt.Sprintf("%s %g", jobs[0].model.Name, jobs[0].model.Sigma)
	if err := newTiler(jobs, o).denoise(ctx); err != nil {
		return Result{}, err
	}
	if len(planes) == 3 {
		correlate(planes, o.Workers)
	}
	return r, nil
}
