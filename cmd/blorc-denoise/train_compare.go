package main

import (
	"context"
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/model"
)

// modelScores are the PSNR in dB of a validation image: noisy, and after the shipped models and the trained one.
type modelScores struct{ noisy, shipped, trained float64 }

// comparison is what the metrics file has of the scores of all validation images.
type comparison struct {
	Phase   string  `json:"phase"` // "comparison"
	Images  int     `json:"images"`
	Noisy   float64 `json:"noisy_psnr"`   // means in dB
	Shipped float64 `json:"shipped_psnr"` // of the shipped models
	Trained float64 `json:"model_psnr"`   // of the trained one
	Better  int     `json:"better"`       // images on which the trained model is better than the shipped ones
}

func newComparison(all []modelScores) comparison {
	c := comparison{Phase: "comparison", Images: len(all)}
	for _, s := range all {
		n := float64(len(all))
		c.Noisy, c.Shipped, c.Trained = c.Noisy+s.noisy/n, c.Shipped+s.shipped/n, c.Trained+s.trained/n
		if s.trained > s.shipped {
			c.Better++
		}
	}
	return c
}

// report says how good the model is, and how it compares with the shipped ones on the validation images, if there are
// some.
func (f *trainFlags) report(ctx context.Context, u *ui, job training, m *model.Model, metrics *metricsFile) error {
	if f.validation == "" {
		u.say("%s: written", f.output)
		return nil
	}
	u.say("%s: %.2f dB on the validation images", f.output, m.ValidationPSNR)
	images, scores, err := job.compare(ctx, m)
	if err != nil {
		return err
	}
	c := newComparison(scores)
	u.say("%s: noisy %.2f dB, shipped models %.2f dB, this model %.2f dB; it is better on %d of %d", images, c.Noisy,
		c.Shipped, c.Trained, c.Better, c.Images)
	if err := metrics.add(c); err != nil {
		u.fail(f.metrics, err)
	}
	return nil
}

// scored measures the shipped models and the trained one on an image.
func scored(noisy float64, m *model.Model, psnr func(set denoise.ModelSet) (float64, error)) (s modelScores,
	err error) {
	own, err := denoise.UseModel(m)
	if err != nil {
		return s, err
	}
	s.noisy = noisy
	if s.shipped, err = psnr(denoise.ModelSet{}); err == nil {
		s.trained, err = psnr(own)
	}
	return s, err
}

// compare denoises the validation images as the program does without and with --model, told the level.
func (t *whiteTraining) compare(ctx context.Context, m *model.Model) (images string, all []modelScores, err error) {
	for _, p := range t.data.NoisyValidation() {
		s, err := scored(metric.PSNR(p.Clean.Pix, p.Noisy.Pix), m, func(set denoise.ModelSet) (float64, error) {
			planes := clonePlanes([][]float32{p.Noisy.Pix})
			o := denoise.Options{Sigma: 255 * t.data.Sigma, Models: set, Workers: t.data.Workers}
			_, err := denoise.Planes(ctx, planes, p.Clean.Width, p.Clean.Height, o)
			return metric.PSNR(p.Clean.Pix, planes[0]), err
		})
		if err != nil {
			return "", nil, err
		}
		all = append(all, s)
	}
	return fmt.Sprintf("%d images, at balanced quality", len(all)), all, nil
}

// compare refines the parts of images by the shipped model of the same name and by the trained one.
func (t *guidedTraining) compare(ctx context.Context, m *model.Model) (images string, all []modelScores, err error) {
	shipped, err := loadModel(t.name, 25)
	if err != nil {
		return "", nil, err
	}
	for _, p := range t.data.Validation {
		var psnr [3]float64
		for i, m := range []*model.Model{nil, shipped, m} {
			if psnr[i], err = p.PSNR(ctx, m, t.data.Workers); err != nil {
				return "", nil, err
			}
		}
		all = append(all, modelScores{psnr[0], psnr[1], psnr[2]})
	}
	return fmt.Sprintf("%d parts of images", len(all)), all, nil
}

// compare returns what train has measured.
func (t *cameraTraining) compare(context.Context, *model.Model) (string, []modelScores, error) {
	return fmt.Sprintf("%d images, at balanced quality", len(t.scores)), t.scores, nil
}
