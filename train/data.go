package train

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Data holds the images that a recipe trains on. Their samples are on a scale of 0 to 1.
type Data struct {
	Groups     [][]Pair // training images; all groups have the same weight
	Validation []Pair   // never trained on; may be empty
	Sigma      float64  // standard deviation of the noise, added or in the noisy images, on the same scale
	Seed       uint64   // of all random choices
	Workers    int      // goroutines; 0 = all processors; the model does not depend on it
}

// PatchSize is the side of the patches that the recipes train on, in samples. Images must be at least as large.
const PatchSize = 8

// Fingerprint returns a digest of the settings of a recipe and of all samples, for Trainer.Resume.
func (d Data) Fingerprint(recipe any) string {
	h := sha256.New()
	fmt.Fprintf(h, "%+v sigma=%v seed=%d groups=%d", recipe, d.Sigma, d.Seed, len(d.Groups))
	for _, group := range append(slices.Clone(d.Groups), d.Validation) {
		fmt.Fprintf(h, " %d:", len(group))
		for _, pair := range group {
			for _, p := range []patchify.Plane{pair.Clean, pair.Noisy} {
				fmt.Fprintf(h, " %dx%d ", p.Width, p.Height)
				buf := make([]byte, 0, 4*len(p.Pix))
				for _, v := range p.Pix {
					buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(v))
				}
				h.Write(buf)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// NoisyValidation returns the validation pairs. It adds noise to those without a noisy image, which depends only on the
// seed and the index of the pair.
func (d Data) NoisyValidation() []Pair {
	pairs := slices.Clone(d.Validation)
	for i, p := range pairs {
		if p.Noisy.Pix == nil {
			pairs[i].Noisy = patchify.NewPlane(p.Clean.Width, p.Clean.Height)
			noise.AddGaussian(pairs[i].Noisy.Pix, p.Clean.Pix, d.Sigma,
				noise.Source(d.Seed, fmt.Sprintf("validation %d", i)))
		}
	}
	return pairs
}

// validationCrops is the number of crops of the validation images for the validation losses of unions and passes.
const validationCrops = 12

// heldBackCrops returns crops of the validation images, or none without such images.
func (d Data) heldBackCrops(size int) []Pair {
	if len(d.Validation) == 0 {
		return nil
	}
	return drawCrops([][]Pair{d.NoisyValidation()}, validationCrops, size, d.Sigma, d.Seed)
}

// meanPSNR returns the mean PSNR of a model over pairs, in dB, or 0 if there are none.
func meanPSNR(ctx context.Context, m *model.Model, pairs []Pair, sigma float64, o stage.Options) (float64, error) {
	if len(pairs) == 0 {
		return 0, nil
	}
	sum := 0.0
	for _, p := range pairs {
		out, err := m.Stages.Denoise(ctx, p.Noisy, sigma, o)
		if err != nil {
			return 0, err
		}
		sum += metric.PSNR(p.Clean.Pix, out.Pix)
	}
	return sum / float64(len(pairs)), nil
}

// rounded returns the model as it is after writing and reading its file, with parameters rounded to float32.
func rounded(m *model.Model) (*model.Model, error) {
	data, err := m.Marshal()
	if err != nil {
		return nil, err
	}
	return model.Unmarshal(data)
}

// finish returns the rounded model with its PSNR on the validation images.
func finish(ctx context.Context, m *model.Model, d Data) (*model.Model, error) {
	m, err := rounded(m)
	if err != nil {
		return nil, err
	}
	m.ValidationPSNR, err = meanPSNR(ctx, m, d.NoisyValidation(), d.Sigma, stage.Options{Workers: d.Workers})
	return m, err
}

// denoiseAll returns the outputs of a model for the noisy crops, in units of sigma.
func denoiseAll(ctx context.Context, m *model.Model, crops []Pair, sigma float64, workers int) ([]patchify.Plane,
	error) {
	out := make([]patchify.Plane, len(crops))
	errs := make([]error, len(crops))
	err := parallel.For(ctx, workers, len(crops), func(_, i int) {
		if out[i], errs[i] = m.Stages.Denoise(ctx, crops[i].Noisy, sigma, stage.Options{Workers: 1}); errs[i] == nil {
			for j := range out[i].Pix {
				out[i].Pix[j] /= float32(sigma)
			}
		}
	})
	return out, cmp.Or(err, cmp.Or(errs...))
}
