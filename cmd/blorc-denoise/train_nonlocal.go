package main

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/models"
	"github.com/blorc-denoise/blorc-denoise/patchify"
	"github.com/blorc-denoise/blorc-denoise/train"
)

// nonLocalFlags are the flags of the recipe for passes on groups of similar patches.
type nonLocalFlags struct {
	whiteFlags
	recipe              train.NonLocalRecipe
	local, from, pilots string
}

func newTrainNonLocal(u *ui) *cobra.Command {
	return newRecipe(u, &cobra.Command{
		Use:   "nonlocal --clean DIR (--sigma LEVELS | --noisy DIR) -o MODEL",
		Short: "Passes that denoise groups of similar patches together, after a local model",
		Long: `Learn passes that denoise groups of similar patches together, after the stages of a local model (--local).

With --sigma, Gaussian noise is added to the clean images. With --noisy, each clean image has a noisy one of the same
name.`,
		Example: "  blorc-denoise train nonlocal --local mine.safetensors --clean photos/ --sigma 25 " +
			"-o groups.safetensors",
	}, &nonLocalFlags{recipe: train.DefaultNonLocalRecipe(nil, nil)})
}

func (n *nonLocalFlags) add(flags *pflag.FlagSet) {
	n.whiteFlags.add(flags)
	flags.StringVar(&n.local, "local", models.Local,
		"model that gives the local stages: `NAME` of a shipped one or a model file")
	flags.StringVar(&n.from, "from", "",
		"model whose passes training starts from: `NAME` or file (default: passes of the DCT)")
	flags.StringVar(&n.pilots, "pilots", "model",
		"`SOURCE` of the pilots of passes: model, the stages before them, or shipped, the program with its own "+
			"models at balanced and best quality")
	flags.IntVar(&n.recipe.Passes, "passes", n.recipe.Passes, "`NUMBER` of non-local passes")
	flags.BoolVar(&n.recipe.Correct, "coarse", n.recipe.Correct,
		"correct low frequencies at half the size from the second pass on")
	flags.IntVar(&n.recipe.Window, "window", n.recipe.Window, "farthest offset of similar patches, in `PIXELS`")
	addCrops(flags, &n.recipe.Crops)
	addClusters(flags, &n.recipe.Clusters)
}

func (n *nonLocalFlags) check(f *trainFlags) error {
	if n.pilots != "model" && n.pilots != "shipped" {
		return usage("--pilots must be model or shipped")
	}
	r := n.recipe
	return cmp.Or(n.whiteFlags.check(f), checkPatches(r.Crops, r.Clusters), between("passes", r.Passes, 1, 10),
		between("window", r.Window, 1, 200))
}

// job starts from the local stages of a model, and from the passes of another one if --from names it.
func (n *nonLocalFlags) job(_ context.Context, u *ui, f *trainFlags) (training, error) {
	t, err := n.training(u, f, nil)
	if err != nil {
		return nil, err
	}
	r := n.recipe
	f.scale(&r.Steps)
	if r.Local, err = modelFor(n.local, 255*t.data.Sigma); err != nil {
		return nil, err
	}
	if r.Start, err = modelFor(n.from, 255*t.data.Sigma); err != nil {
		return nil, err
	}
	if n.pilots == "shipped" {
		r.Pilots = shippedPilots()
	}
	t.recipe = r
	return t, nil
}

// modelFor returns the model of a name or file for a noise level, nil for no name.
func modelFor(name string, sigma float64) (*model.Model, error) {
	if name == "" {
		return nil, nil
	}
	if _, err := chooser(name); err != nil {
		return nil, err
	}
	return loadModel(name, sigma)
}

// shippedPilots returns how the program runs the stages before each pass with the shipped models. Passes serve balanced
// and best quality.
func shippedPilots() (all []train.Pilot) {
	for _, q := range []denoise.Quality{denoise.Balanced, denoise.Best} {
		all = append(all, train.Pilot{Name: q.String(), Passes: denoise.Pilots.Passes(q),
			Denoise: func(ctx context.Context, m *model.Model, noisy patchify.Plane, sigma float64) (patchify.Plane,
				error) {
				return denoise.Pilots.Pass(ctx, m, noisy, sigma, q)
			}})
	}
	return all
}
