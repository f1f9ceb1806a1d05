// Package pilots gives the training what the program makes of a noisy picture before the stage that is trained: the
// pilot of that stage.
//
// Package denoise alone can make pilots, and sets the variables. They are no part of its public interface, since who
// denoises needs none of them.
package pilots

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Picture is a picture without noise and with noise: one gray plane or three of a colour picture, of Width x Height
// samples on a scale of 0 to 1.
type Picture struct {
	Clean, Noisy  [][]float32
	Width, Height int
	Sigma         float64 // of the noise that the stages are told, on the scale of the samples
	Workers       int
}

// A Func makes the pilot of a picture, as the program does at a quality, which is a denoise.Quality. It also changes
// the planes of the picture, and the pilot, into what a guided stage is trained on: those of a colour picture are
// decorrelated, luma first, and all are divided by Sigma.
type Func func(ctx context.Context, p Picture, quality int) (pilot [][]float32, err error)

var (
	// Luma makes what the local stages make of a gray picture. The quality changes nothing.
	Luma Func

	// Chroma makes the denoised luma of a colour picture, and what the stages before the refinement of chroma make of
	// the other planes.
	Chroma Func

	// Broad makes what the stages for broad noise make before its refinement. The picture may be gray.
	Broad Func

	// Pass denoises a gray plane with the stages of m. The result is the input of a further pass. Samples and sigma are
	// on a scale of 0 to 1.
	Pass func(ctx context.Context, m *model.Model, noisy patchify.Plane, sigma float64, quality,
		workers int) (patchify.Plane, error)

	// Passes returns how many passes of the shipped models run at a quality.
	Passes func(quality int) int

	// CameraLevel returns the level of the noise of a camera that is found in a photograph, in grey levels of 0 to 255,
	// and how much larger than usual the range of its samples is. Divided by that, the planes and the level suit Broad.
	CameraLevel func(img *imageio.Image, workers int) (level, unit float64, err error)
)
