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

// ChromaPlanes turns a colour image with white noise, and the same without, into what the model for chroma is trained on: decorrelated
// planes in units of sigma, luma first. Pilot holds what the stages before that model make of the noisy planes: the luma at balanced quality,
// and chroma after the local stages and the correction of low frequencies. Samples and sigma are on a scale of 0 to 1.
func ChromaPlanes(ctx context.Context, clean, noisy [][]float32, width, height int, sigma float64, workers int) (pilot [][]float32, err error) {
	for _, planes := range [][][]float32{clean, noisy} {
		if err := checkPlanes(ctx, planes, width, height); err != nil {
			return nil, err
		}
	}
	if len(clean) != 3 || len(noisy) != 3 || !(sigma > 0) {
		return nil, badArgument("chroma needs colour images and noise")
	}
	decorrelate(clean, workers)
	decorrelate(noisy, workers)
	for i, p := range noisy {
		m, err := ModelSet{}.Choose(255 * sigma / contrast[i])
		if err != nil {
			return nil, err
		}
		stages, run := m.Stages, Balanced.stages()
		if i > 0 {
			stages = append(stages.Local(), &stage.Correction{Smoothing: trainedSmoothing, Levels: trainedLevels})
			run = stage.Options{Stride: pilotStride}
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
