// Package model reads and writes model files: trained denoisers for one kind of noise at one level.
//
// A model denoises a patch y by the lower-level problem of the BLORC paper,
//
//	min_x 1/2 ||x - y||^2 + ||W x||_1      (eq:analysis)
//
// with a transform W that was learned so that the solution is close to the clean patch (package train), or by the variants of
// this problem that package denoise describes. Give a loaded model to denoise.Options.Model to run it on images.
//
// The paper writes the problem with and without the factor 1/2. Here it always has the factor, which the closed form needs. A
// transform for the problem without it is twice one of ours.
package model

import "github.com/blorc-denoise/blorc-denoise/internal/stage"

// Info says what a model is and where it comes from.
type Info struct {
	Name           string  // family, such as "local"
	Sigma          float64 // noise level that it was trained for, in grey levels of 0-255
	Plane          string  // kind of plane that it is for, such as "gray"
	Noise          string  // CameraNoise, or "" for white Gaussian noise
	Training       string  // how it was trained, for people
	Validation     string  // images that ValidationPSNR was measured on
	ValidationPSNR float64 // dB; 0 if not measured
	Seed           uint64  // seed of the training
	Licence        string
}

// CameraNoise is the value of Info.Noise for models trained on real pairs, whose noise is neither white nor equally strong
// everywhere. Sigma is then not a standard deviation but a level that must be measured in use as it was in training.
const CameraNoise = "camera"

// Model is a trained denoiser. The zero Model has no stages and denoises nothing: load one, or train one with package train.
type Model struct {
	Info
	Stages stage.Sequence // for gray planes and luma
	Chroma stage.Sequence // for the colour differences of an image; empty = Stages
}

// ForChroma returns the stages for colour differences.
func (m *Model) ForChroma() stage.Sequence {
	if len(m.Chroma) == 0 {
		return m.Stages
	}
	return m.Chroma
}
