package denoise

import (
	"cmp"
	"context"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
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
// those are local stages. For a colour image they are the luma after the passes of balanced quality, without the model for luma, and chroma
// after the local stages and the correction of low frequencies. Samples and sigma are on a scale of 0 to 1.
func GuidedPlanes(ctx context.Context, clean, noisy [][]float32, width, height int, sigma float64, workers int) (pilot [][]float32, err error) {
	return guidedPlanes(ctx, clean, noisy, width, height, sigma, workers, pilotStages)
}

// LastPlanes is like GuidedPlanes for the models that refine the brightness last. Pilot holds what the passes of a quality make of a gray image.
func LastPlanes(ctx context.Context, clean, noisy [][]float32, width, height int, sigma float64, q Quality, workers int) (pilot [][]float32, err error) {
	if len(clean) != 1 {
		return nil, badArgument("the last model for luma is trained on gray images")
	}
	return guidedPlanes(ctx, clean, noisy, width, height, sigma, workers, q.passStages)
}

// PassPilot returns what the stages of a model make of a noisy gray plane before a further pass, as the program runs them at a quality with the
// shipped models. Samples and sigma are on a scale of 0 to 1.
func PassPilot(ctx context.Context, m *model.Model, noisy patchify.Plane, sigma float64, q Quality, workers int) (patchify.Plane, error) {
	run := q.stages()
	run.Stride = cmp.Or(run.PilotStride, run.Stride) // no pass of m is the last one that runs
	run.Level, run.Workers = stage.Level(255*sigma), workers
	stages, err := untilLast(m, q, false)
	if err != nil {
		return patchify.Plane{}, err
	}
	return stages.Denoise(ctx, noisy, sigma, run)
}

// guidedPlanes does the work of both. Choose returns the stages that make the pilot of a plane.
func guidedPlanes(ctx context.Context, clean, noisy [][]float32, width, height int, sigma float64, workers int,
	choose func(i, planes int, sigma float64) (stage.Sequence, stage.Options, error)) (pilot [][]float32, err error) {
	if err := splitColours(ctx, clean, noisy, width, height, sigma, workers); err != nil {
		return nil, err
	}
	for i, p := range noisy {
		stages, run, err := choose(i, len(noisy), sigma)
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
	inUnits(sigma, clean, noisy, pilot)
	return pilot, nil
}

// BroadPlanes is like GuidedPlanes for the models that refine broad noise. Sigma is the level that the models for white noise are told. Pilot holds
// what the stages before those models make at a quality.
func BroadPlanes(ctx context.Context, clean, noisy [][]float32, width, height int, sigma float64, q Quality) (pilot [][]float32, err error) {
	if err := splitColours(ctx, clean, noisy, width, height, sigma, 1); err != nil {
		return nil, err
	}
	o := Options{Quality: q, Workers: 1}
	white := gaussianNoise{sigma: sigma, unit: 1, notWhite: true}.choose(len(noisy), o)
	var jobs []job
	for i, p := range noisy {
		m, err := white(i)
		if err != nil {
			return nil, err
		}
		m.stages, _ = m.stages.Cut()
		if m.chroma != nil {
			m.chroma.guided = nil
		}
		pilot = append(pilot, slices.Clone(p))
		jobs = append(jobs, job{patchify.Plane{Width: width, Height: height, Pix: pilot[i]}, m})
	}
	if err := newTiler(jobs, o).denoise(ctx); err != nil {
		return nil, err
	}
	inUnits(sigma, clean, noisy, pilot)
	return pilot, nil
}

// splitColours checks the planes that guided models are trained on, and decorrelates those of colour images.
func splitColours(ctx context.Context, clean, noisy [][]float32, width, height int, sigma float64, workers int) error {
	for _, planes := range [][][]float32{clean, noisy} {
		if err := checkPlanes(ctx, planes, width, height); err != nil {
			return err
		}
	}
	if len(clean) != len(noisy) || !(sigma > 0) {
		return badArgument("guided models need noise, and as many clean planes as noisy ones")
	}
	if len(clean) == 3 {
		decorrelate(clean, workers)
		decorrelate(noisy, workers)
	}
	return nil
}

// inUnits divides all planes by sigma.
func inUnits(sigma float64, images ...[][]float32) {
	for _, planes := range images {
		for _, p := range planes {
			for i := range p {
				p[i] /= float32(sigma)
			}
		}
	}
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

// passStages returns what makes the pilot of the last model for luma: all stages before it.
func (q Quality) passStages(_, _ int, sigma float64) (stage.Sequence, stage.Options, error) {
	run := q.stages()
	m, err := ModelSet{}.Choose(255 * sigma)
	if err != nil {
		return nil, run, err
	}
	run.Level = stage.Level(255 * sigma)
	stages, err := untilLast(m, q, false)
	return stages, run, err
}
