package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/compare"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// evalPage is the page that eval --html writes.
type evalPage struct {
	path  string
	set   *pflag.FlagSet
	page  compare.Eval
	model []*imageio.Image // the denoised versions of the image at hand
}

func (e *evalPage) add(f *pflag.FlagSet) {
	f.StringVar(&e.path, "html", "", "also write a page to `FILE`.html with the scores and with crops of all images")
	e.set = f
}

// begin prepares the page.
func (e *evalPage) begin(f *evalFlags, clean string, models []string) error {
	if e.path == "" {
		return nil
	}
	if err := checkPage("--html", e.path); err != nil {
		return err
	}
	given := compare.Setting{Name: "seed", Value: fmt.Sprint(f.seed)}
	if f.noisy != "" {
		given = compare.Setting{Name: "noisy images", Value: valid(f.noisy)}
	}
	e.page = compare.Eval{Title: valid(clean), Models: models, White: f.read.White, Workers: f.solver.Workers,
		Command: strings.Replace(commandLine(append([]string{clean}, givenFlags(e.set)...)), program, program+" eval",
			1),
		Settings: []compare.Setting{{Name: "noise", Value: f.noiseGiven()}, given,
			{Name: "quality", Value: f.solver.Quality.String()}, programSetting()}}
	return nil
}

// noiseGiven says what the flags tell of the noise.
func (f *evalFlags) noiseGiven() string {
	kind, n := "", f.solver.Photons
	if f.solver.Noise != denoise.Auto {
		kind = f.solver.Noise.String() + ", "
	}
	switch {
	case f.solver.profile != "":
		return "profile " + valid(f.solver.profile)
	case f.solver.sigma >= 0:
		return fmt.Sprintf("%ssigma %s of 0-255", kind, sigmaText(f.solver.sigma))
	case f.solver.Noise == denoise.None:
		return "none"
	case n.Gain != 0:
		return fmt.Sprintf("%sgain %g, offset %g, read noise %g", kind, n.Gain, n.Offset, n.ReadNoise)
	}
	return kind + "found in each image"
}

// keep takes a denoised version of the image at hand.
func (e *evalPage) keep(img *imageio.Image, planes [][]float32) {
	if e.path != "" {
		out := *img
		out.Planes = planes
		e.model = append(e.model, &out)
	}
}

// image takes over the image at hand and its scores.
func (e *evalPage) image(clean, noisy *imageio.Image, row evalImage) error {
	if e.path == "" {
		return nil
	}
	var scores []compare.Score
	for _, s := range row.Models {
		scores = append(scores, s.shown())
	}
	denoised := e.model
	e.model = nil
	return e.page.Add(valid(row.Image), clean, noisy, denoised, row.found, row.Noisy.shown(), scores)
}

func (s score) shown() compare.Score { return compare.Score{PSNR: s.PSNR, SSIM: s.SSIM} }

// write writes the page if there are images.
func (e *evalPage) write(images int) error {
	if e.path == "" || images == 0 {
		return nil
	}
	return writeNamed(e.path, true, e.page.Write)
}
