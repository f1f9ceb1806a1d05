package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/train"
)

type trainFlags struct {
	read       readFlags
	clean      []string
	noisy      []string
	validation string
	valNoisy   string
	valCrop    int
	sigma      float64
	recipe     string
	optimizer  string
	start      string
	steps      float64
	local      string
	from       string
	pilots     string
	passes     int
	coarse     bool
	window     int
	clusters   int
	crops      int
	seed       uint64
	workers    int
	output     string
	overwrite  bool
	checkpoint string
	resume     bool
	kept       bool // the checkpoint has what was learned
	metrics    string
	licence    string
	given      func(flag string) bool
}

func newTrain(u *ui) *cobra.Command {
	f := trainFlags{}
	c := &cobra.Command{
		Use:   "train --clean DIR (--sigma LEVELS | --noisy DIR) -o MODEL",
		Short: "Learn a model from clean and noisy images",
		Long: `Learn a model from images. Training lowers the error of denoised patches by gradient descent, and the gradient is exact.

With --sigma, Gaussian noise is added to the clean images. With --noisy, each clean image has a noisy one of the same name.
Several --clean folders have equal weight, however many images they hold. All recipes but camera and chroma turn colour
images into gray. The same images, flags and seed give the same file, byte for byte, on the same kind of processor, also after
an interruption and --resume.

Recipes:
  local     a union of transforms: one for all patches, then one for each of 32 clusters of patches
  nonlocal  the stages of a local model (--local), then passes that denoise groups of similar patches together
  luma      what refines the brightness after the local stages, for all levels of noise
  chroma    what refines the colours of an image, led by its brightness, for all levels of noise
  paper     one 64 x 64 transform for each --clean image, stacked and scaled to be best on the --val images
  camera    what refines pictures of your camera, brightness and colours, after all other stages. It learns from real pairs,
            such as single shots from a tripod and their average, and starts from the shipped networks for cameras in
            general. 'blorc-denoise FILE --model MODEL' uses the result in their place.`,
		Example: `  blorc-denoise train --clean photos/ --sigma 25 --val held-back/ -o mine.safetensors
  blorc-denoise train --recipe camera --clean tripod-average/ --noisy tripod-single/ -o camera.safetensors
  blorc-denoise train --recipe paper --clean a.png --clean b.png --clean c.png --sigma 25.5 --val held-back/ -o paper.safetensors`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c.Context(), u) },
	}
	local := train.DefaultLocalRecipe()
	flags := c.Flags()
	flags.StringArrayVar(&f.clean, "clean", nil, "`DIR` of clean images, or an image; may be repeated")
	flags.StringArrayVar(&f.noisy, "noisy", nil,
		"`DIR` of noisy images with the names of the clean ones; one for each --clean")
	flags.Float64VarP(&f.sigma, "sigma", "s", 0,
		"standard deviation of the noise in grey `LEVELS` of 0-255 (default with --noisy: the root mean square "+
			"difference)")
	flags.StringVar(&f.validation, "val", "", "`DIR` of clean images to measure the result on, never trained on")
	flags.StringVar(&f.valNoisy, "val-noisy", "",
		"`DIR` of the noisy --val images (default: noise of --sigma is added)")
	flags.IntVar(&f.valCrop, "val-crop", 256,
		"use only the central square of this `SIDE` of the validation images, 0 = all")
	flags.StringVar(&f.recipe, "recipe", "local", "`RECIPE` to train: "+strings.Join(recipes, ", "))
	flags.StringVar(&f.optimizer, "optimizer", "adam",
		"`METHOD`: adam, or gradient for the plain descent of the paper (recipe paper)")
	flags.StringVar(&f.start, "start", "dct", "`TRANSFORM`: dct, or identity as in the paper (recipe paper)")
	nonLocal := train.DefaultNonLocalRecipe(nil, nil)
	flags.StringVar(&f.local, "local", "local",
		"model that gives the local stages: `NAME` of a shipped one or a model file (recipe nonlocal)")
	flags.StringVar(&f.from, "from", "",
		"model that training starts from: `NAME` or file. Recipe nonlocal takes its passes (default the DCT), luma "+
			"and chroma its networks (default random ones)")
	flags.StringVar(&f.pilots, "pilots", "model",
		"`SOURCE` of the pilots of passes: model, the stages before them, or shipped, the program with its own "+
			"models at balanced and best quality (recipe nonlocal)")
	flags.IntVar(&f.passes, "passes", nonLocal.Passes, "`NUMBER` of non-local passes (recipe nonlocal)")
	flags.BoolVar(&f.coarse, "coarse", nonLocal.Correct,
		"correct low frequencies at half the size from the second pass on (recipe nonlocal)")
	flags.IntVar(&f.window, "window", nonLocal.Window,
		"farthest offset of similar patches, in `PIXELS` (recipe nonlocal)")
	flags.Float64Var(&f.steps, "steps", 1, "train for this `MULTIPLE` of the recipe's steps")
	flags.IntVar(&f.clusters, "clusters", 0,
		fmt.Sprintf("`NUMBER` of clusters of patches (default %d, recipe nonlocal %d)", local.Clusters,
			nonLocal.Clusters))
	flags.IntVar(&f.crops, "crops", 0,
		fmt.Sprintf("`NUMBER` of crops of the images to train on (default %d; camera %d, luma %d, chroma %d)",
			local.Crops, cameraParts, guidedKinds["luma"].pictures, guidedKinds["chroma"].pictures))
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
	f.given = flags.Changed
	return c
}

var recipes = []string{"local", "nonlocal", "luma", "chroma", "paper", "camera"}

func (f *trainFlags) check() error {
	switch {
	case len(f.clean) == 0:
		return usage("no --clean images given")
	case len(f.noisy) > 0 && len(f.noisy) != len(f.clean):
		return usage("%d --noisy for %d --clean", len(f.noisy), len(f.clean))
	case f.forAllLevels() && (f.sigma != 0 || len(f.noisy) > 0):
		return usage("--recipe %s adds noise of all levels itself: no --sigma, no --noisy", f.recipe)
	case !f.forAllLevels() && len(f.noisy) == 0 && !(f.sigma > 0):
		return usage("either --sigma or --noisy is needed")
	case f.sigma < 0 || math.IsNaN(f.sigma) || f.sigma > 1e4:
		return usage("--sigma is out of range")
	case f.output == "":
		return usage("no output file given (-o)")
	case !slices.Contains(recipes, f.recipe):
		return usage("--recipe %s: the recipes are %s", f.recipe, strings.Join(recipes, ", "))
	case f.recipe == "camera" && (len(f.noisy) == 0 || f.validation != "" && f.valNoisy == ""):
		return usage("--recipe camera needs pairs: --noisy, and --val-noisy with --val")
	case f.recipe == "camera" && f.sigma > 0:
		return usage("--recipe camera measures the noise of each image and takes no --sigma")
	case f.optimizer != "adam" && f.optimizer != "gradient" || f.optimizer == "gradient" && f.recipe != "paper":
		return usage("--optimizer must be adam, or with --recipe paper also gradient")
	case f.start != "dct" && f.start != "identity" || f.start == "identity" && f.recipe != "paper":
		return usage("--start must be dct, or with --recipe paper also identity")
	case f.pilots != "model" && f.pilots != "shipped":
		return usage("--pilots must be model or shipped")
	case !(f.steps > 0) || f.steps > 1000:
		return usage("--steps must be positive")
	case f.given("clusters") && f.clusters < 1 || f.clusters > 1024:
		return usage("--clusters must be between 1 and 1024")
	case f.passes < 1 || f.passes > 10:
		return usage("--passes must be between 1 and 10")
	case f.window < 1 || f.window > 200:
		return usage("--window must be between 1 and 200")
	case f.given("crops") && f.crops < 1 || f.crops > 100_000:
		return usage("--crops must be between 1 and 100000")
	case f.valCrop < 0 || f.valCrop > 0 && f.valCrop < train.PatchSize:
		return usage("--val-crop must be 0, or at least %d", train.PatchSize)
	case f.valNoisy != "" && f.validation == "":
		return usage("--val-noisy needs --val")
	case f.forAllLevels() && f.valNoisy != "":
		return usage("--recipe %s adds noise of all levels itself: no --val-noisy", f.recipe)
	case f.workers < 0:
		return usage("the number of workers must not be negative")
	}
	return cmp.Or(f.checkRecipeFlags(), f.read.check())
}

// recipeFlags are flags that some recipes do without. They would be passed over in silence.
var recipeFlags = []struct {
	flag    string
	recipes []string
}{
	{"local", []string{"nonlocal"}},
	{"from", []string{"nonlocal", "luma", "chroma"}},
	{"pilots", []string{"nonlocal"}},
	{"passes", []string{"nonlocal"}},
	{"coarse", []string{"nonlocal"}},
	{"window", []string{"nonlocal"}},
	{"clusters", []string{"local", "nonlocal"}},
	{"crops", []string{"local", "nonlocal", "luma", "chroma", "camera"}},
	{"val-crop", []string{"local", "nonlocal", "paper"}},
}

func (f *trainFlags) checkRecipeFlags() error {
	for _, r := range recipeFlags {
		if f.given(r.flag) && !slices.Contains(r.recipes, f.recipe) {
			return usage("--%s is for --recipe %s", r.flag, strings.Join(r.recipes, ", "))
		}
	}
	return nil
}

// forAllLevels reports whether the recipe makes one model for all levels of noise.
func (f *trainFlags) forAllLevels() bool { return guidedKinds[f.recipe].pictures > 0 }

func (f *trainFlags) run(ctx context.Context, u *ui) error {
	if err := f.check(); err != nil {
		return err
	}
	if err := f.checkFiles(); err != nil {
		return err
	}
	f.read.Context = ctx
	return disk.WithParent(f.output, func() error {
		saved, err := f.beforeWork()
		if err != nil {
			return err
		}
		job, err := f.job(ctx, u)
		if err != nil {
			return err
		}
		return f.learn(ctx, u, job, saved)
	})
}

// beforeWork returns the checkpoint to go on from, if there is one, and checks that the folder of the output takes
// files.
func (f *trainFlags) beforeWork() (saved []byte, err error) {
	if f.resume {
		if saved, err = os.ReadFile(f.checkpoint); err != nil {
			return nil, err
		}
	}
	try, err := os.CreateTemp(filepath.Dir(f.output), ".blorc-*")
	if err != nil {
		return nil, fileError{f.output, err}
	}
	try.Close()
	return saved, os.Remove(try.Name())
}

// learn trains and writes the model.
func (f *trainFlags) learn(ctx context.Context, u *ui, job training, saved []byte) error {
	metrics, err := openMetrics(f.metrics)
	if err != nil {
		return err
	}
	defer metrics.close()
	m, err := f.train(ctx, f.trainer(u, metrics), job, saved)
	if err != nil {
		if errors.Is(err, context.Canceled) && f.kept {
			u.say("interrupted; '--resume' goes on from %s", f.checkpoint)
		}
		return err
	}
	if err := f.write(m); err != nil {
		return err
	}
	if m.ValidationPSNR > 0 {
		u.say("%s: %.2f dB on the validation images", f.output, m.ValidationPSNR)
	} else {
		u.say("%s: written", f.output)
	}
	if metrics.failed() {
		return silent(exitIO)
	}
	return nil
}

func (f *trainFlags) job(ctx context.Context, u *ui) (training, error) {
	switch {
	case f.recipe == "camera":
		return f.newCameraTraining(ctx, u)
	case f.forAllLevels():
		return f.newGuidedTraining(ctx, u)
	}
	return f.newWhiteTraining(u)
}

// scaled returns a number of steps times --steps.
func (f *trainFlags) scaled(steps int) int { return max(1, int(math.Round(float64(steps)*f.steps))) }

// scale applies the flags to a union of transforms.
func (f *trainFlags) scale(l *train.LocalRecipe) {
	l.PilotSteps, l.UnionSteps = f.scaled(l.PilotSteps), f.scaled(l.UnionSteps)
	if f.clusters > 0 {
		l.Clusters = f.clusters
	}
	if f.crops > 0 {
		l.Crops = f.crops
	}
}

func (f *trainFlags) train(ctx context.Context, t *train.Trainer, job training, saved []byte) (*model.Model, error) {
	if err := t.Resume(job.fingerprint(), saved); err != nil {
		return nil, fileError{f.checkpoint, err}
	}
	m, err := job.train(ctx, t)
	if err != nil {
		return nil, err
	}
	m.Training = strings.TrimSpace(m.Training + " " + f.provenance(job))
	m.Licence = f.licence
	m.Validation = job.validated(f)
	return m, nil
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

// provenance says how the model was made. It names the last two parts of paths only.
func (f *trainFlags) provenance(job training) string {
	var sources []string
	for i, c := range f.clean {
		sources = append(sources, fmt.Sprintf("%s (%d)", base(c), job.images(i)))
	}
	recipe, noise := job.describe()
	return fmt.Sprintf("Trained on %s with %s, by %s recipe %+v.", strings.Join(sources, ", "), noise, program, recipe)
}

// base returns the last two parts of a path.
func base(path string) string {
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == os.PathSeparator })
	return strings.Join(parts[max(0, len(parts)-2):], "/")
}

// trainer reports to the terminal and the metrics file and saves checkpoints.
func (f *trainFlags) trainer(u *ui, metrics *metricsFile) *train.Trainer {
	f.kept = f.resume
	t := &train.Trainer{Save: f.save}
	if f.forAllLevels() || f.recipe == "camera" { // many short steps
		t.ReportEvery, t.SaveEvery = 250, 500
	}
	t.Report = func(p train.Progress) {
		if line := describeProgress(p); u.terminal && p.Step < p.Steps {
			u.show("%s", line)
		} else {
			u.say("%s", line)
		}
		if err := metrics.add(p); err != nil {
			u.fail(f.metrics, err)
		}
	}
	return t
}

// save writes the checkpoint.
func (f *trainFlags) save(data []byte) error {
	if err := writeBytes(f.checkpoint, true, data); err != nil {
		return fileError{f.checkpoint, err}
	}
	f.kept = true
	return nil
}

func describeProgress(p train.Progress) string {
	line := fmt.Sprintf("%s: step %d of %d, loss %.4f", p.Phase, p.Step, p.Steps, p.Loss)
	if p.Validation > 0 {
		line += fmt.Sprintf(", validation %.4f", p.Validation)
	}
	line += fmt.Sprintf(", %.0f samples/s, %s left", p.PerSecond, duration(p.RemainingSec))
	if p.Exact < 1 {
		line += fmt.Sprintf(", %.3f %% not exact", 100*(1-p.Exact))
	}
	return line
}

func duration(seconds float64) string {
	s := int(seconds + 0.5)
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

func (f *trainFlags) write(m *model.Model) error {
	data, err := m.Marshal()
	if err != nil {
		return err
	}
	if err := writeBytes(f.output, f.overwrite, data); err != nil {
		return fileError{f.output, err}
	}
	if err := os.Remove(f.checkpoint); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
