package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/models"
)

type evalFlags struct {
	read   readFlags
	solver solverFlags
	noisy  string
	names  pairNames
	fit    bool
	models []string
	gray   bool
	seed   uint64
	json   bool
	page   evalPage

	recursive bool
}

func newEval(u *ui) *cobra.Command {
	f := evalFlags{}
	c := &cobra.Command{
		Use:   "eval CLEAN (--sigma LEVELS | --noisy DIR)",
		Short: "Measure how well models denoise",
		Long: `Measure models on clean images (a file or a folder, with -r its subfolders too): PSNR in dB and SSIM of each image and
their means.

With --sigma, 'eval' adds Gaussian noise, neither clipped nor rounded, and models get the true sigma. It clips denoised images to
full scale and does not round them. The added noise of a file depends on its name and the seed.

With --noisy, 'eval' reads the noisy images from a folder and denoises them as the program does without flags: it estimates the
noise of each image unless --sigma or --noise specifies it, and rounds results of 8 and 16 bits as in files. The table has the
estimated noise, the gain over the noisy image, and the least value of each column. Clean and noisy images have the same names
except for --clean-suffix and --noisy-suffix, and may be in one folder.

PSNR has full scale as its peak; SSIM follows Wang et al. 2004. With --fit, for pairs with different scales as in microscopy,
images get the best factor and offset first, and the peak is the largest sample of the clean image.`,
		Example: `  blorc-denoise eval kodak/ --sigma 25
  blorc-denoise eval set12/ --gray --sigma 25.5 --model local --model paper --json
  blorc-denoise eval -r sets/ --sigma 25
  blorc-denoise eval tripod-average/ --noisy tripod-single/
  blorc-denoise eval polyu/ --noisy polyu/ --clean-suffix _mean --noisy-suffix _real
  blorc-denoise eval kodak/ --sigma 25 --model local --model nonlocal --html scores.html`,
		Args: exactly(1, "eval takes one folder or file of clean images"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c.Context(), u, args[0]) },
	}
	flags := c.Flags()
	addRecursive(flags, &f.recursive)
	flags.StringVar(&f.noisy, "noisy", "", "`DIR` of noisy images with the names of the clean ones")
	flags.StringVar(&f.names.clean, "clean-suffix", "",
		"with --noisy, clean images are those whose names without extension end in `TEXT`")
	flags.StringVar(&f.names.noisy, "noisy-suffix", "",
		"with --noisy, noisy images are those whose names without extension end in `TEXT`")
	flags.BoolVar(&f.fit, "fit", false, "fit brightness and contrast to those of the clean image before measuring")
	flags.StringArrayVarP(&f.models, "model", "m", []string{models.Default},
		"`NAME` of a shipped model, or a model file; may be repeated")
	flags.BoolVar(&f.gray, "gray", false, "turn colour images into gray (BT.601 luma) first")
	flags.Uint64Var(&f.seed, "seed", 1, "`SEED` of the noise")
	flags.BoolVar(&f.json, "json", false,
		"print one JSON object instead of a table; names that are not UTF-8 are in image_base64 too")
	f.page.add(flags)
	f.solver.add(flags)
	f.solver.addSigma(flags)
	f.read.add(flags)
	f.read.addEmpty(flags)
	return c
}

func (f *evalFlags) run(ctx context.Context, u *ui, clean string) error {
	if err := f.read.check(); err != nil {
		return err
	}
	f.read.Context = ctx
	options, err := f.denoisers()
	if err != nil {
		return err
	}
	var t tally
	pairs, errs := pairsBelow(clean, f.noisy, f.recursive, f.names.pairs)
	for _, err := range errs {
		t.fail(u, "", err)
	}
	table := evalTable{Models: f.models, given: f.solver.sigma >= 0}
	if err := f.page.begin(f, clean, table.Models); err != nil {
		return err
	}
	for i, p := range pairs {
		u.show("[%d/%d] %s", i+1, len(pairs), p.clean)
		row, err := f.image(ctx, p, options)
		if err != nil {
			t.fail(u, "", err)
			if ctx.Err() != nil {
				break
			}
			continue
		}
		t.done++
		if f.recursive {
			row.Image = shortName(clean, p.clean)
		}
		table.Images = append(table.Images, row)
	}
	u.clearLive()
	if err := f.print(u, table.summarized()); err != nil {
		return err
	}
	if err := f.page.write(len(table.Images)); err != nil {
		return err
	}
	return t.err()
}

// denoisers returns the options for each model.
func (f *evalFlags) denoisers() (models []denoise.Options, err error) {
	switch {
	case f.noisy == "" && f.solver.sigma < 0:
		return nil, usage("either --sigma LEVELS or --noisy is needed")
	case f.noisy == "" && f.names != pairNames{}:
		return nil, usage("--clean-suffix and --noisy-suffix need --noisy")
	}
	for _, name := range f.models {
		o, err := f.solver.options(name)
		if err != nil {
			return nil, err
		}
		models = append(models, o)
	}
	return models, nil
}

// image measures all models on one image.
func (f *evalFlags) image(ctx context.Context, p pair, options []denoise.Options) (row evalImage, err error) {
	clean, noisy, err := readPair(p, f.gray, f.read.ReadOptions)
	if errors.Is(err, errOneGray) {
		err = fmt.Errorf("%w (see --gray)", err)
	}
	if err != nil {
		return row, err
	}
	sigma, name := f.solver.sigma, filepath.Base(p.clean)
	if noisy == nil {
		noisy, err = unlessEnded(ctx, func() *imageio.Image { return withNoise(clean, sigma, f.seed, name) })
		if err != nil {
			return row, fileError{p.clean, err}
		}
	}
	measure := f.scorer(clean)
	score := func(planes [][]float32) score { // nothing if the context ends before
		s, _ := unlessEnded(ctx, func() score { return measure(planes) })
		return s
	}
	row = evalImage{Image: name, Sigma: sigma, Noisy: score(noisy.Planes)}
	for i, o := range options {
		restored := *noisy
		restored.Planes = clonePlanes(noisy.Planes)
		r, err := denoise.Decoded(ctx, &restored, denoise.FileOptions{Options: o, Read: f.read.ReadOptions,
			NoDither: true})
		if err != nil {
			return row, fileError{p.clean, err}
		}
		r.Full = 0 // samples of all files are told on one scale here
		if p.noisy != "" {
			round(restored.Planes, noisy.Depth)
		}
		if row.Sigma = r.Sigma; i == 0 {
			row.Noise, row.found = noiseOf(r), r
		}
		row.Models = append(row.Models, score(restored.Planes).over(row.Noisy))
		f.page.keep(clean, restored.Planes)
	}
	if err := ctx.Err(); err != nil {
		return row, fileError{p.clean, err}
	}
	return row, f.page.image(clean, noisy, row)
}

func clonePlanes(planes [][]float32) [][]float32 {
	out := make([][]float32, len(planes))
	for i, p := range planes {
		out[i] = slices.Clone(p)
	}
	return out
}

// withNoise returns the image with Gaussian noise of sigma gray levels of 0-255, neither clipped nor rounded.
func withNoise(img *imageio.Image, sigma float64, seed uint64, name string) *imageio.Image {
	rng := noise.Source(seed, name)
	return changed(img, func(dst, src []float32) { noise.AddGaussian(dst, src, sigma/255, rng) })
}

// changed returns the image with other samples in all of its channels but alpha.
func changed(img *imageio.Image, change func(dst, src []float32)) *imageio.Image {
	out := *img
	out.Steps = imageio.Steps{} // no file has quantised the noise
	all := func(planes [][]float32) [][]float32 {
		made := make([][]float32, len(planes))
		for i, p := range planes {
			made[i] = make([]float32, len(p))
			change(made[i], p)
		}
		return made
	}
	out.Planes, out.Extra = all(img.Planes), all(img.Extra)
	return &out
}
