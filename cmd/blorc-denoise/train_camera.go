package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/pilots"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/models"
	"github.com/blorc-denoise/blorc-denoise/train"
)

// cameraTrainFlags are the flags of the recipe for real pairs of a camera, in colour or gray.
type cameraTrainFlags struct {
	pairFlags
	recipe train.CameraRecipe
	crops  int
}

func newTrainCamera(u *ui) *cobra.Command {
	return newRecipe(u, &cobra.Command{
		Use:   "camera --clean DIR --noisy DIR -o MODEL",
		Short: "What refines pictures of your camera, brightness and colours, after all other stages",
		Long: `Learn what refines pictures of your camera, brightness and colours, after all other stages. It learns from real pairs, such
as single shots from a tripod and their average, and starts from the shipped networks for cameras in general.
'blorc-denoise FILE --model MODEL' uses the result in their place.`,
		Example: "  blorc-denoise train camera --clean tripod-average/ --noisy tripod-single/ -o camera.safetensors",
	}, &cameraTrainFlags{recipe: train.DefaultCameraRecipe(), crops: 300})
}

func (c *cameraTrainFlags) add(flags *pflag.FlagSet) {
	c.pairFlags.add(flags)
	addCrops(flags, &c.crops)
}

func (c *cameraTrainFlags) check(f *trainFlags) error {
	if len(c.noisy) == 0 || f.validation != "" && c.valNoisy == "" {
		return usage("train camera needs pairs: --noisy, and --val-noisy with --val")
	}
	return cmp.Or(c.pairFlags.check(f), checkCrops(c.crops))
}

// cameraPair is a pair of images and the level of its noise.
type cameraPair struct {
	clean, noisy *imageio.Image
	level, unit  float64 // see denoise.Pilots
}

// cameraSpread is the standard deviation of the logarithm of the level that is told, beside the one that is found in
// the whole picture.
const cameraSpread = 0.2

// cameraTraining is the recipe with its data.
type cameraTraining struct {
	*cameraTrainFlags
	trainingImages[cameraPair]
	data   train.CameraData
	scores []modelScores // of the validation images
}

func (c *cameraTrainFlags) job(ctx context.Context, u *ui, f *trainFlags) (training, error) {
	f.scale(&c.recipe.Luma.Steps, &c.recipe.Chroma.Steps)
	t := &cameraTraining{cameraTrainFlags: c, data: train.CameraData{Seed: f.seed, Workers: f.workers}}
	of := func(p pair, clean, noisy *imageio.Image) (cameraPair, error) {
		q, err := newCameraPair(clean, noisy, c.recipe.LeastSide(), f.workers)
		if err != nil {
			err = fileError{p.noisy, err}
		}
		return q, err
	}
	var err error
	if t.trainingImages, err = readTraining(u, f, c.pairFlags, false, of); err != nil {
		return nil, err
	}
	if areEqual(t.groups) {
		return nil, errEqualImages
	}
	if t.data.Luma, err = loadModel(models.BroadLuma, 25); err != nil {
		return nil, err
	}
	if t.data.Chroma, err = loadModel(models.BroadChroma, 25); err != nil {
		return nil, err
	}
	t.data.Pictures, t.data.Validation, err = drawParts(ctx, u, f, t.trainingImages, c.crops, drawPair)
	return t, err
}

// newCameraPair measures the noise of a pair.
func newCameraPair(clean, noisy *imageio.Image, minSide, workers int) (p cameraPair, err error) {
	if min(noisy.Width, noisy.Height) < minSide {
		return p, fmt.Errorf("%w: %d x %d pixels are less than %d x %d", errMismatch, noisy.Width, noisy.Height,
			minSide, minSide)
	}
	p = cameraPair{clean: clean, noisy: noisy}
	if p.level, p.unit, err = denoise.Pilots.CameraLevel(noisy, workers); err == nil && p.level == 0 {
		err = fmt.Errorf("%w: an image without noise", errMismatch)
	}
	return p, err
}

func areEqual(groups [][]cameraPair) bool {
	for _, p := range slices.Concat(groups...) {
		for i := range p.clean.Planes {
			if !slices.Equal(p.clean.Planes[i], p.noisy.Planes[i]) {
				return false
			}
		}
	}
	return true
}

// drawPair draws a part and denoises it with the shipped stages, with a level that is a little wrong, as it will be in
// use, at one of two qualities.
func drawPair(ctx context.Context, p cameraPair, rng *rand.Rand) (train.CameraPicture, error) {
	w, h := min(guidedSide, p.noisy.Width), min(guidedSide, p.noisy.Height)
	both := imageio.Image{Width: p.noisy.Width, Height: p.noisy.Height,
		Planes: slices.Concat(p.clean.Planes, p.noisy.Planes)}
	planes := drawPart(&both, w, h, rng)
	for _, q := range planes {
		for i := range q {
			q[i] /= float32(p.unit)
		}
	}
	n := len(planes) / 2
	clean, noisy := planes[:n], planes[n:]
	sigma := p.level * math.Exp(cameraSpread*rng.NormFloat64())
	q := []denoise.Quality{denoise.Fast, denoise.Balanced}[rng.IntN(2)]
	pilot, err := denoise.Pilots.Broad(ctx, pilots.Picture{Clean: clean, Noisy: noisy, Width: w, Height: h,
		Sigma: sigma / 255, Workers: 1}, q)
	return train.CameraPicture{Clean: planesOf(clean, w, h), Noisy: planesOf(noisy, w, h),
		Pilot: planesOf(pilot, w, h), Sigma: sigma}, err
}

func (t *cameraTraining) fingerprint() string { return t.data.Fingerprint(t.recipe) }

func (t *cameraTraining) describe() (any, string) {
	return t.recipe, fmt.Sprintf("real pairs, on %d parts", len(t.data.Pictures))
}

func (t *cameraTraining) hasShortSteps() bool { return true }

// train measures the model, and the shipped ones, on the whole validation images, clipped, as 'eval' does.
func (t *cameraTraining) train(ctx context.Context, trainer *train.Trainer) (*model.Model, error) {
	m, err := t.recipe.Train(ctx, trainer, t.data)
	if err != nil {
		return nil, err
	}
	for _, p := range t.held {
		s, err := scored(metric.PSNRPlanes(p.clean.Planes, p.noisy.Planes), m,
			func(set denoise.ModelSet) (float64, error) { return p.psnr(ctx, set, t.data.Workers) })
		if err != nil {
			return nil, err
		}
		t.scores = append(t.scores, s)
		m.ValidationPSNR += s.trained / float64(len(t.held))
	}
	return m, nil
}

// psnr denoises a copy of the noisy image as the program does, and returns the PSNR of the result.
func (p cameraPair) psnr(ctx context.Context, set denoise.ModelSet, workers int) (float64, error) {
	img := *p.noisy
	img.Planes = clonePlanes(img.Planes)
	o := denoise.FileOptions{Options: denoise.Options{Models: set, Workers: workers}, NoDither: true}
	_, err := denoise.Decoded(ctx, &img, o)
	return metric.PSNRPlanes(p.clean.Planes, img.Planes), err
}

func (t *cameraTraining) validated(folder string) string {
	if len(t.held) == 0 {
		return ""
	}
	return fmt.Sprintf("%d pairs of %s, at balanced quality", len(t.held), folder)
}
