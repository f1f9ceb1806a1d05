// Package model denoises planes with learned analysis operators. A patch y is denoised by the lower-level problem
//
//	min_x 1/2 ||x - y||^2 + ||W x||_1      (eq:analysis)
//
// with a Transform W that was learned so that the solution x*(W) is close to the clean patch (package bilevel). A Model
// is a sequence of stages; model files are described at Save.
//
// The paper writes the problem with and without the 1/2; here it always has it, as the closed form needs. A transform
// made for the convention without it is twice one of ours.
package model

import (
	"context"
	"errors"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Info says what a model is and where it comes from.
type Info struct {
	Name           string  // family, such as "local"
	Sigma          float64 // noise level that it was trained for, in grey levels of 0-255
	Plane          string  // kind of plane that it is for, such as "gray"
	Training       string  // how it was trained, for people
	Validation     string  // on what ValidationPSNR was measured
	ValidationPSNR float64 // dB; 0 if not measured
	Seed           uint64
	Licence        string
}

// Model is a trained denoiser for planes with white Gaussian noise.
type Model struct {
	Info
	Stages []Stage
}

// Denoise returns a denoised copy of a plane with noise of standard deviation sigma > 0, both in any one unit. A model
// serves every sigma: its transforms work on the plane in units of sigma. It is at its best near its own.
func (m *Model) Denoise(ctx context.Context, plane patchify.Plane, sigma float64, o Options) (patchify.Plane, error) {
	if !(sigma > 0) {
		return patchify.Plane{}, errors.New("sigma is not positive")
	}
	if o.Stride == 0 {
		o.Stride = DefaultStride
	}
	noisy := patchify.NewPlane(plane.Width, plane.Height)
	scale(noisy.Pix, plane.Pix, 1/sigma)
	side := 0
	for _, s := range m.Stages {
		side = max(side, s.PatchSide())
	}
	noisy = patchify.Pad(noisy, side)
	pilot := noisy
	for _, s := range m.Stages {
		var err error
		if pilot, err = s.Denoise(ctx, noisy, pilot, o); err != nil {
			return patchify.Plane{}, err
		}
	}
	out := patchify.Crop(pilot, 0, 0, plane.Width, plane.Height)
	scale(out.Pix, out.Pix, sigma)
	return out, nil
}

func scale(dst, src []float32, c float64) {
	for i, v := range src {
		dst[i] = v * float32(c)
	}
}
