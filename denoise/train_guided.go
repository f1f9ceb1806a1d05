package denoise

import (
	"cmp"
	"context"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// GuidedPlanes prepares a noisy gray image and its clean version for the training of guided models: it divides both by sigma, in place. Pilot is
// the noisy plane after the local stages. Samples and sigma are on a scale of 0 to 1.
func GuidedPlanes(ctx context.Context, clean, noisy [][]float32, width, height int, sigma float64, workers int) (pilot [][]float32, err error) {
	if len(clean) != 1 {
		return nil, badArgument("models for luma are trained on gray images")
	}
	if err := splitColours(ctx, clean, noisy, width, height, sigma, workers); err != nil {
		return nil, err
	}
	m, err := ModelSet{}.Choose(255 * sigma)
	if err != nil {
		return nil, err
	}
	steps, err := lane{local: plans[whiteNoise][Fast].luma.local}.steps(m, ModelSet{})
	if err != nil {
		return nil, err
	}
	out, err := steps.For(0, workers, nil).Denoise(ctx, patchify.Plane{Width: width, Height: height, Pix: noisy[0]}, sigma)
	if err != nil {
		return nil, err
	}
	pilot = [][]float32{out.Pix}
	inUnits(sigma, clean, noisy, pilot)
	return pilot, nil
}

// PassPilot denoises a gray plane with the stages of m. The result is the input of a further pass, as the program makes it at this quality. Samples
// and sigma are on a scale of 0 to 1.
func PassPilot(ctx context.Context, m *model.Model, noisy patchify.Plane, sigma float64, q Quality, workers int) (patchify.Plane, error) {
	if err := cmp.Or(q.check(), checkContext(ctx)); err != nil {
		return patchify.Plane{}, err
	}
	if m == nil || !(sigma > 0) || !isFinite(sigma) {
		return patchify.Plane{}, badArgument("no model, or a sigma of %g", sigma)
	}
	lane := plans[whiteNoise][q].luma
	lane.local = lane.local.beforePass() // no pass of m is the last one that runs
	steps, err := lane.steps(m, ModelSet{})
	if err != nil {
		return patchify.Plane{}, err
	}
	return steps.For(stage.Level(255*sigma), workers, nil).Denoise(ctx, noisy, sigma)
}

// ChromaPlanes is like GuidedPlanes for the model that refines chroma. The planes of a colour image are decorrelated, luma first. Pilot holds the
// denoised luma, and what the stages before that model make of chroma at a quality.
func ChromaPlanes(ctx context.Context, clean, noisy [][]float32, width, height int, sigma float64, q Quality, workers int) (pilot [][]float32, err error) {
	if len(clean) != 3 {
		return nil, badArgument("the model for chroma is trained on colour images")
	}
	return tiledPlanes(ctx, clean, noisy, width, height, gaussianNoise{sigma: sigma, unit: 1, noNetwork: true}, Options{Quality: q, Workers: workers})
}

// BroadPlanes is like ChromaPlanes, for the models of broad noise for luma and chroma. The image may be gray. Sigma is the level that the
// models for white noise are told.
func BroadPlanes(ctx context.Context, clean, noisy [][]float32, width, height int, sigma float64, q Quality) (pilot [][]float32, err error) {
	return tiledPlanes(ctx, clean, noisy, width, height, gaussianNoise{sigma: sigma, unit: 1, notWhite: true}, Options{Quality: q, Workers: 1})
}

// CameraLevel returns the level of the noise of a camera that is found in a photograph, in grey levels, and how much larger than usual the range of
// its samples is. Divided by that, the planes and the level suit BroadPlanes.
func CameraLevel(img *imageio.Image, workers int) (level, unit float64, err error) {
	if err := checkImage(img); err != nil {
		return 0, 0, err
	}
	planes := image{img.Planes, img.Width, img.Height}
	if err := checkPlanes(context.Background(), planes.planes, img.Width, img.Height); err != nil {
		return 0, 0, err
	}
	unit = planes.unit()
	found := Options{Noise: Camera, Workers: workers}.withFile(img).measure(planes).result()
	return found.Sigma / unit, unit, nil
}

// tiledPlanes denoises the planes as the program does, but for the model that is trained.
func tiledPlanes(ctx context.Context, clean, noisy [][]float32, width, height int, n gaussianNoise, o Options) (pilot [][]float32, err error) {
	if err := o.Quality.check(); err != nil {
		return nil, err
	}
	if err := splitColours(ctx, clean, noisy, width, height, n.sigma, o.Workers); err != nil {
		return nil, err
	}
	choose := n.choose(len(noisy), o)
	var jobs []job
	for i, p := range noisy {
		m, err := choose(i)
		if err != nil {
			return nil, err
		}
		if n.notWhite {
			m.steps = slices.DeleteFunc(m.steps, func(s stage.Step) bool { return stage.IsGuided(s.Stage) })
		}
		if m.chroma != nil {
			m.chroma.guided = nil
		}
		pilot = append(pilot, slices.Clone(p))
		jobs = append(jobs, job{plane: patchify.Plane{Width: width, Height: height, Pix: pilot[i]}, planeModel: m})
	}
	if err := newTiler(jobs, o).denoise(ctx); err != nil {
		return nil, err
	}
	inUnits(n.sigma, clean, noisy, pilot)
	return pilot, nil
}

// splitColours checks the planes that guided models are trained on, and decorrelates those of colour images.
func splitColours(ctx context.Context, clean, noisy [][]float32, width, height int, sigma float64, workers int) error {
	for _, planes := range [][][]float32{clean, noisy} {
		if err := checkPlanes(ctx, planes, width, height); err != nil {
			return err
		}
	}
	if len(clean) != len(noisy) || !(sigma > 0) || !isFinite(sigma) {
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
