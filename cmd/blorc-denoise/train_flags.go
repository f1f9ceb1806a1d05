package main

import (
	"cmp"
	"math"

	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/train"
)

// trainFlags are the flags of all recipes.
type trainFlags struct {
	read       readFlags
	clean      []string
	validation string
	steps      float64
	seed       uint64
	workers    int
	output     string
	overwrite  bool
	checkpoint string
	resume     bool
	kept       bool // the checkpoint has what was learned
	metrics    string
	licence    string
}

func (f *trainFlags) add(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.clean, "clean", nil, "`DIR` of clean images, or an image; may be repeated")
	flags.StringVar(&f.validation, "val", "",
		"`DIR` of clean images, never trained on, to compare the result with the shipped models")
	flags.Float64Var(&f.steps, "steps", 1, "train for this `MULTIPLE` of the recipe's steps")
	flags.Uint64Var(&f.seed, "seed", 1, "`SEED` of all that is random")
	flags.IntVarP(&f.workers, "workers", "j", 0, "`NUMBER` of processors to use (default all)")
	flags.StringVarP(&f.output, "output", "o", "", "model `FILE` to write")
	flags.BoolVar(&f.overwrite, "overwrite", false,
		"replace the model file if it exists, and begin again if there is a checkpoint")
	flags.StringVar(&f.checkpoint, "checkpoint", "",
		"`FILE` for checkpoints (default the model file's name with .checkpoint)")
	flags.BoolVar(&f.resume, "resume", false, "go on from the checkpoint")
	flags.StringVar(&f.metrics, "metrics", "",
		"append one JSON object for each report to `FILE`; after --resume, the last of each phase and step counts")
	flags.StringVar(&f.licence, "licence", "", "`TEXT` of the licence to note in the model file")
	f.read.add(flags)
}

func (f *trainFlags) check() error {
	switch {
	case len(f.clean) == 0:
		return usage("no --clean images given")
	case f.output == "":
		return usage("no output file given (-o)")
	case !(f.steps > 0) || f.steps > 1000:
		return usage("--steps must be positive")
	case f.workers < 0:
		return usage("the number of workers must not be negative")
	}
	return f.read.check()
}

// scale multiplies numbers of steps by --steps.
func (f *trainFlags) scale(steps ...*int) {
	for _, s := range steps {
		*s = max(1, int(math.Round(float64(*s)*f.steps)))
	}
}

// pairFlags are the flags of recipes that take noisy images.
type pairFlags struct {
	noisy    []string
	valNoisy string
}

func (p *pairFlags) add(flags *pflag.FlagSet) {
	flags.StringArrayVar(&p.noisy, "noisy", nil,
		"`DIR` of noisy images with the names of the clean ones; one for each --clean")
	flags.StringVar(&p.valNoisy, "val-noisy", "", "`DIR` of the noisy --val images")
}

func (p *pairFlags) check(f *trainFlags) error {
	switch {
	case len(p.noisy) > 0 && len(p.noisy) != len(f.clean):
		return usage("%d --noisy for %d --clean", len(p.noisy), len(f.clean))
	case p.valNoisy != "" && f.validation == "":
		return usage("--val-noisy needs --val")
	}
	return nil
}

// whiteFlags are the flags of recipes for noise of one level.
type whiteFlags struct {
	pairFlags
	sigma   float64
	valCrop int
}

func (w *whiteFlags) add(flags *pflag.FlagSet) {
	w.pairFlags.add(flags)
	flags.Float64VarP(&w.sigma, "sigma", "s", 0,
		"standard deviation of the noise in gray `LEVELS` of 0-255: Gaussian noise that is added to images without "+
			"noisy ones (default with --noisy: the root mean square difference)")
	flags.IntVar(&w.valCrop, "val-crop", 256,
		"use only the central square of this `SIDE` of the validation images, 0 = all")
}

func (w *whiteFlags) check(f *trainFlags) error {
	switch {
	case len(w.noisy) == 0 && !(w.sigma > 0):
		return usage("either --sigma or --noisy is needed")
	case w.sigma < 0 || math.IsNaN(w.sigma) || w.sigma > 1e4:
		return usage("--sigma is out of range")
	case w.valCrop < 0 || w.valCrop > 0 && w.valCrop < train.PatchSize:
		return usage("--val-crop must be 0, or at least %d", train.PatchSize)
	}
	return w.pairFlags.check(f)
}

// addCrops adds the flag for the number of parts of images that are drawn.
func addCrops(flags *pflag.FlagSet, crops *int) {
	flags.IntVar(crops, "crops", *crops, "`NUMBER` of crops of the images to train on")
}

func addClusters(flags *pflag.FlagSet, clusters *int) {
	flags.IntVar(clusters, "clusters", *clusters, "`NUMBER` of clusters of patches")
}

// between checks a whole number.
func between(flag string, value, least, most int) error {
	if value < least || value > most {
		return usage("--%s must be between %d and %d", flag, least, most)
	}
	return nil
}

func checkCrops(crops int) error { return between("crops", crops, 1, 100_000) }

func checkPatches(crops, clusters int) error {
	return cmp.Or(checkCrops(crops), between("clusters", clusters, 1, 1024))
}
