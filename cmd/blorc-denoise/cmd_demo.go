package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/metric"
	"github.com/blorc-denoise/blorc-denoise/internal/scene"
	"github.com/blorc-denoise/blorc-denoise/models"
)

type demoFlags struct {
	solver    solverFlags
	sigma     float64
	seed      uint64
	size      string
	folder    string
	overwrite bool
}

func newDemo(u *ui) *cobra.Command {
	f := demoFlags{}
	c := &cobra.Command{
		Use:   "demo",
		Short: "Denoise a synthetic scene and show the gain",
		Long: `Draw a scene, add noise to it, and denoise it, as three PNG files: demo-clean.png, demo-noisy.png and demo-denoised.png.
The noisy file is clipped and rounded to 8 bits like a real one, and the
program estimates its noise level. demo-contact.png
shows the middle of the noisy, the denoised and the clean picture side by side.`,
		Example: "  blorc-denoise demo -o demo/ --sigma 40",
		Args:    noArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return f.run(c.Context(), u) },
	}
	flags := c.Flags()
	flags.Float64VarP(&f.sigma, "sigma", "s", 25, "noise in gray `LEVELS` of 0-255")
	flags.Uint64Var(&f.seed, "seed", 1, "`SEED` of the noise")
	flags.StringVar(&f.size, "size", "640x480", "`SIZE` of the scene")
	flags.StringVarP(&f.folder, "output", "o", ".", "`FOLDER` to write to")
	flags.StringVarP(&f.solver.model, "model", "m", models.Default, "`NAME` of a shipped model, or a model file")
	flags.BoolVar(&f.overwrite, "overwrite", false, "replace files that exist")
	f.solver.add(flags)
	return c
}

func (f *demoFlags) run(ctx context.Context, u *ui) error {
	across, down, _ := strings.Cut(f.size, "x")
	width, err1 := strconv.Atoi(across)
	height, err2 := strconv.Atoi(down)
	if err1 != nil || err2 != nil || width < 1 || height < 1 || width > 10000 || height > 10000 {
		return usage("--size must look like 640x480, at most 10000x10000")
	}
	if !(f.sigma >= 0 && f.sigma <= 1000) {
		return usage("--sigma must be between 0 and 1000")
	}
	o, err := f.solver.options(f.solver.model)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(f.folder, 0o777); err != nil {
		return err
	}
	drawn, err := unlessEnded(ctx, func() [3][]float32 { return scene.Draw(width, height) })
	if err != nil {
		return err
	}
	clean := &imageio.Image{Width: width, Height: height, Planes: drawn[:], Depth: imageio.Depth8, Format: imageio.PNG}
	path := func(kind string) string { return filepath.Join(f.folder, "demo-"+kind+".png") }
	write := imageio.WriteOptions{Overwrite: f.overwrite, Context: ctx}
	if err := imageio.Write(path("clean"), clean, write); err != nil {
		return fileError{path("clean"), err}
	}
	noisy, err := unlessEnded(ctx, func() *imageio.Image { return withNoise(clean, f.sigma, f.seed, "demo") })
	if err != nil {
		return err
	}
	if err := imageio.Write(path("noisy"), noisy, write); err != nil {
		return fileError{path("noisy"), err}
	}
	start := time.Now()
	o.Progress = (&shownShare{u: u, path: path("denoised"), start: start, options: o}).share
	r, err := denoise.File(ctx, path("noisy"), path("denoised"), denoise.FileOptions{Options: o, Write: write})
	if err != nil {
		return fileError{path("denoised"), err}
	}
	return f.report(u, path, r, time.Since(start))
}

// report reads the files back and compares them.
func (f *demoFlags) report(u *ui, path func(string) string, r denoise.Result, took time.Duration) error {
	var images [3]*imageio.Image
	for i, kind := range []string{"clean", "noisy", "denoised"} {
		img, err := readImage(path(kind), false, imageio.ReadOptions{})
		if err != nil {
			return err
		}
		images[i] = img
	}
	contact := contactSheet(images[1], images[2], images[0])
	if err := imageio.Write(path("contact"), contact, imageio.WriteOptions{Overwrite: f.overwrite}); err != nil {
		return fileError{path("contact"), err}
	}
	before := metric.PSNRPlanes(images[0].Planes, images[1].Planes)
	after := metric.PSNRPlanes(images[0].Planes, images[2].Planes)
	u.say("%s, true sigma %g, %.1f s", u.result(r), f.sigma, took.Seconds())
	_, err := fmt.Fprintf(u.out, "%s  %.2f dB\n%s  %.2f dB (%+.2f)\n", path("noisy"), before, path("denoised"), after,
		after-before)
	return err
}
