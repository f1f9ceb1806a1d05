package train

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/blorc-denoise/blorc-denoise/internal/guided"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// ChromaRecipe trains a stage that refines the chroma planes of a colour image, led by its denoised luma, for all levels of noise.
type ChromaRecipe struct {
	Hidden int     // channels of the layers of the network; a multiple of 16
	Deep   int     // layers that see neighbouring patches
	Steps  int     //
	Rate   float64 // peak of the learning rate for Adam, which falls along half a cosine
	Batch  int     // crops of a step
	Side   int     // of a crop, in samples
}

// DefaultChromaRecipe returns the recipe of the shipped model "chroma".
func DefaultChromaRecipe() ChromaRecipe {
	return ChromaRecipe{Hidden: 64, Deep: 3, Steps: 24_000, Rate: 3e-3, Batch: 6, Side: 96}
}

// ChromaPicture is a picture to train on. All planes have one size and are in units of the noise's standard deviation.
type ChromaPicture struct {
	Clean, Noisy, Pilot [2]patchify.Plane // chroma
	Luma                patchify.Plane    // denoised
	Sigma               float64           // standard deviation of the noise in grey levels of 0-255
}

// ChromaData is what ChromaRecipe trains on.
type ChromaData struct {
	Pictures   []ChromaPicture
	Validation []ChromaPicture // never trained on; may be empty
	Seed       uint64
	Workers    int
}

// Fingerprint returns a digest of the settings of a recipe and of all samples, for Trainer.Resume.
func (d ChromaData) Fingerprint(recipe any) string {
	h := sha256.New()
	fmt.Fprintf(h, "%+v seed=%d %d %d", recipe, d.Seed, len(d.Pictures), len(d.Validation))
	for _, pictures := range [][]ChromaPicture{d.Pictures, d.Validation} {
		for _, p := range pictures {
			fmt.Fprintf(h, " %g", p.Sigma)
			for _, plane := range p.planes() {
				_ = binary.Write(h, binary.LittleEndian, plane.Pix) // a hash returns no errors
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (p ChromaPicture) planes() []patchify.Plane {
	return []patchify.Plane{p.Clean[0], p.Clean[1], p.Noisy[0], p.Noisy[1], p.Pilot[0], p.Pilot[1], p.Luma}
}

func (r ChromaRecipe) check(d ChromaData) error {
	if err := cmp.Or(atLeast("Hidden", r.Hidden, 16), atLeast("Deep", r.Deep, 0), atLeast("Steps", r.Steps, 0), positiveSetting("Rate", r.Rate),
		atLeast("Batch", r.Batch, 1), atLeast("Side", r.Side, PatchSize)); err != nil {
		return err
	}
	if r.Hidden%16 != 0 {
		return fmt.Errorf("%w: Hidden %d is not a multiple of 16", ErrSettings, r.Hidden)
	}
	if len(d.Pictures) == 0 {
		return fmt.Errorf("%w: no pictures", ErrData)
	}
	for _, pictures := range [][]ChromaPicture{d.Pictures, d.Validation} {
		for _, p := range pictures {
			if err := p.check(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p ChromaPicture) check() error {
	if !(p.Sigma > 0) || math.IsInf(p.Sigma, 0) {
		return fmt.Errorf("%w: a picture with noise of %g", ErrData, p.Sigma)
	}
	for _, plane := range p.planes() {
		if err := plane.Validate(); err != nil {
			return fmt.Errorf("%w: %v", ErrData, err)
		}
		if plane.Width != p.Luma.Width || plane.Height != p.Luma.Height || min(plane.Width, plane.Height) < PatchSize {
			return fmt.Errorf("%w: planes of different or small sizes", ErrData)
		}
	}
	return nil
}

// Train runs the recipe. A trainer that has resumed a checkpoint of the same recipe and data goes on from there; nil means a
// new one without reports. Errors are of the kinds of this package.
func (r ChromaRecipe) Train(ctx context.Context, t *Trainer, d ChromaData) (*model.Model, error) {
	if err := r.check(d); err != nil {
		return nil, err
	}
	if t == nil {
		t = new(Trainer)
	}
	n := guided.New(2, r.Hidden, r.Deep, rand.New(rand.NewPCG(d.Seed, 7)))
	theta := thetaOf(n)
	loss := &guidedLoss{network: n, batch: r.Batch, seed: d.Seed, workers: d.Workers, draw: func(rng *rand.Rand) guidedCrop {
		return d.Pictures[rng.IntN(len(d.Pictures))].crop(rng, r.Side)
	}}
	adam := NewAdam(len(theta))
	adam.Limit = 1
	phase := Phase{Name: "chroma", Objective: loss, Optimizer: adam, Steps: r.Steps, Rate: cosineRate(r.Rate)}
	if len(d.Validation) > 0 {
		held := *loss
		held.network, held.differences, held.batch = guided.New(2, r.Hidden, r.Deep, rand.New(rand.NewPCG(d.Seed, 7))), nil, validationCrops
		held.draw = func(rng *rand.Rand) guidedCrop { return d.Validation[rng.IntN(len(d.Validation))].crop(rng, r.Side) }
		phase.Validation = &held
	}
	if err := t.Run(ctx, phase, theta); err != nil {
		return nil, err
	}
	loss.setTheta(theta)
	m, err := rounded(&model.Model{Info: model.Info{Name: "chroma", Sigma: 25, Plane: "chroma, led by luma", Seed: d.Seed}, Stages: stage.Sequence{&stage.Guided{Network: n}}})
	if err != nil {
		return nil, err
	}
	for _, p := range d.Validation {
		psnr, err := p.psnr(ctx, m.Stages, d.Workers)
		if err != nil {
			return nil, err
		}
		m.ValidationPSNR += psnr / float64(len(d.Validation))
	}
	return m, nil
}

// psnr returns the PSNR of the refined chroma planes in dB.
func (p *ChromaPicture) psnr(ctx context.Context, stages stage.Sequence, workers int) (float64, error) {
	c := stage.Chroma{Noisy: func(i int) patchify.Plane { return p.Noisy[i] }, Pilot: p.Pilot, Luma: p.Luma, Level: stage.Level(p.Sigma)}
	sum := 0.0
	err := stages.RunChroma(ctx, c, patchify.NewPlane(p.Luma.Width, p.Luma.Height), func(i int, result patchify.Plane) {
		for j, v := range result.Pix {
			e := float64(v-p.Clean[i].Pix[j]) * p.Sigma / 255
			sum += e * e
		}
	}, stage.Options{Workers: workers})
	if err != nil {
		return 0, err
	}
	return 10 * math.Log10(float64(2*len(p.Luma.Pix))/sum), nil
}

// crop draws a square part of one of the two planes. A picture that is smaller is taken whole.
func (p *ChromaPicture) crop(rng *rand.Rand, side int) guidedCrop {
	w, h := min(side, p.Luma.Width), min(side, p.Luma.Height)
	x, y, i := rng.IntN(p.Luma.Width-w+1), rng.IntN(p.Luma.Height-h+1), rng.IntN(2)
	cut := func(plane patchify.Plane) patchify.Plane { return patchify.Crop(plane, x, y, w, h) }
	return guidedCrop{clean: cut(p.Clean[i]), Input: guided.Input{Noisy: cut(p.Noisy[i]), Pilot: cut(p.Pilot[i]),
		Guides: []patchify.Plane{cut(p.Luma), cut(p.Pilot[1-i])}, Level: stage.Level(p.Sigma)}}
}
