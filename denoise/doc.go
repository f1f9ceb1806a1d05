// Package denoise removes noise from images.
//
// Image denoises an image.Image in memory, File a file, Stream a file without a name, and Planes raw samples. All take
// the same Options, and the zero Options does what the program blorc-denoise does without flags: it finds the kind and
// the level of the noise in the image itself, and denoises with the shipped models at balanced quality.
//
//	out, result, err := denoise.Image(ctx, img, denoise.Options{})
//
// # How an image is denoised
//
// The noise is found, or the options give it. A variance-stabilising transform makes noise that depends on the
// brightness equally strong everywhere. Colours are decorrelated. Models then denoise the planes in tiles, which keeps
// memory small and leaves no seams. Last, the transforms are inverted. The result does not depend on the number of
// workers.
//
// # Units
//
// Options.Sigma and Result.Sigma are standard deviations in gray levels of 0-255, whatever the depth of the image.
// PhotonNoise is in the unit of the samples: 0-1 for Planes, levels of the file for File (0-255, 0-65535, or the unit
// of float samples), levels of the image for Image.
//
// # Errors
//
// Options, sizes, pointers and samples that make no sense give an error of the kind ErrArgument. Files give the kinds
// of package imageio, model files those of package model. A context that ends gives its own error. A panic below a
// function that denoises or measures is its error, a *FaultError.
package denoise
