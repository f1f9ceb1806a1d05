package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/paper"
)

// method denoises planes in place.
type method struct {
	name string
	run  func(ctx context.Context, planes [][]float32, width, height int) error
}

// comparison measures all methods on the same pictures.
type comparison struct {
	sigma   float64 // of the noise, in gray levels
	gray    bool
	seed    uint64
	workers int
	methods []method
}

// column is what is measured of the noisy pictures, or of a method.
type column struct{ psnr, ssim, seconds float64 }

// run writes the table of the pictures of a folder.
func (c *comparison) run(ctx context.Context, folder string, w io.Writer) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	fmt.Fprint(w, "image\tnoisy dB\tSSIM\t")
	for _, m := range c.methods {
		fmt.Fprintf(w, "%s dB\tSSIM\t", m.name)
	}
	fmt.Fprintln(w)
	sum, count, megapixels := make([]column, 1+len(c.methods)), 0.0, 0.0
	for _, e := range entries {
		if _, ok := imageio.InputFormatOf(e.Name()); !ok || e.IsDir() {
			continue
		}
		img, err := imageio.Read(filepath.Join(folder, e.Name()), imageio.ReadOptions{})
		if err != nil {
			return err
		}
		row, err := c.picture(ctx, img, e.Name())
		if err != nil {
			return fmt.Errorf("%s: %w", e.Name(), err)
		}
		print(w, e.Name(), row, 1)
		for i, r := range row {
			sum[i] = column{sum[i].psnr + r.psnr, sum[i].ssim + r.ssim, sum[i].seconds + r.seconds}
		}
		count, megapixels = count+1, megapixels+float64(img.Width*img.Height)/1e6
	}
	if count == 0 {
		return fmt.Errorf("%s: no images in the folder", folder)
	}
	print(w, "mean", sum, count)
	fmt.Fprint(w, "s/megapixel\t\t\t")
	for _, s := range sum[1:] {
		fmt.Fprintf(w, "%.2f\t\t", s.seconds/megapixels)
	}
	fmt.Fprintln(w)
	return nil
}

// print writes a row of the table: sums over so many pictures.
func print(w io.Writer, name string, row []column, count float64) {
	fmt.Fprintf(w, "%s\t", name)
	for _, c := range row {
		fmt.Fprintf(w, "%.2f\t%.4f\t", c.psnr/count, c.ssim/count)
	}
	fmt.Fprintln(w)
}

// picture measures a picture with noise, and what each method makes of it.
func (c *comparison) picture(ctx context.Context, img *imageio.Image, name string) ([]column, error) {
	if c.gray {
		img.Planes = [][]float32{paper.Gray(img).Pix}
	}
	rng, noisy := noise.Source(c.seed, name), clone(img.Planes)
	for i, p := range img.Planes {
		noise.AddGaussian(noisy[i], p, c.sigma/255, rng)
	}
	score := func(planes [][]float32) column {
		return column{psnr: metric.PSNRPlanes(img.Planes, planes),
			ssim: metric.SSIMPlanes(img.Planes, planes, img.Width, img.Height)}
	}
	row := []column{score(noisy)}
	for _, m := range c.methods {
		planes, start := clone(noisy), time.Now()
		if err := m.run(ctx, planes, img.Width, img.Height); err != nil {
			return nil, err
		}
		seconds := time.Since(start).Seconds()
		result := score(planes)
		result.seconds = seconds
		row = append(row, result)
	}
	return row, nil
}

func clone(planes [][]float32) (copies [][]float32) {
	for _, p := range planes {
		copies = append(copies, slices.Clone(p))
	}
	return copies
}
