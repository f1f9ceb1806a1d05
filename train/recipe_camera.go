package train

import (
	"context"
	"fmt"
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// CameraRecipe trains what refines pictures with the noise of a camera, after all stages for white noise: first luma,
// then the colours, led by the luma that the first makes.
type CameraRecipe struct {
	Luma, Chroma GuidedRecipe
}

// DefaultCameraRecipe returns the recipe that makes networks for cameras in general suit the noise of one, with a
// handful of pairs.
func DefaultCameraRecipe() CameraRecipe {
	broad := func(r GuidedRecipe) GuidedRecipe {
		// A second round gains 0.03 dB, and harms pictures without noise.
		r.Hidden, r.Predictions, r.Sizes, r.Rounds, r.Floor = 48, 0, 2, 1, 0.03
		r.Steps = 1500
		return r
	}
	return CameraRecipe{Luma: broad(DefaultLumaRecipe()), Chroma: broad(DefaultChromaRecipe())}
}

// CameraPicture is a picture to train on, gray or luma and two colour differences. All planes have one size and are in
// units of the level.
type CameraPicture struct {
	Clean, Noisy, Pilot []patchify.Plane
	Sigma               float64 // the level of the noise in gray levels of 0-255
}

// CameraData is what CameraRecipe trains on.
type CameraData struct {
	Pictures     []CameraPicture
	Validation   []CameraPicture // never trained on; may be empty
	Luma, Chroma *model.Model    // what training starts from, of the same recipe; nil means random networks
	Seed         uint64
	Workers      int
}

// Fingerprint returns a digest of the settings of a recipe and of all samples, for Trainer.Resume.
func (d CameraData) Fingerprint(recipe any) string {
	colours, _ := d.chroma(context.Background(), nil) // without stages there is no error
	return d.luma().Fingerprint(recipe) + colours.Fingerprint(recipe)
}

// Train runs the recipe. The model has no stages for chroma if all pictures are gray. A trainer that has resumed a
// checkpoint of the same recipe and data goes on from there; nil means a new one without reports. Errors are of the
// kinds of this package.
func (r CameraRecipe) Train(ctx context.Context, t *Trainer, d CameraData) (*model.Model, error) {
	for _, p := range append(d.Pictures[:len(d.Pictures):len(d.Pictures)], d.Validation...) {
		if err := p.check(); err != nil {
			return nil, err
		}
	}
	luma, err := r.Luma.Train(ctx, t, d.luma())
	if err != nil {
		return nil, err
	}
	m := &model.Model{Info: model.Info{Name: model.CameraNoise, Sigma: d.level(), Plane: "luma",
		Noise: model.CameraNoise, Seed: d.Seed}, Stages: luma.Stages}
	colours, err := d.chroma(ctx, luma.Stages)
	if err != nil || len(colours.Pictures) == 0 {
		return m, err
	}
	chroma, err := r.Chroma.Train(ctx, t, colours)
	if err != nil {
		return nil, err
	}
	m.Plane, m.Chroma = "luma and chroma", chroma.Stages
	return m, nil
}

// LeastSide returns the least width and height of pictures: the smallest size needs a patch.
func (r CameraRecipe) LeastSide() int { return PatchSize << (max(r.Luma.Sizes, r.Chroma.Sizes, 1) - 1) }

// level returns the mean of the levels of the pictures, by their logarithms.
func (d CameraData) level() float64 {
	sum := 0.0
	for _, p := range d.Pictures {
		sum += math.Log(p.Sigma)
	}
	return math.Round(10*math.Exp(sum/float64(len(d.Pictures)))) / 10
}

func (p CameraPicture) check() error {
	n := len(p.Clean)
	if n != 1 && n != 3 || len(p.Noisy) != n || len(p.Pilot) != n {
		return fmt.Errorf("%w: a picture of %d clean, %d noisy and %d denoised planes", ErrData, n, len(p.Noisy),
			len(p.Pilot))
	}
	return p.luma().check()
}

// MeanSquare returns the mean square of the error of all planes after the stages of a model, in grey levels of 0-255.
// Without stages, it is the error of the pilot.
func (p CameraPicture) MeanSquare(ctx context.Context, m *model.Model) (float64, error) {
	d := CameraData{Pictures: []CameraPicture{p}, Workers: 1}
	luma, err := d.luma().through(ctx, m.Stages)
	if err != nil {
		return 0, err
	}
	planes := luma.Pictures[0].Pilot
	if len(p.Clean) == 3 {
		chroma, err := d.chroma(ctx, m.Stages)
		if err == nil {
			chroma, err = chroma.through(ctx, m.Chroma)
		}
		if err != nil {
			return 0, err
		}
		planes = append(planes, chroma.Pictures[0].Pilot...)
	}
	sum := 0.0
	for i, plane := range planes {
		for j, v := range plane.Pix {
			e := float64(v-p.Clean[i].Pix[j]) * p.Sigma
			sum += e * e / float64(len(plane.Pix))
		}
	}
	return sum / float64(len(planes)), nil
}

// luma returns the pictures as those of luma.
func (d CameraData) luma() GuidedData {
	g := GuidedData{Start: d.Luma, Seed: d.Seed, Workers: d.Workers}
	for _, p := range d.Pictures {
		g.Pictures = append(g.Pictures, p.luma())
	}
	for _, p := range d.Validation {
		g.Validation = append(g.Validation, p.luma())
	}
	return g
}

// luma returns the luma of the picture, and the level as that of a gray one.
func (p CameraPicture) luma() GuidedPicture {
	return GuidedPicture{Clean: p.Clean[:1], Noisy: p.Noisy[:1], Pilot: p.Pilot[:1],
		Sigma: p.Sigma / math.Sqrt(float64(len(p.Clean)))}
}

// chroma returns the pictures in colour as those of chroma, led by the luma that stages make.
func (d CameraData) chroma(ctx context.Context, luma stage.Sequence) (GuidedData, error) {
	g := GuidedData{Start: d.Chroma, Seed: d.Seed, Workers: d.Workers}
	guide, err := d.luma().through(ctx, luma)
	if err != nil {
		return g, err
	}
	of := func(pictures []CameraPicture, luma []GuidedPicture) (colours []GuidedPicture) {
		for i, p := range pictures {
			if len(p.Clean) == 3 {
				colours = append(colours, GuidedPicture{Clean: p.Clean[1:], Noisy: p.Noisy[1:], Pilot: p.Pilot[1:],
					Luma: luma[i].Pilot[0], Sigma: p.Sigma})
			}
		}
		return colours
	}
	g.Pictures, g.Validation = of(d.Pictures, guide.Pictures), of(d.Validation, guide.Validation)
	return g, nil
}
