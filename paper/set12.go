package paper

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/paper/baseline"
	"github.com/blorc-denoise/blorc-denoise/paper/report"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// ipolBM3D holds the mean PSNR in dB of the C++ program of Lebrun (Image Processing On Line, 2012) on the same images
// with the same kind of noise. sigma is in gray levels of 0-255.
var ipolBM3D = []struct{ sigma, psnr float64 }{{25.5, 29.85}, {15, 32.33}, {38.25, 27.94}, {50, 26.73}}

// set12 compares our BM3D with a published program on the images of Set12.
func set12(ctx context.Context, s Setting, sec *sectionBuilder) error {
	images, err := readGray(filepath.Join(s.Data, "set12"))
	if err != nil {
		return err
	}
	levels := ipolBM3D[:s.count(len(ipolBM3D), 1)]
	sec.Size = fmt.Sprintf("%d images, %d noise levels (all: %d)", len(images), len(levels), len(ipolBM3D))
	t := report.Table{Caption: "Set12, gray, noise neither clipped nor rounded",
		Head: []string{"sigma", "noisy", "bm3d", "Lebrun's program", "difference", "tv", "dct"}}
	for _, level := range levels {
		methods := []baseline.Denoiser{baseline.BM3D{}, baseline.TV{}, baseline.DCT{}}
		before, mean := 0.0, make([]float64, len(methods))
		for _, img := range images {
			noisy := patchify.NewPlane(img.plane.Width, img.plane.Height)
			noise.AddGaussian(noisy.Pix, img.plane.Pix, level.sigma/255, noise.Source(s.Seed, img.name))
			before += metric.PSNR(img.plane.Pix, noisy.Pix) / float64(len(images))
			for i, m := range methods {
				out, err := m.Denoise(ctx, noisy, level.sigma/255, s.Workers)
				if err != nil {
					return err
				}
				mean[i] += metric.PSNR(img.plane.Pix, out.Pix) / float64(len(images))
			}
		}
		s.Log("set12, sigma %g: %.2f", level.sigma, mean)
		t.Add(fmt.Sprint(level.sigma), number(before), number(mean[0]), number(level.psnr),
			signedDifference(mean[0], level.psnr), number(mean[1]), number(mean[2]))
	}
	sec.table(t)
	return nil
}
