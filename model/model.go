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
	"slices"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Info says what a model is and where it comes from.
type Info struct {
	Name           string  // family, such as "local"
	Sigma          float64 // noise level that it was trained for, in grey levels of 0-255
	Plane          string  // kind of plane that it is for, such as "gray"
	Noise          string  // CameraNoise, or "" for white Gaussian noise
	Training       string  // how it was trained, for people
	Validation     string  // on what ValidationPSNR was measured
	ValidationPSNR float64 // dB; 0 if not measured
	Seed           uint64
	Licence        string
}

// CameraNoise says in Info.Noise that a model was trained on real pairs, whose noise is neither white nor equally strong
// everywhere. Sigma is then not the noise's deviation but a scale that must be measured in use as it was in training.
const CameraNoise = "camera"

// Model is a trained denoiser for planes with white Gaussian noise, or for what its Noise says.
type Model struct {
	Info
	Stages []Stage
	Chroma []Stage // for the colour differences of an image, if they have stages of their own
}

// ForChroma returns the model for the colour differences: itself if it has no stages of their own.
func (m *Model) ForChroma() *Model {
	if len(m.Chroma) == 0 {
		return m
	}
	return &Model{Info: m.Info, Stages: m.Chroma}
}

// Denoise returns a denoised copy of a plane with noise of standard deviation sigma > 0, both in any one unit. A model
// serves every sigma: its transforms work on the plane in units of sigma. It is at its best near its own.
func (m *Model) Denoise(ctx context.Context, plane patchify.Plane, sigma float64, o Options) (patchify.Plane, error) {
	out := patchify.Plane{Width: plane.Width, Height: plane.Height, Pix: slices.Clone(plane.Pix)}
	if err := m.NewDenoiser(o).Denoise(ctx, out, sigma, nil); err != nil {
		return patchify.Plane{}, err
	}
	return out, nil
}

// Reach is how far from a sample of the result samples of the plane may be that have a say in it. Where a plane is cut
// off at the right or the bottom, the last patches may lie between those of the whole plane, which spoils one sample more.
func (m *Model) Reach(o Options) int {
	return reach(m.run(o), false)
}

// Alignment returns the number of which the left and top edges of a part of a plane must be multiples, so that all stages
// have the same patches on the part as on the plane.
func (m *Model) Alignment(o Options) int {
	a := 1
	for _, s := range m.run(o) {
		if s.coarse() {
			a *= 2
		}
		a = LeastCommonMultiple(a, s.Alignment(s.o))
	}
	return a
}

// step is a stage with its options.
type step struct {
	Stage
	o Options
}

func (s step) coarse() bool {
	_, ok := s.Stage.(*Coarse)
	return ok
}

func (s step) nonLocal() bool {
	_, ok := s.Stage.(*NonLocal)
	return ok
}

// run returns the stages that run with the options.
func (m *Model) run(o Options) []step {
	var steps []step
	passes, pilots := 0, 0
	o.Stride = o.stride()
	for _, s := range m.Stages {
		next := step{s, o}
		if next.nonLocal() {
			if passes++; o.Passes < 0 || o.Passes > 0 && passes > o.Passes {
				break
			}
			pilots = len(steps)
		}
		steps = append(steps, next)
	}
	if o.PilotStride > 0 {
		for i := range pilots {
			steps[i].o.Stride = o.PilotStride
		}
	}
	return steps
}

// LeastCommonMultiple is that of two positive numbers.
func LeastCommonMultiple(a, b int) int {
	gcd, r := a, b
	for r != 0 {
		gcd, r = r, gcd%r
	}
	return a / gcd * b
}
