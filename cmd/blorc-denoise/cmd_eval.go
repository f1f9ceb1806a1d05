package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/blorc-denoise/blorc-denoise/baseline"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/models"
)

type evalFlags struct {
	read   readFlags
	solver solverFlags
	sigma  sigmaValue
	noisy  string
	models []string
	others []string
	gray   bool
	seed   uint64
	json   bool
	page   evalPage
}

func newEval(u *ui) *cobra.Command {
	f := evalFlags{sigma: autoSigma}
	c := &cobra.Command{
		Use:   "eval CLEAN (--sigma LEVELS | --noisy DIR)",
		Short: "Measure how well models denoise",
		Long: `Measure models on clean images (a folder or a file): PSNR in dB and SSIM of each image and their means.

With --sigma, Gaussian noise is added, neither clipped nor rounded, and models get the true sigma. With --noisy, the noisy
images are read from a folder; their noise is found in each image unless --sigma gives it. Denoised images are clipped
to full scale and not rounded. PSNR has full scale as its peak; SSIM follows Wang et al. 2004. The added noise of a file
depends on its name and the seed.

--against measures published denoisers on the same noisy images: bm3d (Dabov et al. 2007), aksvd (Analysis K-SVD,
Rubinstein et al. 2013, learned on each image), tv (total variation, Chambolle 2004), dct (sliding window, Yu and Sapiro
2011). They need --sigma.

` + exitHelp,
		Example: `  blorc-denoise eval kodak/ --sigma 25
  blorc-denoise eval set12/ --gray --sigma 25.5 --model local --model paper --json
  blorc-denoise eval photos/ --sigma 25 --gray --against bm3d,tv
  blorc-denoise eval tripod-average/ --noisy tripod-single/
  blorc-denoise eval kodak/ --sigma 25 --model local --model nonlocal --html scores.html`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("eval takes one folder or file of clean images")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c.Context(), u, args[0]) },
	}
	flags := c.Flags()
	flags.VarP(&f.sigma, "sigma", "s", "standard deviation of the noise in grey levels of 0-255, or auto")
	flags.StringVar(&f.noisy, "noisy", "", "`DIR` of noisy images with the names of the clean ones")
	flags.StringArrayVarP(&f.models, "model", "m", []string{models.Default}, "`NAME` of a shipped model, or a model file; may be repeated")
	flags.StringSliceVar(&f.others, "against", nil, "also measure other denoisers: bm3d, aksvd, tv, dct (slow)")
	flags.BoolVar(&f.gray, "gray", false, "turn colour images into gray (BT.601 luma) first")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the noise")
	flags.BoolVar(&f.json, "json", false, "print one JSON object instead of a table")
	f.page.add(flags)
	f.solver.add(flags)
	f.read.add(flags)
	return c
}

// score is the quality of one image.
type score struct {
	PSNR float64 `json:"psnr"`
	SSIM float64 `json:"ssim"`
}

// evalImage holds the scores of one image, those of the models in the order of evalTable.Models.
type evalImage struct {
	Image  string  `json:"image"`
	Sigma  float64 `json:"sigma"` // level that the models used
	Noisy  score   `json:"noisy"`
	Models []score `json:"models"`
}

type evalTable struct {
	Models []string    `json:"models"`
	Images []evalImage `json:"images"`
	Mean   *evalImage  `json:"mean"`
}

func (f *evalFlags) run(ctx context.Context, u *ui, clean string) error {
	if err := f.read.check(); err != nil {
		return err
	}
	if f.noisy == "" && f.sigma < 0 {
		return usage("either --sigma LEVELS or --noisy is needed")
	}
	others, err := f.baselines()
	if err != nil {
		return err
	}
	var options []denoise.Options
	for _, name := range f.models {
		chosen, err := chooser(name)
		if err != nil {
			return err
		}
		o, err := f.solver.options(chosen, f.sigma)
		if err != nil {
			return err
		}
		options = append(options, o)
	}
	pairs, errs := pairsOf(clean, f.noisy)
	var t tally
	for _, err := range errs {
		t.codes = append(t.codes, u.fail("", err))
	}
	table := evalTable{Models: append(slices.Clone(f.models), f.others...)}
	if err := f.page.begin(f, clean, table.Models); err != nil {
		return err
	}
	for i, p := range pairs {
		u.show("[%d/%d] %s", i+1, len(pairs), p.clean)
		row, err := f.image(ctx, p, options, others)
		if err != nil {
			t.codes = append(t.codes, u.fail("", err))
			if ctx.Err() != nil {
				break
			}
			continue
		}
		t.done++
		table.Images = append(table.Images, row)
	}
	u.clearLive()
	table.Mean = meanOf(table.Images)
	if err := f.print(u, table); err != nil {
		return err
	}
	if err := f.page.write(len(table.Images)); err != nil {
		return err
	}
	if code := t.code(); code != exitOK {
		return silent(code)
	}
	return nil
}

// baselines returns the denoisers named by --against.
func (f *evalFlags) baselines() ([]baseline.Denoiser, error) {
	var others []baseline.Denoiser
	for _, name := range f.others {
		d, err := baseline.ByName(name)
		if err != nil {
			return nil, usage("--against: %v", err)
		}
		others = append(others, d)
	}
	if len(others) > 0 && f.sigma <= 0 {
		return nil, usage("--against needs a positive --sigma")
	}
	return others, nil
}

// image measures all models and other denoisers on one image.
func (f *evalFlags) image(ctx context.Context, p pair, options []denoise.Options, others []baseline.Denoiser) (evalImage, error) {
	clean, noisy, err := readPair(p, f.gray, f.read.ReadOptions)
	if err != nil {
		return evalImage{}, err
	}
	if noisy == nil {
		noisy = withNoise(clean, float64(f.sigma), f.seed, filepath.Base(p.clean))
	}
	row := evalImage{Image: filepath.Base(p.clean), Sigma: float64(f.sigma), Noisy: scoreOf(clean, noisy.Planes)}
	for _, o := range options {
		planes := clonePlanes(noisy.Planes)
		restored := *noisy
		restored.Planes = planes
		r, err := denoise.Decoded(ctx, &restored, denoise.FileOptions{Options: o, Read: f.read.ReadOptions})
		if err != nil {
			return evalImage{}, fileError{p.clean, err}
		}
		row.Sigma = r.Sigma
		row.Models = append(row.Models, scoreOf(clean, planes))
		f.page.keep(clean, planes, &r)
	}
	for _, d := range others {
		planes := clonePlanes(noisy.Planes)
		if err := baseline.Planes(ctx, d, planes, noisy.Width, noisy.Height, float64(f.sigma)/255, f.solver.Workers); err != nil {
			return evalImage{}, fileError{p.clean, err}
		}
		row.Models = append(row.Models, scoreOf(clean, planes))
		f.page.keep(clean, planes, nil)
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

// withNoise returns the image with Gaussian noise of sigma grey levels of 0-255, neither clipped nor rounded.
func withNoise(img *imageio.Image, sigma float64, seed uint64, name string) *imageio.Image {
	out := *img
	out.Planes = make([][]float32, len(img.Planes))
	rng := noise.Source(seed, name)
	for i, p := range img.Planes {
		out.Planes[i] = make([]float32, len(p))
		noise.AddGaussian(out.Planes[i], p, sigma/255, rng)
	}
	return &out
}

func scoreOf(clean *imageio.Image, planes [][]float32) score {
	return score{metric.PSNRPlanes(clean.Planes, planes), metric.SSIMPlanes(clean.Planes, planes, clean.Width, clean.Height)}
}

// meanOf averages the rows. It returns nil if there are none.
func meanOf(rows []evalImage) *evalImage {
	if len(rows) == 0 {
		return nil
	}
	mean := evalImage{Image: "mean", Models: make([]score, len(rows[0].Models))}
	n := float64(len(rows))
	for _, r := range rows {
		mean.Sigma += r.Sigma / n
		mean.Noisy.add(r.Noisy, n)
		for i := range mean.Models {
			mean.Models[i].add(r.Models[i], n)
		}
	}
	return &mean
}

func (s *score) add(o score, n float64) {
	s.PSNR += o.PSNR / n
	s.SSIM += o.SSIM / n
}

func (f *evalFlags) print(u *ui, t evalTable) error {
	if f.json {
		return json.NewEncoder(u.out).Encode(t.finite())
	}
	if t.Mean == nil {
		return nil
	}
	w := tabwriter.NewWriter(u.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "image\tsigma\tnoisy dB\tSSIM\t")
	for _, m := range t.Models {
		fmt.Fprintf(w, "%s dB\tSSIM\t", oneLine(m))
	}
	fmt.Fprintln(w)
	for _, r := range append(t.Images, *t.Mean) {
		fmt.Fprintf(w, "%s\t%.1f\t%.2f\t%.4f\t", oneLine(r.Image), r.Sigma, r.Noisy.PSNR, r.Noisy.SSIM)
		for _, s := range r.Models {
			fmt.Fprintf(w, "%.2f\t%.4f\t", s.PSNR, s.SSIM)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// finite replaces the infinite PSNR of equal images, which JSON cannot hold, by 1000 dB.
func (t evalTable) finite() evalTable {
	limit := func(s *score) { s.PSNR = math.Min(s.PSNR, 1000) }
	rows := t.Images
	if t.Mean != nil {
		rows = append(rows, *t.Mean)
	}
	for i := range rows {
		limit(&rows[i].Noisy)
		for j := range rows[i].Models {
			limit(&rows[i].Models[j])
		}
	}
	if t.Mean != nil {
		t.Mean = &rows[len(rows)-1]
	}
	t.Images = rows[:len(t.Images)]
	return t
}
