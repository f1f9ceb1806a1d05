package main

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

const trainText = `Learn a model from images. Training lowers the error of denoised patches by gradient descent, and the gradient is exact.
Each recipe is a command with flags of its own.

Several --clean folders have equal weight, however many images they hold. All recipes but camera and chroma turn colour
images into gray. The same images, flags and seed give the same file, byte for byte, on the same kind of processor, also after
an interruption and --resume. With --val, the model is compared with the shipped ones at the end.`

// newTrain returns the command that holds the recipes.
func newTrain(u *ui) *cobra.Command {
	c := group("train", "Learn a model from clean and noisy images", newTrainLocal(u), newTrainNonLocal(u),
		newTrainLuma(u), newTrainChroma(u), newTrainPaper(u), newTrainCamera(u))
	c.Long = trainText
	c.Example = `  blorc-denoise train local --clean photos/ --sigma 25 --val held-back/ -o mine.safetensors
  blorc-denoise train camera --clean tripod-average/ --noisy tripod-single/ -o camera.safetensors
  blorc-denoise train paper --clean a.png --clean b.png --sigma 25.5 --val held-back/ -o paper.safetensors`
	refuseRecipeFlag(c)
	return c
}

// refuseRecipeFlag says how to name a recipe to those who give the flags of one to the command that holds them, as it
// was once.
func refuseRecipeFlag(c *cobra.Command) {
	recipe := c.Flags().String("recipe", "local", "")
	c.Flags().Lookup("recipe").Hidden = true
	refuse := func() error {
		return usage("the recipe is a word before all flags: %s train %s --clean ...", program, *recipe)
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if c.Flags().Changed("recipe") {
			return refuse()
		}
		return groupHelp(c, args)
	}
	c.SetFlagErrorFunc(func(failed *cobra.Command, err error) error {
		unknown := (*pflag.NotExistError)(nil)
		switch words := failed.Flags().Args(); {
		case failed != c || !errors.As(err, &unknown):
			return flagError(failed, err)
		case len(words) > 0:
			return groupHelp(c, words)
		}
		return refuse()
	})
}

// trainRecipe is what a recipe has of its own.
type trainRecipe interface {
	add(flags *pflag.FlagSet)
	check(f *trainFlags) error
	job(ctx context.Context, u *ui, f *trainFlags) (training, error)
}

// newRecipe returns the command of a recipe, whose texts c has.
func newRecipe(u *ui, c *cobra.Command, recipe trainRecipe) *cobra.Command {
	f := trainFlags{}
	f.add(c.Flags())
	recipe.add(c.Flags())
	c.Args, c.ValidArgsFunction = noArguments, cobra.NoFileCompletions
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := cmp.Or(f.check(), recipe.check(&f), f.checkFiles()); err != nil {
			return err
		}
		f.read.Context = c.Context()
		return disk.WithParent(f.output, func() error { return f.run(c.Context(), u, recipe) })
	}
	return c
}

// run trains and writes the model.
func (f *trainFlags) run(ctx context.Context, u *ui, recipe trainRecipe) error {
	saved, err := f.beforeWork()
	if err != nil {
		return err
	}
	job, err := recipe.job(ctx, u, f)
	if err != nil {
		return err
	}
	metrics, err := openMetrics(f.metrics)
	if err != nil {
		return err
	}
	defer metrics.close()
	m, err := f.train(ctx, f.trainer(u, job, metrics), job, saved)
	if err != nil {
		if errors.Is(err, context.Canceled) && f.kept {
			u.say("interrupted; '--resume' goes on from %s", f.checkpoint)
		}
		return err
	}
	if err := f.write(m); err != nil {
		return err
	}
	if err := f.report(ctx, u, job, m, metrics); err != nil {
		return err
	}
	if metrics.failed() {
		return silent(exitIO)
	}
	return nil
}
