package train

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// GuidedPicture is a picture to train on. All planes have one size and are in units of the noise's standard deviation.
type GuidedPicture struct {
	Clean, Noisy, Pilot []patchify.Plane // one of luma, or two of chroma
	Luma                patchify.Plane   // denoised, for chroma; empty for luma
	Sigma               float64          // standard deviation of the noise in gray levels of 0-255

	corrected []patchify.Plane // Pilot with the low frequencies from half the size; nil if that is not refined
}

// GuidedData is what GuidedRecipe trains on: pictures of luma, or pictures of chroma.
type GuidedData struct {
	Pictures   []GuidedPicture
	Validation []GuidedPicture // never trained on; may be empty
	Start      *model.Model    // a result of the same recipe that training starts from; nil means random networks
	Seed       uint64
	Workers    int
}

// planes returns all planes of a picture.
func (p GuidedPicture) planes() []patchify.Plane {
	all := slices.Concat(p.Clean, p.Noisy, p.Pilot)
	if p.isChroma() {
		all = append(all, p.Luma)
	}
	return all
}

func (p GuidedPicture) isChroma() bool { return len(p.Clean) == 2 }

// guides returns the number of planes that lead the refinement of one plane.
func (d GuidedData) guides() int {
	if d.Pictures[0].isChroma() {
		return 2
	}
	return 0
}

// halved returns all pictures at half the size.
func (d GuidedData) halved() (GuidedData, error) {
	return d.each(func(p GuidedPicture) (GuidedPicture, error) {
		for _, planes := range []*[]patchify.Plane{&p.Clean, &p.Noisy, &p.Pilot} {
			var half []patchify.Plane
			for _, plane := range *planes {
				half = append(half, patchify.Downsample2(plane, 0))
			}
			*planes = half
		}
		if p.isChroma() {
			p.Luma = patchify.Downsample2(p.Luma, 0)
		}
		return p, p.check()
	})
}

// corrected returns all pictures with pilots whose low frequencies come from half the size.
func (d GuidedData) corrected(ctx context.Context, s *stage.Guided) (GuidedData, error) {
	return d.each(func(p GuidedPicture) (GuidedPicture, error) {
		var pilot []patchify.Plane
		for i := range p.Pilot {
			in := stage.Input{Noisy: p.Noisy[i], Pilot: p.Pilot[i], Guides: p.guides(i)}
			if err := s.Correct(ctx, &in, stage.Options{Workers: 1, Level: stage.Level(p.Sigma)}); err != nil {
				return p, err
			}
			pilot = append(pilot, in.Pilot)
		}
		p.corrected = pilot
		return p, nil
	})
}

// each returns the data with other pictures.
func (d GuidedData) each(f func(GuidedPicture) (GuidedPicture, error)) (GuidedData, error) {
	for _, pictures := range []*[]GuidedPicture{&d.Pictures, &d.Validation} {
		changed := make([]GuidedPicture, len(*pictures))
		errs := make([]error, len(changed))
		_ = parallel.For(context.Background(), d.Workers, len(changed),
			func(_, i int) { changed[i], errs[i] = f((*pictures)[i]) })
		if err := cmp.Or(errs...); err != nil {
			return d, err
		}
		*pictures = changed
	}
	return d, nil
}

// refined returns all pictures with pilots that a stage has refined.
func (d GuidedData) refined(ctx context.Context, s stage.Stage) (GuidedData, error) {
	return d.each(func(p GuidedPicture) (GuidedPicture, error) {
		pilot, err := p.refine(ctx, s, 1)
		p.Pilot, p.corrected = pilot, nil
		return p, err
	})
}

// through returns all pictures with pilots that some stages have refined.
func (d GuidedData) through(ctx context.Context, stages stage.Sequence) (_ GuidedData, err error) {
	for _, s := range stages {
		if d, err = d.refined(ctx, s); err != nil {
			return d, err
		}
	}
	return d, nil
}

// refine returns the pilots after a stage.
func (p *GuidedPicture) refine(ctx context.Context, s stage.Stage, workers int) (pilot []patchify.Plane, err error) {
	for i := range p.Pilot {
		out := patchify.NewPlane(p.Pilot[i].Width, p.Pilot[i].Height)
		in := stage.Input{Noisy: p.Noisy[i], Pilot: p.Pilot[i], Guides: p.guides(i)}
		if err := s.Denoise(ctx, out, in, stage.Options{Workers: workers, Level: stage.Level(p.Sigma)}); err != nil {
			return nil, err
		}
		pilot = append(pilot, out)
	}
	return pilot, nil
}

// PSNR returns the PSNR in dB of the planes that a model of GuidedRecipe has refined, or of the noisy planes if it is
// nil.
func (p GuidedPicture) PSNR(ctx context.Context, m *model.Model, workers int) (float64, error) {
	if m == nil {
		p.Pilot = p.Noisy
		return p.psnr(ctx, nil, workers)
	}
	return p.psnr(ctx, m.Stages, workers)
}

func (p GuidedPicture) psnr(ctx context.Context, stages stage.Sequence, workers int) (float64, error) {
	for _, s := range stages {
		var err error
		if p.Pilot, err = p.refine(ctx, s, workers); err != nil {
			return 0, err
		}
	}
	sum := 0.0
	for i, clean := range p.Clean {
		for j, v := range p.Pilot[i].Pix {
			e := float64(v-clean.Pix[j]) * p.Sigma / 255
			sum += e * e
		}
	}
	return 10 * math.Log10(float64(len(p.Clean)*len(p.Clean[0].Pix))/sum), nil
}

// guides returns what leads the refinement of plane i: for chroma the luma and the pilot of the other plane.
func (p *GuidedPicture) guides(i int) []patchify.Plane {
	if !p.isChroma() {
		return nil
	}
	return []patchify.Plane{p.Luma, p.Pilot[1-i]}
}
