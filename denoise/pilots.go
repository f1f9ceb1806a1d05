package denoise

import (
	"cmp"
	"context"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/pilots"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Pilots makes what training needs of this package: what the program makes of a noisy picture before the stage that is
// trained, the pilot of that stage. It is no use to other modules, which cannot make the pictures that it takes.
//
// Luma, Chroma and Broad also change the planes of a picture, and the pilot, into what a guided stage is trained on:
// those of a colour picture are decorrelated, luma first, and all are divided by Sigma.
var Pilots pilotMaker

type pilotMaker struct{}

// Luma makes what the local stages make of a gray picture. The quality changes nothing.
func (pilotMaker) Luma(ctx context.Context, p pilots.Picture, _ Quality) (pilot [][]float32, err error) {
	if len(p.Clean) != 1 {
		return nil, badArgument("models for luma are trained on gray images")
	}
	if err := splitColours(ctx, p); err != nil {
		return nil, err
	}
	m, err := ModelSet{}.choose(255 * p.Sigma)
	if err != nil {
		return nil, err
	}
	steps, err := chain{local: plans[whiteNoise][Fast].luma.local}.steps(m, ModelSet{})
	if err != nil {
		return nil, err
	}
	noisy := patchify.Plane{Width: p.Width, Height: p.Height, Pix: p.Noisy[0]}
	out, err := steps.For(0, p.Workers, nil).Denoise(ctx, noisy, p.Sigma)
	if err != nil {
		return nil, err
	}
	pilot = [][]float32{out.Pix}
	inUnits(p.Sigma, p.Clean, p.Noisy, pilot)
	return pilot, nil
}

// Passes returns how many passes of the shipped models run at a quality.
func (pilotMaker) Passes(q Quality) int { return q.passes() }

// Pass denoises a gray plane with the stages of m, with one worker. The result is the input of a further pass. Samples
// and sigma are on a scale of 0 to 1.
func (pilotMaker) Pass(ctx context.Context, m *model.Model, noisy patchify.Plane, sigma float64,
	q Quality) (patchify.Plane, error) {
	if err := cmp.Or(q.check(), checkContext(ctx)); err != nil {
		return patchify.Plane{}, err
	}
	if m == nil || !(sigma > 0) || !isFinite(sigma) {
		return patchify.Plane{}, badArgument("no model, or a sigma of %g", sigma)
	}
	chain := plans[whiteNoise][q].luma
	chain.local = chain.local.beforePass() // no pass of m is the last one that runs
	steps, err := chain.steps(m, ModelSet{})
	if err != nil {
		return patchify.Plane{}, err
	}
	return steps.For(stage.Level(255*sigma), 1, nil).Denoise(ctx, noisy, sigma)
}

// Chroma makes the denoised luma of a colour picture, and what the stages before the refinement of chroma make of the
// other planes.
func (pilotMaker) Chroma(ctx context.Context, p pilots.Picture, q Quality) (pilot [][]float32, err error) {
	if len(p.Clean) != 3 {
		return nil, badArgument("the model for chroma is trained on colour images")
	}
	return tiledPilot(ctx, p, evenNoise{sigma: p.Sigma, unit: 1}, whiteNoise, q)
}

// Broad makes what the stages for correlated noise make before its refinement. The picture may be gray.
func (pilotMaker) Broad(ctx context.Context, p pilots.Picture, q Quality) (pilot [][]float32, err error) {
	return tiledPilot(ctx, p, evenNoise{sigma: p.Sigma, unit: 1, correlated: true}, correlatedPlan, q)
}

// CameraLevel estimates the level of the camera noise of a photograph, in gray levels of 0 to 255. It also returns the
// ratio of the range of its samples over the usual range. The planes and the level, divided by that ratio, suit Broad.
func (pilotMaker) CameraLevel(img *imageio.Image, workers int) (level, unit float64, err error) {
	if err := checkImage(img); err != nil {
		return 0, 0, err
	}
	planes := image{img.Planes, img.Width, img.Height}
	if err := checkPlanes(context.Background(), planes.planes, img.Width, img.Height); err != nil {
		return 0, 0, err
	}
	unit = planes.unit()
	o := FileOptions{Options: Options{Noise: Camera, Workers: workers}}
	found, err := o.jobFor(context.Background(), img).noiseOf(channel{image: planes})
	return found.noise.result().Sigma / unit, unit, err
}

// tiledPilot denoises the planes as the program does, but for the model that is trained.
func tiledPilot(ctx context.Context, p pilots.Picture, n evenNoise, kind kindOfPlan,
	q Quality) (pilot [][]float32, err error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	if err := splitColours(ctx, p); err != nil {
		return nil, err
	}
	j := job{Options: Options{Quality: q, Workers: p.Workers}, ctx: ctx}
	choose := n.chooseFor(plans[kind][q], len(p.Noisy), j.Options)
	var tasks []task
	for i, pix := range p.Noisy {
		m, err := choose(i)
		if err != nil {
			return nil, err
		}
		if n.correlated {
			m.steps = slices.DeleteFunc(m.steps, func(s stage.Step) bool { return stage.IsGuided(s.Stage) })
		}
		if m.chroma != nil {
			m.chroma.guided = nil
		}
		pilot = append(pilot, slices.Clone(pix))
		plane := patchify.Plane{Width: p.Width, Height: p.Height, Pix: pilot[i]}
		tasks = append(tasks, task{plane: plane, planeModel: m})
	}
	if err := newTiler(tasks, j, nil).denoise(ctx); err != nil {
		return nil, err
	}
	inUnits(p.Sigma, p.Clean, p.Noisy, pilot)
	return pilot, nil
}

// splitColours checks the planes that guided models are trained on, and decorrelates those of colour images.
func splitColours(ctx context.Context, p pilots.Picture) error {
	for _, planes := range [][][]float32{p.Clean, p.Noisy} {
		if err := checkPlanes(ctx, planes, p.Width, p.Height); err != nil {
			return err
		}
	}
	if len(p.Clean) != len(p.Noisy) || !(p.Sigma > 0) || !isFinite(p.Sigma) {
		return badArgument("guided models need noise, and as many clean planes as noisy ones")
	}
	if len(p.Clean) == 3 {
		decorrelate(p.Clean, pool{ctx, p.Workers})
		decorrelate(p.Noisy, pool{ctx, p.Workers})
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
