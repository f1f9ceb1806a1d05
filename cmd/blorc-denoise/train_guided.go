package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/pilots"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
	"github.com/blorc-denoise/blorc-denoise/train"
)

// guidedTraining is a recipe for a stage that refines luma, or the chroma of colour images.
type guidedTraining struct {
	guidedKind
	name   string
	data   train.GuidedData
	counts []int
}

// guidedKind is what differs among models that refine.
type guidedKind struct {
	recipe    train.GuidedRecipe
	pilot     pilots.Func
	qualities []denoise.Quality // of the pilots, with equal chance
	colour    bool
	pictures  int
	minSigma  float64 // of the noise, in grey levels
	spread    float64 // standard deviation of the logarithm of the level that is told
}

// A level that is measured in a picture is a little wrong, so these models are trained with wrong levels.
var guidedKinds = map[string]guidedKind{
	"luma": {recipe: train.DefaultLumaRecipe(), pilot: pilots.Luma, qualities: []denoise.Quality{denoise.Fast},
		pictures: 3000, minSigma: 1, spread: 0.1},
	"chroma": {recipe: train.DefaultChromaRecipe(), pilot: pilots.Chroma,
		qualities: []denoise.Quality{denoise.Fast, denoise.Balanced, denoise.Best},
		colour:    true, pictures: 4500, minSigma: 1, spread: 0.1},
}

// What guided stages are trained on: parts of the images, in random orientations, with noise of levels up to the
// greatest, in grey levels.
const (
	guidedHeld         = 24
	guidedSide         = 192
	greatestSigma      = 75
	greatestSaturation = 2.5
	marked             = 3 // one part of colour images in so many has marks
	// one in so many shows an image at half its size, since the model for chroma runs at smaller sizes too
	halfSize = 6
)

func (f *trainFlags) newGuidedTraining(ctx context.Context, u *ui) (training, error) {
	t := &guidedTraining{guidedKind: guidedKinds[f.recipe], name: f.recipe,
		data: train.GuidedData{Seed: f.seed, Workers: f.workers}}
	t.recipe.Steps = f.scaled(t.recipe.Steps)
	count := t.pictures
	if f.crops > 0 {
		count = f.crops
	}
	if f.from != "" {
		var err error
		if t.data.Start, err = loadModel(f.from, 25); err != nil {
			return nil, err
		}
	}
	var groups [][]*imageio.Image
	var errs []error
	for _, dir := range f.clean {
		g, e := f.guidedImages(dir, t.colour)
		groups, errs = append(groups, g), append(errs, e...)
		t.counts = append(t.counts, len(g))
	}
	var held []*imageio.Image
	if f.validation != "" {
		var e []error
		held, e = f.guidedImages(f.validation, t.colour)
		errs = append(errs, e...)
	}
	if len(errs) > 0 {
		return nil, failAll(u, errs)
	}
	u.say("denoising %d parts of the images to train on", count)
	var err error
	if t.data.Pictures, err = t.drawAll(ctx, groups, count, f.seed, f.workers); err == nil && len(held) > 0 {
		t.data.Validation, err = t.drawAll(ctx, [][]*imageio.Image{held}, guidedHeld, f.seed+1, f.workers)
	}
	return t, err
}

// guidedImages reads the images of a folder that are large enough, in colour or as gray.
func (f *trainFlags) guidedImages(dir string, colour bool) (images []*imageio.Image, errs []error) {
	pairs, errs := pairsOf(dir, "")
	for _, p := range pairs {
		img, _, err := readPair(p, !colour, f.read.ReadOptions)
		if err == nil && (colour && len(img.Planes) != 3 || img.Width < train.PatchSize ||
			img.Height < train.PatchSize) {
			err = fileError{p.clean, fmt.Errorf("%w: not %s image of at least %d x %d pixels", errMismatch,
				map[bool]string{true: "a colour", false: "an"}[colour], train.PatchSize, train.PatchSize)}
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		images = append(images, img)
	}
	return images, errs
}

// drawAll draws parts of images, adds noise, and denoises what the model will be led by. All groups have the same
// weight.
func (k guidedKind) drawAll(ctx context.Context, groups [][]*imageio.Image, count int, seed uint64,
	workers int) ([]train.GuidedPicture, error) {
	out := make([]train.GuidedPicture, count)
	errs := make([]error, count)
	err := parallel.For(ctx, workers, count, func(_, i int) {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		g := groups[i%len(groups)]
		out[i], errs[i] = k.draw(ctx, g[rng.IntN(len(g))], rng)
	})
	for _, e := range errs {
		if err == nil {
			err = e
		}
	}
	return out, err
}

func (k guidedKind) draw(ctx context.Context, img *imageio.Image, rng *rand.Rand) (p train.GuidedPicture, err error) {
	clean, w, h := k.drawClean(img, rng)
	sigma := k.minSigma * math.Pow(greatestSigma/k.minSigma, rng.Float64())
	p.Sigma = sigma * math.Exp(k.spread*rng.NormFloat64())
	noisy := make([][]float32, len(clean))
	for i, c := range clean {
		noisy[i] = make([]float32, len(c))
		noise.AddGaussian(noisy[i], c, sigma/255, rng)
	}
	in := pilots.Picture{Clean: clean, Noisy: noisy, Width: w, Height: h, Sigma: p.Sigma / 255, Workers: 1}
	pilot, err := k.pilot(ctx, in, int(k.qualities[rng.IntN(len(k.qualities))]))
	if err != nil {
		return p, err
	}
	plane := func(pix []float32) patchify.Plane { return patchify.Plane{Width: w, Height: h, Pix: pix} }
	first := 0
	if len(clean) == 3 {
		first, p.Luma = 1, plane(pilot[0])
	}
	for i := first; i < len(clean); i++ {
		p.Clean, p.Noisy, p.Pilot = append(p.Clean, plane(clean[i])), append(p.Noisy, plane(noisy[i])),
			append(p.Pilot, plane(pilot[i]))
	}
	return p, nil
}

// drawClean returns a part of an image, and its size in samples. Parts for chroma vary more.
func (k guidedKind) drawClean(img *imageio.Image, rng *rand.Rand) (planes [][]float32, width, height int) {
	factor := 1
	if k.colour && rng.IntN(halfSize) == 0 && min(img.Width, img.Height) >= 2*train.PatchSize {
		factor = 2
	}
	width, height = min(guidedSide, img.Width/factor), min(guidedSide, img.Height/factor)
	planes = drawPart(img, factor*width, factor*height, rng)
	if factor == 2 {
		for i, p := range planes {
			planes[i] = patchify.Downsample2(patchify.Plane{Width: 2 * width, Height: 2 * height, Pix: p}, 1).Pix
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

// drawPart copies a part of an image, perhaps mirrored.
func drawPart(img *imageio.Image, width, height int, rng *rand.Rand) (planes [][]float32) {
	left, top := rng.IntN(img.Width-width+1), rng.IntN(img.Height-height+1)
	flipX, flipY := rng.IntN(2) == 0, rng.IntN(2) == 0
	for _, p := range img.Planes {
		out := make([]float32, 0, width*height)
		for y := range height {
			if flipY {
				y = height - 1 - y
			}
			for x := range width {
				if flipX {
					x = width - 1 - x
				}
				out = append(out, p[(top+y)*img.Width+left+x])
			}
		}
		planes = append(planes, out)
	}
	return planes
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
	return t.recipe, fmt.Sprintf("added Gaussian noise, sigma %g to %d, on %d parts", t.minSigma, greatestSigma,
		len(t.data.Pictures))
}

func (t *guidedTraining) images(i int) int { return t.counts[i] }

func (t *guidedTraining) train(ctx context.Context, trainer *train.Trainer) (*model.Model, error) {
	m, err := t.recipe.Train(ctx, trainer, t.data)
	if err != nil {
		return nil, err
	}
	m.Name = t.name
	return m, nil
}

func (t *guidedTraining) validated(f *trainFlags) string {
	if len(t.data.Validation) == 0 {
		return ""
	}
	planes := "gray planes"
	if t.colour {
		planes = "chroma planes"
	}
	return fmt.Sprintf("%s of %d parts of images of %s, with noise of sigma %g to %d", planes, len(t.data.Validation),
		base(f.validation), t.minSigma, greatestSigma)
}
