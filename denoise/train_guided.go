package denoise

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// The pilots that the model for chroma was trained with: local stages, corrected at a half, a quarter and an eighth of the size. Those in use
// have the smaller sizes from that model itself (see chromaModels).
const (
	trainedSmoothing = 2
	trainedLevels    = 3
)

// GuidedPlanes turns an image with white noise, and the same without, into what guided models are trained on: planes in units of sigma. A
// colour image is decorrelated, luma first. Pilot holds what the stages before a guided model make of the noisy planes. For a gray image
// those are local stages. For a colour image they are the luma at balanced quality, and chroma after the local stages and the correction of
// low frequencies. Samples and sigma are on a scale of 0 to 1.
func GuidedPlanes(ctx context.Context, clean, noisy [][]float32, width, height int, sigma float64, workers int) (pilot [][]float32, err error) {
	for _, planes := range [][][]float32{clean, noisy} {
		if err := checkPlanes(ctx, planes, width, height); err != nil {
			return nil, err
		}
	}
	if len(clean) != len(noisy) || !(sigma > 0) {
		return nil, badArgument("guided models need noise, and as many clean planes as noisy ones")
	}
	if len(clean) == 3 {
		decorrelate(clean, workers)
		decorrelate(noisy, workers)
	}
	for i, p := range noisy {
		stages, run, err := pilotStages(i, len(noisy), sigma)
		if err != nil {
			return nil, err
		}
		run.Workers = workers
		out, err := stages.Denoise(ctx, patchify.Plane{Width: width, Height: height, Pix: p}, sigma, run)
		if err != nil {
			return nil, err
		}
		pilot = append(pilot, out.Pix)
	}
	for _, planes := range [][][]float32{clean, noisy, pilot} {
		for _, p := range planes {
			for i := range p {
				p[i] /= float32(sigma)
			}
		}
	}
	return pilot, nil
}

// pilotStages returns what makes the pilot of plane i of an image with noise of sigma, in training.
func pilotStages(i, planes int, sigma float64) (stage.Sequence, stage.Options, error) {
	local := stage.Options{Stride: pilotStride}
	if planes == 1 {
		m, err := ModelSet{}.Choose(255 * sigma)
		if err != nil {
			return nil, local, err
		}
		return m.Stages.Local(), Fast.stages(), nil
	}
	m, err := ModelSet{}.Choose(255 * sigma / contrast[i])
	if err != nil {
		return nil, local, err
	}
	if i == 0 {
		return m.Stages, Balanced.stages(), nil
	}
	return append(m.Stages.Local(), &stage.Correction{Smoothing: trainedSmoothing, Levels: trainedLevels}), local, nil
}
