package main

import (
	"context"
	"fmt"
	"math"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
	"github.com/blorc-denoise/blorc-denoise/train"
)

// cameraTraining is the recipe for real pairs, in colour.
type cameraTraining struct {
	recipe     train.CameraRecipe
	data       train.CameraData
	validation []colourPair
	counts     []int
}

type colourPair struct {
	clean, noisy *imageio.Image
	path         string // of the noisy image
}

// newCameraTraining reads all pairs. Pairs that do not fit are all reported.
func (f *trainFlags) newCameraTraining(u *ui) (training, error) {
	t := &cameraTraining{recipe: train.DefaultCameraRecipe(), data: train.CameraData{Seed: f.seed, Workers: f.workers}}
	f.scale(&t.recipe.Local)
	var errs []error
	var logs float64
	for i, clean := range f.clean {
		pairs, e := f.colourPairs(clean, f.noisy[i])
		errs = append(errs, e...)
		t.counts = append(t.counts, len(pairs))
		for _, p := range pairs {
			level, err := t.add(p)
			if err != nil {
				errs = append(errs, fileError{p.path, err})
				continue
			}
			logs += math.Log(level)
		}
	}
	if f.validation != "" {
		var e []error
		t.validation, e = f.colourPairs(f.validation, f.valNoisy)
		errs = append(errs, e...)
	}
	if len(errs) > 0 {
		return nil, failAll(u, errs)
	}
	if rootMeanSquareDifference([][]train.Pair{t.data.Luma, t.data.Chroma}) == 0 {
		return nil, errEqualImages
	}
	t.data.Level = math.Exp(logs / float64(len(t.data.Luma)))
	return t, nil
}

func (f *trainFlags) colourPairs(clean, noisy string) (out []colourPair, errs []error) {
	pairs, errs := pairsOf(clean, noisy)
	for _, p := range pairs {
		c, n, err := readPair(p, false, f.read.ReadOptions)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, colourPair{c, n, p.noisy})
	}
	return out, errs
}

// add adds a pair to the training data, in units of the noise level measured in the noisy image.
func (t *cameraTraining) add(p colourPair) (level float64, err error) {
	w, h := p.noisy.Width, p.noisy.Height
	if least := t.recipe.LeastSide(); min(w, h) < least {
		return 0, fmt.Errorf("%w: %d x %d pixels are less than the %d x %d that the coarsest level needs", errMismatch, w, h, least, least)
	}
	if level = denoise.CameraLevel(p.noisy.Planes, w, h, t.data.Workers); level == 0 {
		return 0, fmt.Errorf("%w: an image without noise", errMismatch)
	}
	denoise.CameraPlanes(p.clean.Planes, level, t.data.Workers)
	denoise.CameraPlanes(p.noisy.Planes, level, t.data.Workers)
	for i := range p.clean.Planes {
		pair := train.Pair{Clean: patchify.Plane{Width: w, Height: h, Pix: p.clean.Planes[i]},
			Noisy: patchify.Plane{Width: w, Height: h, Pix: p.noisy.Planes[i]}}
		if i == 0 {
			t.data.Luma = append(t.data.Luma, pair)
		} else {
			t.data.Chroma = append(t.data.Chroma, pair)
		}
	}
	return level, nil
}

func (t *cameraTraining) fingerprint() string { return t.data.Fingerprint(t.recipe) }

func (t *cameraTraining) describe() (any, string) {
	return t.recipe, fmt.Sprintf("real pairs with a noise level of %.1f on average", 255*t.data.Level)
}

func (t *cameraTraining) images(i int) int { return t.counts[i] }

// train measures the model in colour on the whole validation images, clipped, as 'eval' does.
func (t *cameraTraining) train(ctx context.Context, trainer *train.Trainer) (*model.Model, error) {
	m, err := t.recipe.Train(ctx, trainer, t.data)
	if err != nil {
		return nil, err
	}
	models, err := denoise.UseModel(m)
	if err != nil {
		return nil, err
	}
	o := denoise.Options{Models: models, Noise: denoise.Camera, Workers: t.data.Workers}
	for _, p := range t.validation {
		if _, err := denoise.Planes(ctx, p.noisy.Planes, p.noisy.Width, p.noisy.Height, o); err != nil {
			return nil, err
		}
		m.ValidationPSNR += metric.PSNRPlanes(p.clean.Planes, p.noisy.Planes) / float64(len(t.validation))
	}
	return m, nil
}

func (t *cameraTraining) validated(f *trainFlags) string {
	if len(t.validation) == 0 {
		return ""
	}
	return fmt.Sprintf("%d pairs of %s, in colour, stride %d", len(t.validation), base(f.validation), stage.DefaultStride)
}
