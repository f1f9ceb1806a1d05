package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/internal/pilots"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
	"github.com/blorc-denoise/blorc-denoise/train"
)

// training is a recipe with its data.
type training interface {
	fingerprint() string
	train(context.Context, *train.Trainer) (*model.Model, error)
	describe() (recipe any, noise string)
	images(i int) int             // number of images of the i-th --clean
	validated(*trainFlags) string // images that the PSNR of the model was measured on
}

// whiteTraining is a recipe for gray planes with noise of one sigma.
type whiteTraining struct {
	recipe interface {
		Train(context.Context, *train.Trainer, train.Data) (*model.Model, error)
	}
	data  train.Data
	noise string
}

func (f *trainFlags) newWhiteTraining(u *ui) (training, error) {
	t := &whiteTraining{noise: "added Gaussian noise"}
	var err error
	if t.data, err = f.data(u); err != nil {
		return nil, err
	}
	if len(f.noisy) > 0 {
		t.noise = "noisy images of their own"
	}
	switch f.recipe {
	case "paper":
		p := train.DefaultPaperRecipe()
		p.Steps = f.scaled(p.Steps)
		p.Adam, p.Identity = f.optimizer == "adam", f.start == "identity"
		t.recipe = p
	case "nonlocal":
		if t.recipe, err = f.nonLocalRecipe(255 * t.data.Sigma); err != nil {
			return nil, err
		}
	default:
		l := train.DefaultLocalRecipe()
		f.scale(&l)
		t.recipe = l
	}
	return t, nil
}

// nonLocalRecipe starts from the local stages of a model, and from the passes of another one if --from names it.
func (f *trainFlags) nonLocalRecipe(sigma float64) (r train.NonLocalRecipe, err error) {
	local, err := modelFor(f.local, sigma)
	if err != nil {
		return r, err
	}
	start, err := modelFor(f.from, sigma)
	if err != nil {
		return r, err
	}
	r = train.DefaultNonLocalRecipe(local, start)
	r.Steps, r.Passes, r.Window = f.scaled(r.Steps), f.passes, f.window
	r.Correct = f.coarse
	r.Crops, r.Clusters = cmp.Or(f.crops, r.Crops), cmp.Or(f.clusters, r.Clusters)
	if f.pilots == "shipped" {
		r.Pilots = shippedPilots()
	}
	return r, nil
}

// shippedPilots returns how the program runs the stages before each pass with the shipped models. Passes serve balanced
// and best quality.
func shippedPilots() (all []train.Pilot) {
	for _, q := range []denoise.Quality{denoise.Balanced, denoise.Best} {
		all = append(all, train.Pilot{Name: q.String(), Passes: pilots.Passes(int(q)),
			Denoise: func(ctx context.Context, m *model.Model, noisy patchify.Plane, sigma float64) (patchify.Plane,
				error) {
				return pilots.Pass(ctx, m, noisy, sigma, int(q), 1)
			}})
	}
	return all
}

func (t *whiteTraining) fingerprint() string { return t.data.Fingerprint(t.recipe) }

func (t *whiteTraining) describe() (any, string) {
	return t.recipe, fmt.Sprintf("%s, sigma %g", t.noise, 255*t.data.Sigma)
}

func (t *whiteTraining) images(i int) int { return len(t.data.Groups[i]) }

func (t *whiteTraining) train(ctx context.Context, trainer *train.Trainer) (*model.Model, error) {
	return t.recipe.Train(ctx, trainer, t.data)
}

func (t *whiteTraining) validated(f *trainFlags) string {
	if len(t.data.Validation) == 0 {
		return ""
	}
	part := "whole"
	if f.valCrop > 0 {
		part = fmt.Sprintf("central %d pixels", f.valCrop)
	}
	return fmt.Sprintf("%d images of %s, %s, stride %d", len(t.data.Validation), base(f.validation), part,
		stage.DefaultStride)
}
