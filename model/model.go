// Package model reads and writes model files. A model is a trained denoiser for one kind and level of noise.
//
// It denoises a patch y by the lower-level problem of the BLORC paper,
//
//	min_x 1/2 ||x - y||^2 + ||W x||_1      (eq:analysis)
//
// with a transform W that package train learned so that the solution is close to the clean patch, or by variants of
// this problem. To denoise images with a model, pass it to denoise.UseModel, and set denoise.Options.Models to the
// result.
//
// The paper writes the problem with and without the factor 1/2. Here it always has the factor, which the closed form
// needs. A transform for the problem without the factor is two times ours.
package model

import "github.com/blorc-denoise/blorc-denoise/internal/stage"

// Info describes a model and its origin.
type Info struct {
	Name           string  // family, such as "local"
	Sigma          float64 // noise level that it was trained for, in gray levels of 0-255
	Plane          string  // kind of planes that it was trained on, such as "gray"
	Noise          string  // CameraNoise, or "" for white Gaussian noise
	Training       string  // description of the training
	Validation     string  // images that ValidationPSNR was measured on
	ValidationPSNR float64 // dB; 0 if not measured
	Seed           uint64  // seed of the training
	Licence        string
}

// CameraNoise is the value of Info.Noise for models trained on real pairs, whose noise is neither white nor equally
// strong everywhere. Such a model refines the result of the shipped ones, at every level; Sigma is the mean level of
// the pairs.
const CameraNoise = "camera"

// Stages are the steps of a model, in order. Only this module can make some; what they do is in the model's file.
type Stages = stage.Sequence

// Model is a trained denoiser. The zero Model has no stages and denoises nothing: load one, or train one with package
// train.
type Model struct {
	Info
	Stages Stages // for gray planes and luma
	Chroma Stages // for the colour differences of an image, if Noise is CameraNoise; may be empty
}
