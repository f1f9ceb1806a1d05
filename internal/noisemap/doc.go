// Package noisemap says how much noise a picture has: where, at each brightness, and how broad it is. It is measured
// in blocks, from what a denoiser removes, or follows from noise that is known.
package noisemap
