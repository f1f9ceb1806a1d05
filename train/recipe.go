package train

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Data is what a recipe trains on. Samples are on a scale of 0 to 1.
type Data struct {
	Groups     [][]Pair // training images; each group weighs the same
	Validation []Pair   // never trained on; may be empty
	Sigma      float64  // of the noise that is added, or that the noisy images have, on the same scale
	Seed       uint64
	Workers    int
}

// PatchSize is the side of the patches that the recipes train on, and of the smallest image that they take.
const PatchSize = 8

func (d Data) validate() error {
	if !(d.Sigma > 0) || math.IsInf(d.Sigma, 0) {
		return fmt.Errorf("sigma %g is not positive", d.Sigma)
	}
	if len(d.Groups) == 0 {
		return errors.New("no training images")
	}
	for _, group := range d.Groups {
		if len(group) == 0 {
			return errors.New("a group without training images")
		}
	}
	for _, group := range append(slices.Clone(d.Groups), d.Validation) {
		for _, p := range group {
			if p.Noisy.Pix != nil && (p.Noisy.Width != p.Clean.Width || p.Noisy.Height != p.Clean.Height) {
				return fmt.Errorf("a noisy image is %d x %d, its clean one %d x %d", p.Noisy.Width, p.Noisy.Height, p.Clean.Width, p.Clean.Height)
			}
			if p.Clean.Width < PatchSize || p.Clean.Height < PatchSize {
				return fmt.Errorf("an image of %d x %d is smaller than a patch", p.Clean.Width, p.Clean.Height)
			}
		}
	}
	return nil
}

// Fingerprint is a digest of the recipe's settings and of all samples, so that a checkpoint resumes only what it is of.
func (d Data) Fingerprint(recipe any) string {
	h := sha256.New()
	fmt.Fprintf(h, "%+v sigma=%v seed=%d", recipe, d.Sigma, d.Seed)
	for _, group := range append(slices.Clone(d.Groups), d.Validation) {
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

// withNoise returns validation pairs that all have a noisy image. The noise of a pair depends on its position alone.
func (d Data) withNoise() []Pair {
	pairs := slices.Clone(d.Validation)
	for i, p := range pairs {
		if p.Noisy.Pix == nil {
			pairs[i].Noisy = patchify.NewPlane(p.Clean.Width, p.Clean.Height)
			noise.AddGaussian(pairs[i].Noisy.Pix, p.Clean.Pix, d.Sigma, noise.Source(d.Seed, fmt.Sprintf("validation %d", i)))
		}
	}
	return pairs
}

// validationCrops is how many crops of the validation images the losses of clusters and groups are measured on.
const validationCrops = 12

// heldBackCrops are crops of the validation images as Crops draws them of training images; none without such images.
func (d Data) heldBackCrops(size int) []Pair {
	if len(d.Validation) == 0 {
		return nil
	}
	return Crops([][]Pair{d.withNoise()}, validationCrops, size, d.Sigma, d.Seed)
}

// validate returns the mean PSNR in dB over the validation images, 0 if there are none.
func validate(ctx context.Context, m *model.Model, pairs []Pair, sigma float64, o stage.Options) (float64, error) {
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

// seal rounds the model to what its file holds, so that what is measured is what will be loaded.
func seal(m *model.Model) (*model.Model, error) {
	data, err := m.Marshal()
	if err != nil {
		return nil, err
	}
	return model.Unmarshal(data)
}
