package train

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// CameraRecipe trains one pyramid for luma planes and one for chroma planes on real pairs, from the coarsest level to the
// finest. Level n has the stages of LocalRecipe. It is trained on the planes downsampled n times, after the coarser levels have
// denoised them. So its transforms adapt to the noise of each scale: correlated, stronger in some places than in others, and
// coarse in the chroma.
type CameraRecipe struct {
	Local                    LocalRecipe
	LumaLevels, ChromaLevels int
	ChromaFirst              int // first level of the chroma with stages; finer levels have hardly any noise
}

// DefaultCameraRecipe returns the recipe that learns the noise of a camera from some 20 pairs.
func DefaultCameraRecipe() CameraRecipe {
	local := DefaultLocalRecipe()
	local.PilotSteps, local.UnionSteps, local.Clusters, local.Crops = 300, 100, 16, 120
	return CameraRecipe{Local: local, LumaLevels: 3, ChromaLevels: 4, ChromaFirst: 1}
}

// CameraData holds the training pairs for CameraRecipe. Samples are in units of the noise level of their image (see
// model.CameraNoise).
type CameraData struct {
	Luma, Chroma []Pair  // all with noisy planes; Chroma may be empty, as for gray images
	Level        float64 // mean noise level of the images on a scale of 0 to 1, for model.Info.Sigma
	Seed         uint64
	Workers      int
}

// group returns the data of one recipe for a level.
func (d CameraData) group(pairs []Pair) Data {
	return Data{Groups: [][]Pair{pairs}, Sigma: 1, Seed: d.Seed, Workers: d.Workers}
}

// Fingerprint returns a digest of the settings of a recipe and of all samples, for Trainer.Resume.
func (d CameraData) Fingerprint(recipe any) string {
	all := d.group(d.Luma)
	all.Groups = append(all.Groups, d.Chroma)
	return all.Fingerprint(recipe)
}

// Train runs the recipe. A trainer that has resumed a checkpoint of the same recipe and data goes on from there; nil means a
// new one without reports. Errors are of the kinds of this package.
func (r CameraRecipe) Train(ctx context.Context, t *Trainer, d CameraData) (*model.Model, error) {
	if err := r.check(d); err != nil {
		return nil, err
	}
	if t == nil {
		t = new(Trainer)
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
	return rounded(m)
}

// LeastSide returns the least width and height of the images: the coarsest level needs a patch.
func (r CameraRecipe) LeastSide() int {
	return PatchSize << (max(r.LumaLevels, r.ChromaLevels) - 1)
}

func (r CameraRecipe) check(d CameraData) error {
	if err := cmp.Or(r.Local.check(), atLeast("LumaLevels", r.LumaLevels, 1), atLeast("ChromaFirst", r.ChromaFirst, 0),
		atLeast("ChromaLevels", r.ChromaLevels, r.ChromaFirst+1)); err != nil {
		return err
	}
	if most := max(r.LumaLevels, r.ChromaLevels); most > stage.MaxLevels {
		return fmt.Errorf("%w: a pyramid of %d levels, more than %d", ErrSettings, most, stage.MaxLevels)
	}
	if !(d.Level >= 0) || math.IsInf(d.Level, 0) {
		return fmt.Errorf("%w: noise level %g", ErrData, d.Level)
	}
	if len(d.Luma) == 0 {
		return fmt.Errorf("%w: no images", ErrData)
	}
	least := r.LeastSide()
	pairs := slices.Concat(d.Luma, d.Chroma)
	if err := d.group(pairs).validate(); err != nil {
		return err
	}
	for _, p := range pairs {
		if p.Noisy.Pix == nil {
			return fmt.Errorf("%w: a clean image without a noisy one", ErrData)
		}
		if min(p.Clean.Width, p.Clean.Height) < least {
			return fmt.Errorf("%w: an image of %d x %d is smaller than the %d x %d that the coarsest level needs",
				ErrData, p.Clean.Width, p.Clean.Height, least, least)
		}
	}
	return nil
}

// pyramid trains a pyramid on pairs of planes. Levels below first get no stages.
func (r CameraRecipe) pyramid(ctx context.Context, t *Trainer, name string, d CameraData, pairs []Pair, levels, first int) (*stage.Pyramid, error) {
	sizes := [][]Pair{pairs}
	for len(sizes) < levels {
		sizes = append(sizes, halvePairs(sizes[len(sizes)-1]))
	}
	stages := make([]stage.Sequence, levels)
	var denoised []patchify.Plane // the noisy planes of the coarser level
	for level := levels - 1; level >= first; level-- {
		here := sizes[level]
		if denoised != nil {
			here = addCoarser(here, sizes[level+1], denoised, d.Workers)
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

// halvePairs downsamples all planes.
func halvePairs(pairs []Pair) []Pair {
	out := make([]Pair, len(pairs))
	for i, p := range pairs {
		out[i] = Pair{patchify.Downsample2(p.Clean), patchify.Downsample2(p.Noisy)}
	}
	return out
}

// addCoarser returns pairs whose noisy planes have the changes that the coarser level made, as in stage.Pyramid. half and
// denoised are the pairs of that level and its outputs.
func addCoarser(pairs, half []Pair, denoised []patchify.Plane, workers int) []Pair {
	out := make([]Pair, len(pairs))
	// The background context never ends, so there is no error.
	_ = parallel.For(context.Background(), workers, len(pairs), func(_, i int) {
		out[i] = Pair{pairs[i].Clean, patchify.AddUpsampled(pairs[i].Noisy, half[i].Noisy, denoised[i])}
	})
	return out
}
