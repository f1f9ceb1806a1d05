// Package stage holds the steps that a model is made of, and runs them on planes.
//
// A Local stage denoises each patch on its own. A NonLocal stage (a pass) denoises groups of similar patches together.
// A Correction corrects the low frequencies after the first pass. A Guided stage refines what other stages leave, and
// sees other planes of the image. A Sequence runs stages one after the other: each sees the noisy plane and the output
// of the stage before it, the pilot.
//
// All planes inside a sequence are in units of the noise's standard deviation.
package stage
