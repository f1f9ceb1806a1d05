package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// CameraRecipe trains a pyramid for luma planes and one for chroma planes on real pairs, from the coarsest level to the
// finest. A level is a union of transforms as LocalRecipe trains it, on pairs of what the coarser levels left and of the
// clean plane, both halved as often as the level. So the transforms adapt to the noise that there is at each scale:
// correlated, stronger in some places than in others, and coarse in the chroma.
type CameraRecipe struct {
	Local                    LocalRecipe
	LumaLevels, ChromaLevels int
	ChromaFirst              int // the finer levels of the chroma have no stages: there is hardly any noise
}

// DefaultCameraRecipe is what the shipped model was trained with.
func DefaultCameraRecipe() CameraRecipe {
	local := DefaultLocalRecipe()
	local.PilotSteps, local.UnionSteps, local.Clusters, local.Crops = 300, 100, 16, 120
	return CameraRecipe{Local: local, LumaLevels: 3, ChromaLevels: 4, ChromaFirst: 1}
}

// CameraData holds the pairs of all training images, with samples in units of the noise level of each image (see
// model.CameraNoise). Gray images give no chroma.
type CameraData struct {
	Luma, Chroma []Pair
	Level        float64 // mean of the images' noise levels, on a scale of 0 to 1: what the model says it is for
	Seed         uint64
	Workers      int
}

func (d CameraData) group(pairs []Pair) Data {
	return Data{Groups: [][]Pair{pairs}, Sigma: 1, Seed: d.Seed, Workers: d.Workers}
}

// Fingerprint is that of Data.
func (d CameraData) Fingerprint(recipe any) string {
	all := d.group(d.Luma)
	all.Groups = append(all.Groups, d.Chroma)
	return all.Fingerprint(recipe)
}

// Train runs the recipe. With t resumed from a checkpoint of the same recipe and data it goes on from there.
func (r CameraRecipe) Train(ctx context.Context, t *Trainer, d CameraData) (*model.Model, error) {
	if err := r.check(d); err != nil {
		return nil, err
	}
	sigma := math.Round(2550*d.Level) / 10
	m := &model.Model{Info: model.Info{Name: model.CameraNoise, Sigma: max(sigma, 0.1), Plane: "luma and chroma", Noise: model.CameraNoise, Seed: d.Seed}}
	luma, err := r.pyramid(ctx, t, "luma", d, d.Luma, r.LumaLevels, 0)
	if err != nil {
		return nil, err
	}
	m.Stages = stage.Sequence{luma}
	if len(d.Chroma) > 0 {
		chroma, err := r.pyramid(ctx, t, "chroma", d, d.Chroma, r.ChromaLevels, r.ChromaFirst)
		if err != nil {
			return nil, err
		}
		m.Chroma = stage.Sequence{chroma}
	}
	return seal(m)
}

func (r CameraRecipe) check(d CameraData) error {
	if r.LumaLevels < 1 || r.ChromaFirst < 0 || r.ChromaLevels <= r.ChromaFirst {
		return errors.New("a pyramid without levels")
	}
	least := PatchSize << (max(r.LumaLevels, r.ChromaLevels) - 1)
	pairs := slices.Concat(d.Luma, d.Chroma)
	if err := d.group(pairs).validate(); err != nil {
		return err
	}
	for _, p := range pairs {
		if p.Noisy.Pix == nil {
			return errors.New("a clean image without a noisy one")
		}
		if min(p.Clean.Width, p.Clean.Height) < least {
			return fmt.Errorf("an image of %d x %d is smaller than the %d x %d that the coarsest level needs",
				p.Clean.Width, p.Clean.Height, least, least)
		}
	}
	return nil
}

func (r CameraRecipe) pyramid(ctx context.Context, t *Trainer, name string, d CameraData, pairs []Pair, levels, first int) (*stage.Pyramid, error) {
	sizes := [][]Pair{pairs}
	for len(sizes) < levels {
		sizes = append(sizes, halvePairs(sizes[len(sizes)-1]))
	}
	stages := make([]stage.Sequence, levels)
	var denoised []patchify.Plane // the noisy planes of the level before
	for level := levels - 1; level >= first; level-- {
		here := sizes[level]
		if denoised != nil {
			here = takeOver(here, sizes[level+1], denoised)
		}
		data := d.group(here)
		data.Seed += uint64(level) << 48
		m, err := t.scoped(fmt.Sprintf("%s 1/%d ", name, 1<<level), func() (*model.Model, error) {
			return r.Local.Train(ctx, t, data)
		})
		if err != nil {
			return nil, err
		}
		stages[level] = m.Stages
		if denoised, err = denoiseAll(ctx, m, here, 1, d.Workers); err != nil {
			return nil, err
		}
	}
	return stage.NewPyramid(stages)
}

func halvePairs(pairs []Pair) []Pair {
	out := make([]Pair, len(pairs))
	for i, p := range pairs {
		out[i] = Pair{patchify.Downsample2(p.Clean), patchify.Downsample2(p.Noisy)}
	}
	return out
}

// takeOver replaces the noisy planes by what the coarser levels leave of them.
func takeOver(pairs, half []Pair, denoised []patchify.Plane) []Pair {
	out := make([]Pair, len(pairs))
	// The background context never ends, so there is no error.
	_ = parallel.For(context.Background(), 0, len(pairs), func(_, i int) {
		out[i] = Pair{pairs[i].Clean, patchify.AddUpsampled(pairs[i].Noisy, half[i].Noisy, denoised[i])}
	})
	return out
}
