package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/pilots"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/models"
	"github.com/blorc-denoise/blorc-denoise/patchify"
	"github.com/blorc-denoise/blorc-denoise/train"
)

// guidedFlags are the flags of the recipes for a stage that refines luma, or the chroma of colour images, after the
// shipped models for white noise. The other fields are what differs between the two.
type guidedFlags struct {
	from  string
	crops int

	name      string // of the model
	recipe    train.GuidedRecipe
	pilot     func(context.Context, pilots.Picture, denoise.Quality) ([][]float32, error)
	qualities []denoise.Quality // of the pilots, with equal chance
	colour    bool
}

func newTrainLuma(u *ui) *cobra.Command {
	return newRecipe(u, &cobra.Command{
		Use:   "luma --clean DIR -o MODEL",
		Short: "What refines the brightness after the local stages, for all levels of noise",
		Long: `Learn what refines the brightness after the local stages, for all levels of noise. Gaussian noise of all levels is added to
parts of the clean images.`,
		Example: "  blorc-denoise train luma --clean photos/ --val held-back/ -o luma.safetensors",
	}, &guidedFlags{name: models.Luma, recipe: train.DefaultLumaRecipe(), crops: 3000, pilot: denoise.Pilots.Luma,
		qualities: []denoise.Quality{denoise.Fast}})
}

func newTrainChroma(u *ui) *cobra.Command {
	return newRecipe(u, &cobra.Command{
		Use:   "chroma --clean DIR -o MODEL",
		Short: "What refines the colours, led by the brightness, for all levels of noise",
		Long: `Learn what refines the colours of an image, led by its brightness, for all levels of noise. Gaussian noise of all levels is
added to parts of the clean images.`,
		Example: "  blorc-denoise train chroma --clean photos/ --val held-back/ -o chroma.safetensors",
	}, &guidedFlags{name: models.Chroma, recipe: train.DefaultChromaRecipe(), crops: 4500,
		pilot:     denoise.Pilots.Chroma,
		qualities: []denoise.Quality{denoise.Fast, denoise.Balanced, denoise.Best}, colour: true})
}

func (k *guidedFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&k.from, "from", "",
		"model whose networks training starts from: `NAME` or file (default: random ones)")
	addCrops(flags, &k.crops)
}

func (k *guidedFlags) check(*trainFlags) error { return checkCrops(k.crops) }

// The noise that is added to parts of images, in gray levels. A level that is measured in a picture is a little wrong,
// so these models are trained with wrong levels.
const (
	leastSigma    = 1
	greatestSigma = 75
	levelSpread   = 0.1 // standard deviation of the logarithm of the level that is told
)

// How parts for chroma vary.
const (
	greatestSaturation = 2.5
	marked             = 3 // one part in so many has marks
	// one in so many shows an image at half its size, since the model for chroma runs at smaller sizes too
	halfSize = 6
)

// guidedTraining is such a recipe with its data.
type guidedTraining struct {
	*guidedFlags
	trainingImages[*imageio.Image]
	data train.GuidedData
}

func (k *guidedFlags) job(ctx context.Context, u *ui, f *trainFlags) (training, error) {
	f.scale(&k.recipe.Steps)
	t := &guidedTraining{guidedFlags: k, data: train.GuidedData{Seed: f.seed, Workers: f.workers}}
	var err error
	if k.from != "" {
		if t.data.Start, err = loadModel(k.from, 25); err != nil {
			return nil, err
		}
	}
	if t.trainingImages, err = readTraining(u, f, pairFlags{}, !k.colour, k.image); err != nil {
		return nil, err
	}
	t.data.Pictures, t.data.Validation, err = drawParts(ctx, u, f, t.trainingImages, k.crops, k.draw)
	return t, err
}

// image checks that an image can be trained on.
func (k *guidedFlags) image(p pair, img, _ *imageio.Image) (*imageio.Image, error) {
	if k.colour && len(img.Planes) != 3 || img.Width < train.PatchSize || img.Height < train.PatchSize {
		return nil, fileError{p.clean, fmt.Errorf("%w: not %s image of at least %d x %d pixels", errMismatch,
			map[bool]string{true: "a colour", false: "an"}[k.colour], train.PatchSize, train.PatchSize)}
	}
	return img, nil
}

// draw draws a part of an image, adds noise, and denoises what the model will be led by.
func (k *guidedFlags) draw(ctx context.Context, img *imageio.Image, rng *rand.Rand) (p train.GuidedPicture,
	err error) {
	clean, w, h := k.drawClean(img, rng)
	sigma := leastSigma * math.Pow(greatestSigma/leastSigma, rng.Float64())
	p.Sigma = sigma * math.Exp(levelSpread*rng.NormFloat64())
	noisy := make([][]float32, len(clean))
	for i, c := range clean {
		noisy[i] = make([]float32, len(c))
		noise.AddGaussian(noisy[i], c, sigma/255, rng)
	}
	in := pilots.Picture{Clean: clean, Noisy: noisy, Width: w, Height: h, Sigma: p.Sigma / 255, Workers: 1}
	pilot, err := k.pilot(ctx, in, k.qualities[rng.IntN(len(k.qualities))])
	if err != nil {
		return p, err
	}
	first := 0
	if len(clean) == 3 {
		first, p.Luma = 1, planesOf(pilot[:1], w, h)[0]
	}
	p.Clean, p.Noisy, p.Pilot = planesOf(clean[first:], w, h), planesOf(noisy[first:], w, h),
		planesOf(pilot[first:], w, h)
	return p, nil
}

// drawClean returns a part of an image, and its size in samples. Parts for chroma vary more.
func (k *guidedFlags) drawClean(img *imageio.Image, rng *rand.Rand) (planes [][]float32, width, height int) {
	factor := 1
	if k.colour && rng.IntN(halfSize) == 0 && min(img.Width, img.Height) >= 2*train.PatchSize {
		factor = 2
	}
	width, height = min(guidedSide, img.Width/factor), min(guidedSide, img.Height/factor)
	planes = drawPart(img, factor*width, factor*height, rng)
	if factor == 2 {
		for i, p := range planesOf(planes, 2*width, 2*height) {
			planes[i] = patchify.Downsample2(p, 1).Pix
		}
	}
	if k.colour {
		vary(planes, width, height, rng)
	}
	return planes, width, height
}

// vary changes the colours of some parts, and draws marks over some.
func vary(planes [][]float32, width, height int, rng *rand.Rand) {
	if rng.IntN(2) == 0 {
		saturate(planes, 1+(greatestSaturation-1)*rng.Float64(), rng)
	}
	if rng.IntN(marked) == 0 {
		drawMarks(planes, width, height, rng)
	}
}

// saturate exchanges the colours at random and moves them away from gray by a factor, so that training sees all hues.
func saturate(planes [][]float32, factor float64, rng *rand.Rand) {
	order := rng.Perm(len(planes))
	for i := range planes[0] {
		var v [3]float32
		for k, j := range order {
			v[k] = planes[j][i]
		}
		gray := (v[0] + v[1] + v[2]) / 3
		for k := range v {
			planes[k][i] = min(max(gray+float32(factor)*(v[k]-gray), 0), 1)
		}
	}
}

func (t *guidedTraining) fingerprint() string { return t.data.Fingerprint(t.recipe) }

func (t *guidedTraining) describe() (any, string) {
	return t.recipe, fmt.Sprintf("added Gaussian noise, sigma %d to %d, on %d parts", leastSigma, greatestSigma,
		len(t.data.Pictures))
}

func (t *guidedTraining) hasShortSteps() bool { return true }

func (t *guidedTraining) train(ctx context.Context, trainer *train.Trainer) (*model.Model, error) {
	m, err := t.recipe.Train(ctx, trainer, t.data)
	if err != nil {
		return nil, err
	}
	m.Name = t.name
	return m, nil
}

func (t *guidedTraining) validated(folder string) string {
	if len(t.data.Validation) == 0 {
		return ""
	}
	planes := "gray planes"
	if t.colour {
		planes = "chroma planes"
	}
	return fmt.Sprintf("%s of %d parts of images of %s, with noise of sigma %d to %d", planes, len(t.data.Validation),
		folder, leastSigma, greatestSigma)
}
