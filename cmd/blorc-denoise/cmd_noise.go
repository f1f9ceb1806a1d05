package main

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
	"github.com/blorc-denoise/blorc-denoise/internal/estimate"
)

func newNoise(u *ui) *cobra.Command {
	return group("noise", "Add noise to images, or estimate it", newNoiseAdd(u), newNoiseEstimate(u))
}

type noiseAddFlags struct {
	read      readFlags
	sigma     float64
	seed      uint64
	output    string
	float     bool
	overwrite bool
}

func newNoiseAdd(u *ui) *cobra.Command {
	f := noiseAddFlags{}
	c := &cobra.Command{
		Use:   "add FILE --sigma LEVELS -o FILE",
		Short: "Add white Gaussian noise to an image",
		Long: `Add white Gaussian noise to an image. The noise depends on the name of the input and the seed, as in 'eval'.

Samples of 8 and 16 bits are clipped and rounded. With --float the output is a float TIFF, neither clipped nor rounded.`,
		Example: `  blorc-denoise noise add photo.png --sigma 25 -o noisy.png
  blorc-denoise noise add photo.png --sigma 25 --float --white 255 -o noisy.tif`,
		Args: exactlyOne("file"),
		RunE: func(_ *cobra.Command, args []string) error { return f.run(args[0]) },
	}
	flags := c.Flags()
	flags.Float64VarP(&f.sigma, "sigma", "s", 25, "standard deviation in grey levels of 0-255, whatever the bit depth")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the noise")
	flags.StringVarP(&f.output, "output", "o", "", "file to write")
	flags.BoolVar(&f.float, "float", false, "write a TIFF of 32-bit floats, neither clipped nor rounded")
	flags.BoolVar(&f.overwrite, "overwrite", false, "replace the output if it exists")
	f.read.add(flags)
	return c
}

func exactlyOne(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage("exactly one %s is needed", what)
		}
		return nil
	}
}

func (f *noiseAddFlags) run(in string) error {
	if err := f.read.check(); err != nil {
		return err
	}
	format, known := imageio.FormatOf(f.output)
	switch {
	case !(f.sigma >= 0) || math.IsInf(f.sigma, 0):
		return usage("--sigma must not be negative")
	case f.output == "":
		return usage("no output file given (-o)")
	case !known:
		return usage("the output %s is not named .png, .jpg, .jpeg, .tif or .tiff", f.output)
	case f.float && format != imageio.TIFF:
		return usage("--float needs an output named .tif or .tiff")
	case disk.SameFile(in, f.output):
		return usage("the output would replace the input")
	}
	img, err := readImage(in, false, f.read.ReadOptions)
	if err != nil {
		return err
	}
	noisy := withNoise(img, f.sigma, f.seed, filepath.Base(in))
	if f.float {
		noisy.Depth = imageio.DepthFloat32
	}
	err = imageio.Write(f.output, noisy, imageio.WriteOptions{Format: format, White: f.read.White, Overwrite: f.overwrite})
	if err != nil {
		return fileError{f.output, err}
	}
	return nil
}

type noiseEstimateFlags struct {
	read readFlags
	json bool
}

func newNoiseEstimate(u *ui) *cobra.Command {
	f := noiseEstimateFlags{}
	c := &cobra.Command{
		Use:   "estimate FILE...",
		Short: "Estimate the noise level of images",
		Long: `Estimate the standard deviation of the noise in images, in grey levels of 0-255, whatever the bit depth.

The estimate assumes white noise that is equally strong everywhere. The noise of camera JPEGs is neither; there the
estimate is too low.`,
		Example: "  blorc-denoise noise estimate *.png",
		Args:    atLeastOne("file"),
		RunE:    func(_ *cobra.Command, args []string) error { return f.run(u, args) },
	}
	c.Flags().BoolVar(&f.json, "json", false, "print one JSON object a line")
	f.read.add(c.Flags())
	return c
}

func (f *noiseEstimateFlags) run(u *ui, files []string) error {
	if err := f.read.check(); err != nil {
		return err
	}
	var t tally
	for _, path := range files {
		img, err := imageio.Read(path, f.read.ReadOptions)
		if err != nil {
			t.codes = append(t.codes, u.fail(path, err))
			continue
		}
		t.done++
		sigma := 255 * estimate.Sigma(img.Planes, img.Width, img.Height, 0)
		if f.json {
			err = json.NewEncoder(u.out).Encode(map[string]any{"path": path, "sigma": sigma})
		} else {
			_, err = fmt.Fprintf(u.out, "%s: sigma %.2f\n", oneLine(path), sigma)
		}
		if err != nil {
			return err
		}
	}
	if code := t.code(); code != exitOK {
		return silent(code)
	}
	return nil
}
