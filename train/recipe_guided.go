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
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
)

// GuidedRecipe trains a stage that refines what the stages before it leave of a plane, for all levels of noise: the one
// plane of a gray image, or the chroma planes of a colour image, led by its denoised luma.
type GuidedRecipe struct {
	Hidden int // channels of the layers of the network; a multiple of 16
	Deep   int // layers that see neighbouring patches
	Steps  int
	// peak of the learning rate for Adam, which falls along half a cosine; a third of it if training starts from a
	// model
	Rate  float64
	Batch int // crops of a step
	Side  int // of a crop, in samples
	// number of sizes at which planes are refined: at full size, before at half of it, and so on; 0 means 1
	Sizes  int
	Rounds int // number of stages: each refines the result of the one before; 0 means 1
	// Predictions is the number of predictions of a chroma plane from luma and the other chroma plane (see package
	// guided); none for luma.
	Predictions int
	// added to the mean squared error of a pilot in the divisor of the loss, in units of sigma^2 (see guidedLoss)
	Floor float64
}

// DefaultChromaRecipe returns the recipe of the shipped model "chroma".
func DefaultChromaRecipe() GuidedRecipe {
	return GuidedRecipe{Hidden: 64, Deep: 3, Predictions: 2, Steps: 30_000, Rate: 3e-3, Batch: 6, Side: 96, Floor: 0.03}
}

// DefaultLumaRecipe returns the recipe of the shipped model "luma".
func DefaultLumaRecipe() GuidedRecipe {
	return GuidedRecipe{Hidden: 48, Deep: 3, Steps: 24_000, Rate: 3e-3, Batch: 6, Side: 96, Rounds: 2, Floor: 0.15}
}

// Fingerprint returns a digest of the settings of a recipe and of all samples, for Trainer.Resume.
func (d GuidedData) Fingerprint(recipe any) string {
	h := sha256.New()
	fmt.Fprintf(h, "%+v seed=%d %d %d", recipe, d.Seed, len(d.Pictures), len(d.Validation))
	if d.Start != nil {
		file, _ := d.Start.Marshal() // Train reports a model that cannot be used
		h.Write(file)
	}
	for _, pictures := range [][]GuidedPicture{d.Pictures, d.Validation} {
		for _, p := range pictures {
			fmt.Fprintf(h, " %g", p.Sigma)
			for _, plane := range p.planes() {
				_ = binary.Write(h, binary.LittleEndian, plane.Pix) // a hash returns no errors
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (r GuidedRecipe) check(d GuidedData) error {
	if err := cmp.Or(atLeast("Hidden", r.Hidden, 16), atLeast("Deep", r.Deep, 0), atLeast("Steps", r.Steps, 0),
		positiveSetting("Rate", r.Rate),
		atLeast("Batch", r.Batch, 1), atLeast("Sizes", r.Sizes, 0), atLeast("Rounds", r.Rounds, 0),
		atLeast("Side", r.Side, PatchSize), positiveSetting("Floor", r.Floor)); err != nil {
		return err
	}
	for _, most := range []struct { // more no file can hold
		name     string
		v, limit int
	}{{"Sizes", r.Sizes, stage.MaxSizes}, {"Deep", r.Deep, stage.MaxDeep}, {"Hidden", r.Hidden, stage.MaxChannels},
		{"Predictions", r.Predictions, guided.MaxPredictions}} {
		if most.v > most.limit {
			return fmt.Errorf("%w: %s is %d, not at most %d", ErrSettings, most.name, most.v, most.limit)
		}
	}
	if r.Predictions < 0 || r.Predictions > 0 && len(d.Pictures) > 0 && d.guides() != guided.PredictionGuides {
		return fmt.Errorf("%w: %d predictions", ErrSettings, r.Predictions)
	}
	if r.Hidden%16 != 0 {
		return fmt.Errorf("%w: Hidden %d is not a multiple of 16", ErrSettings, r.Hidden)
	}
	if len(d.Pictures) == 0 {
		return fmt.Errorf("%w: no pictures", ErrData)
	}
	for _, pictures := range [][]GuidedPicture{d.Pictures, d.Validation} {
		for _, p := range pictures {
			if err := p.check(); err != nil {
				return err
			}
			if p.isChroma() != d.Pictures[0].isChroma() {
				return fmt.Errorf("%w: pictures of luma and of chroma", ErrData)
			}
		}
	}
	return r.checkStart(d)
}

// checkStart returns an error unless training can start from d.Start.
func (r GuidedRecipe) checkStart(d GuidedData) error {
	if d.Start == nil {
		return nil
	}
	other := fmt.Errorf("%w: the model to start from is not a result of this recipe", ErrSettings)
	if len(d.Start.Stages) != max(r.Rounds, 1) {
		return other
	}
	want := r.network(d)
	for _, s := range d.Start.Stages {
		g, ok := s.(*stage.Guided)
		for range max(r.Sizes, 1) {
			if !ok || g == nil || !g.Network.SameShape(want) {
				return other
			}
			g = g.AtHalf
		}
		if g != nil {
			return other
		}
	}
	return nil
}

func (p GuidedPicture) check() error {
	if !(p.Sigma > 0) || math.IsInf(p.Sigma, 0) {
		return fmt.Errorf("%w: a picture with noise of %g", ErrData, p.Sigma)
	}
	n := len(p.Clean)
	if n != 1 && n != 2 || len(p.Noisy) != n || len(p.Pilot) != n || !p.isChroma() && p.Luma.Pix != nil {
		return fmt.Errorf("%w: a picture of %d clean, %d noisy and %d denoised planes", ErrData, n, len(p.Noisy),
			len(p.Pilot))
	}
	first := p.Clean[0]
	for _, plane := range p.planes() {
		if err := plane.Validate(); err != nil {
			return fmt.Errorf("%w: %v", ErrData, err)
		}
		if plane.Width != first.Width || plane.Height != first.Height || min(plane.Width, plane.Height) < PatchSize {
			return fmt.Errorf("%w: planes of different or small sizes", ErrData)
		}
		if !allFinite(plane.Pix) {
			return fmt.Errorf("%w: a plane has samples that are no numbers", ErrData)
		}
	}
	return nil
}

// Train runs the recipe. A trainer that has resumed a checkpoint of the same recipe and data goes on from there; nil
// means a new one without reports. Errors are of the kinds of this package.
func (r GuidedRecipe) Train(ctx context.Context, t *Trainer, d GuidedData) (*model.Model, error) {
	if err := r.check(d); err != nil {
		return nil, err
	}
	if t == nil {
		t = new(Trainer)
	}
	name, plane := "luma", "luma"
	if d.guides() > 0 {
		name, plane = "chroma", "chroma, led by luma"
	}
	stages, err := r.stages(ctx, t, d, name)
	if err != nil {
		return nil, err
	}
	m, err := rounded(&model.Model{Info: model.Info{Name: name, Sigma: 25, Plane: plane, Seed: d.Seed}, Stages: stages})
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

// stages trains one stage after the other.
func (r GuidedRecipe) stages(ctx context.Context, t *Trainer, d GuidedData, name string) (all stage.Sequence,
	err error) {
	for round := range max(r.Rounds, 1) {
		phase := name
		if round > 0 {
			if d, err = d.refined(ctx, all[round-1]); err != nil {
				return nil, err
			}
			phase = fmt.Sprintf("%s, round %d", name, round+1)
		}
		var start *stage.Guided
		if d.Start != nil {
			start = d.Start.Stages[round].(*stage.Guided)
		}
		s, err := r.stage(ctx, t, d, start, phase, max(r.Sizes, 1))
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// stage trains a stage for some sizes, the smallest one first. It starts from another stage, or from random networks if
// that is nil.
func (r GuidedRecipe) stage(ctx context.Context, t *Trainer, d GuidedData, start *stage.Guided, name string,
	sizes int) (*stage.Guided, error) {
	s := new(stage.Guided)
	if sizes > 1 {
		half, err := d.halved()
		if err != nil {
			return nil, err
		}
		var atHalf *stage.Guided
		if start != nil {
			atHalf = start.AtHalf
		}
		if s.AtHalf, err = r.stage(ctx, t, half, atHalf, name+" at half the size", sizes-1); err != nil {
			return nil, err
		}
		if d, err = d.corrected(ctx, s); err != nil {
			return nil, err
		}
	}
	n, rate := r.network(d), r.Rate
	theta := thetaOf(n)
	if start != nil {
		theta, rate = thetaOf(start.Network), rate/3
	}
	loss := &guidedLoss{network: n, batch: r.Batch, seed: d.Seed, workers: d.Workers, floor: r.Floor,
		draw: func(rng *rand.Rand) guidedCrop {
			return d.Pictures[rng.IntN(len(d.Pictures))].crop(rng, r.Side)
		}}
	adam := NewAdam(len(theta))
	adam.Limit, adam.Workers = 1, parallel.Workers(d.Workers)
	phase := Phase{Name: name, Objective: loss, Optimizer: adam, Steps: r.Steps, Rate: cosineRate(rate)}
	if len(d.Validation) > 0 {
		held := *loss
		held.network, held.differences, held.batch = r.network(d), nil, validationCrops
		held.draw = func(rng *rand.Rand) guidedCrop {
			return d.Validation[rng.IntN(len(d.Validation))].crop(rng,
				r.Side)
		}
		phase.Validation = &held
	}
	if err := t.Run(ctx, phase, theta); err != nil {
		return nil, err
	}
	loss.setTheta(theta)
	s.Network = n
	return s, nil
}

// network returns a random network of the shape of the recipe.
func (r GuidedRecipe) network(d GuidedData) *guided.Network {
	return guided.New(r.shape(d), rand.New(rand.NewPCG(d.Seed, 7)))
}

func (r GuidedRecipe) shape(d GuidedData) guided.Shape {
	return guided.Shape{Guides: d.guides(), Predictions: r.Predictions, Hidden: r.Hidden, Deep: r.Deep}
}
