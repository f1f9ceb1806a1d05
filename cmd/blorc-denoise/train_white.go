package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/train"
)

// whiteRecipe is a recipe for gray planes with noise of one level.
type whiteRecipe interface {
	Train(context.Context, *train.Trainer, train.Data) (*model.Model, error)
}

// localFlags are the flags of the recipe for patches on their own.
type localFlags struct {
	whiteFlags
	recipe train.LocalRecipe
}

func newTrainLocal(u *ui) *cobra.Command {
	return newRecipe(u, &cobra.Command{
		Use:   "local --clean DIR (--sigma LEVELS | --noisy DIR) -o MODEL",
		Short: "A union of transforms: one for all patches, then one for each cluster of patches",
		Long: `Learn a union of transforms for patches on their own: one for all patches, then one for each of 32 clusters of patches.

With --sigma, Gaussian noise is added to the clean images. With --noisy, each clean image has a noisy one of the same
name.`,
		Example: `  blorc-denoise train local --clean photos/ --sigma 25 --val held-back/ -o mine.safetensors
  blorc-denoise train local --clean averages/ --noisy singles/ -o tripod.safetensors`,
	}, &localFlags{recipe: train.DefaultLocalRecipe()})
}

func (l *localFlags) add(flags *pflag.FlagSet) {
	l.whiteFlags.add(flags)
	addCrops(flags, &l.recipe.Crops)
	addClusters(flags, &l.recipe.Clusters)
}

func (l *localFlags) check(f *trainFlags) error {
	return cmp.Or(l.whiteFlags.check(f), checkPatches(l.recipe.Crops, l.recipe.Clusters))
}

func (l *localFlags) job(_ context.Context, u *ui, f *trainFlags) (training, error) {
	f.scale(&l.recipe.PilotSteps, &l.recipe.UnionSteps)
	return l.training(u, f, l.recipe)
}

// paperFlags are the flags of the recipe of the paper.
type paperFlags struct {
	whiteFlags
	recipe           train.PaperRecipe
	optimizer, start string
}

func newTrainPaper(u *ui) *cobra.Command {
	return newRecipe(u, &cobra.Command{
		Use:   "paper --clean IMAGE (--sigma LEVELS | --noisy IMAGE) -o MODEL",
		Short: "One 64 x 64 transform for each --clean image, stacked",
		Long: `Learn the model of the paper: one 64 x 64 transform for each --clean image, stacked. The scale of the stack
is the one that is best on the --val images.`,
		Example: "  blorc-denoise train paper --clean a.png --clean b.png --clean c.png --sigma 25.5 --val " +
			"held-back/ -o paper.safetensors",
	}, &paperFlags{recipe: train.DefaultPaperRecipe()})
}

func (p *paperFlags) add(flags *pflag.FlagSet) {
	p.whiteFlags.add(flags)
	flags.StringVar(&p.optimizer, "optimizer", "adam",
		"`METHOD`: adam, or gradient for the plain descent of the paper")
	flags.StringVar(&p.start, "start", "dct", "`TRANSFORM`: dct, or identity as in the paper")
}

func (p *paperFlags) check(f *trainFlags) error {
	switch {
	case p.optimizer != "adam" && p.optimizer != "gradient":
		return usage("--optimizer must be adam or gradient")
	case p.start != "dct" && p.start != "identity":
		return usage("--start must be dct or identity")
	}
	return p.whiteFlags.check(f)
}

func (p *paperFlags) job(_ context.Context, u *ui, f *trainFlags) (training, error) {
	f.scale(&p.recipe.Steps)
	p.recipe.Adam, p.recipe.Identity = p.optimizer == "adam", p.start == "identity"
	return p.training(u, f, p.recipe)
}

// whiteTraining is a recipe for gray planes with its data.
type whiteTraining struct {
	recipe  whiteRecipe
	data    train.Data
	noise   string
	valCrop int
}

// training reads the images.
func (w *whiteFlags) training(u *ui, f *trainFlags, recipe whiteRecipe) (*whiteTraining, error) {
	t := &whiteTraining{recipe: recipe, noise: "added Gaussian noise", valCrop: w.valCrop}
	if len(w.noisy) > 0 {
		t.noise = "noisy images of their own"
	}
	var err error
	t.data, err = w.data(u, f)
	return t, err
}

func (t *whiteTraining) fingerprint() string { return t.data.Fingerprint(t.recipe) }

func (t *whiteTraining) describe() (any, string) {
	return t.recipe, fmt.Sprintf("%s, sigma %g", t.noise, 255*t.data.Sigma)
}

func (t *whiteTraining) images(i int) int { return len(t.data.Groups[i]) }

func (t *whiteTraining) hasShortSteps() bool { return false }

func (t *whiteTraining) train(ctx context.Context, trainer *train.Trainer) (*model.Model, error) {
	return t.recipe.Train(ctx, trainer, t.data)
}

func (t *whiteTraining) validated(folder string) string {
	if len(t.data.Validation) == 0 {
		return ""
	}
	part := "whole"
	if t.valCrop > 0 {
		part = fmt.Sprintf("central %d pixels", t.valCrop)
	}
	return fmt.Sprintf("%d images of %s, %s, stride %d", len(t.data.Validation), folder, part, stage.DefaultStride)
}
