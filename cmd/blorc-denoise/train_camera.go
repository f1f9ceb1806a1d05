package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/pilots"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/models"
	"github.com/blorc-denoise/blorc-denoise/patchify"
	"github.com/blorc-denoise/blorc-denoise/train"
)

// cameraTraining is the recipe for real pairs of a camera, in colour or gray.
type cameraTraining struct {
	recipe     train.CameraRecipe
	data       train.CameraData
	validation []cameraPair
	counts     []int
}

// cameraPair is a pair of images and the level of its noise.
type cameraPair struct {
	clean, noisy *imageio.Image
	level, unit  float64 // see pilots.CameraLevel
}

const (
	cameraParts = 300 // parts of images to train on
	// cameraSpread is the standard deviation of the logarithm of the level that is told, beside the one that is found
	// in the whole picture.
	cameraSpread = 0.2
)

// newCameraTraining reads all pairs and denoises parts of them. Pairs that do not fit are all reported.
func (f *trainFlags) newCameraTraining(ctx context.Context, u *ui) (training, error) {
	t := &cameraTraining{recipe: train.DefaultCameraRecipe(), data: train.CameraData{Seed: f.seed, Workers: f.workers}}
	t.recipe.Luma.Steps, t.recipe.Chroma.Steps = f.scaled(t.recipe.Luma.Steps), f.scaled(t.recipe.Chroma.Steps)
	var groups [][]cameraPair
	var errs []error
	for i, clean := range f.clean {
		pairs, e := f.cameraPairs(clean, f.noisy[i], t.recipe.LeastSide())
		groups, errs = append(groups, pairs), append(errs, e...)
		t.counts = append(t.counts, len(pairs))
	}
	if f.validation != "" {
		var e []error
		t.validation, e = f.cameraPairs(f.validation, f.valNoisy, t.recipe.LeastSide())
		errs = append(errs, e...)
	}
	if len(errs) > 0 {
		return nil, failAll(u, errs)
	}
	if areEqual(groups) {
		return nil, errEqualImages
	}
	return t, t.prepare(ctx, u, groups, f.crops)
}

// prepare loads the models to start from and denoises parts of the images.
func (t *cameraTraining) prepare(ctx context.Context, u *ui, groups [][]cameraPair, parts int) (err error) {
	if t.data.Luma, err = loadModel(models.BroadLuma, 25); err != nil {
		return err
	}
	if t.data.Chroma, err = loadModel(models.BroadChroma, 25); err != nil {
		return err
	}
	if parts == 0 {
		parts = cameraParts
	}
	u.say("denoising %d parts of the images to train on", parts)
	if t.data.Pictures, err = drawPairs(ctx, groups, parts, t.data.Seed, t.data.Workers); err == nil &&
		len(t.validation) > 0 {
		t.data.Validation, err = drawPairs(ctx, [][]cameraPair{t.validation}, guidedHeld, t.data.Seed+1, t.data.Workers)
	}
	return err
}

func (f *trainFlags) cameraPairs(clean, noisy string, minSide int) (out []cameraPair, errs []error) {
	pairs, errs := pairsOf(clean, noisy)
	for _, p := range pairs {
		c, n, err := readPair(p, false, f.read.ReadOptions)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		q, err := newCameraPair(c, n, minSide, f.workers)
		if err != nil {
			errs = append(errs, fileError{p.noisy, err})
			continue
		}
		out = append(out, q)
	}
	return out, errs
}

// newCameraPair measures the noise of a pair.
func newCameraPair(clean, noisy *imageio.Image, minSide, workers int) (p cameraPair, err error) {
	if min(noisy.Width, noisy.Height) < minSide {
		return p, fmt.Errorf("%w: %d x %d pixels are less than %d x %d", errMismatch, noisy.Width, noisy.Height,
			minSide, minSide)
	}
	p = cameraPair{clean: clean, noisy: noisy}
	if p.level, p.unit, err = pilots.CameraLevel(noisy, workers); err == nil && p.level == 0 {
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

// drawPairs draws parts of pairs and denoises them with the shipped stages. All groups have the same weight.
func drawPairs(ctx context.Context, groups [][]cameraPair, count int, seed uint64, workers int) ([]train.CameraPicture,
	error) {
	out := make([]train.CameraPicture, count)
	errs := make([]error, count)
	err := parallel.For(ctx, workers, count, func(_, i int) {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		g := groups[i%len(groups)]
		out[i], errs[i] = g[rng.IntN(len(g))].draw(ctx, rng)
	})
	for _, e := range errs {
		if err == nil {
			err = e
		}
	}
	return out, err
}

// draw denoises a part with a level that is a little wrong, as it will be in use, at one of two qualities.
func (p cameraPair) draw(ctx context.Context, rng *rand.Rand) (train.CameraPicture, error) {
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
	pilot, err := pilots.Broad(ctx, pilots.Picture{Clean: clean, Noisy: noisy, Width: w, Height: h, Sigma: sigma / 255,
		Workers: 1}, int(q))
	of := func(planes [][]float32) (out []patchify.Plane) {
		for _, p := range planes {
			out = append(out, patchify.Plane{Width: w, Height: h, Pix: p})
		}
		return out
	}
	return train.CameraPicture{Clean: of(clean), Noisy: of(noisy), Pilot: of(pilot), Sigma: sigma}, err
}

func (t *cameraTraining) fingerprint() string { return t.data.Fingerprint(t.recipe) }

func (t *cameraTraining) describe() (any, string) {
	return t.recipe, fmt.Sprintf("real pairs, on %d parts", len(t.data.Pictures))
}

func (t *cameraTraining) images(i int) int { return t.counts[i] }

// train measures the model on the whole validation images, clipped, as 'eval' does.
func (t *cameraTraining) train(ctx context.Context, trainer *train.Trainer) (*model.Model, error) {
	m, err := t.recipe.Train(ctx, trainer, t.data)
	if err != nil {
		return nil, err
	}
	set, err := denoise.UseModel(m)
	if err != nil {
		return nil, err
	}
	o := denoise.FileOptions{Options: denoise.Options{Models: set, Workers: t.data.Workers}, NoDither: true}
	for _, p := range t.validation {
		if _, err := denoise.Decoded(ctx, p.noisy, o); err != nil {
			return nil, err
		}
		m.ValidationPSNR += metric.PSNRPlanes(p.clean.Planes, p.noisy.Planes) / float64(len(t.validation))
	}
	return m, nil
}

func (t *cameraTraining) validated(f *trainFlags) string {
	if len(t.validation) == 0 {
		return ""
	}
	return fmt.Sprintf("%d pairs of %s, at balanced quality", len(t.validation), base(f.validation))
}
