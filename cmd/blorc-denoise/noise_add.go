package main

import (
	"math"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
)

type noiseAddFlags struct {
	read      readFlags
	sigma     float64
	poisson   bool
	photons   denoise.PhotonNoise
	seed      uint64
	output    string
	float     bool
	overwrite bool
}

func newNoiseAdd(u *ui) *cobra.Command {
	f := noiseAddFlags{}
	c := &cobra.Command{
		Use:   "add FILE -o FILE",
		Short: "Add noise to an image",
		Long: `Add noise to an image: white Gaussian noise of --sigma, or with --poisson that of a photon counter, whose --gain, --offset and
--read-noise are in the levels of the file. The noise depends on the name of the input and the seed, as in 'eval'.

Samples of 8 and 16 bits are clipped and rounded. With --float the output is a float TIFF, neither clipped nor rounded.`,
		Example: `  blorc-denoise noise add photo.png --sigma 25 -o noisy.png
  blorc-denoise noise add photo.png --sigma 25 --float --white 255 -o noisy.tif
  blorc-denoise noise add cells.tif --poisson --gain 2.1 --offset 100 --read-noise 3.5 -o noisy.tif`,
		Args: exactlyOne("file"),
		RunE: func(_ *cobra.Command, args []string) error { return f.run(args[0]) },
	}
	flags := c.Flags()
	flags.Float64VarP(&f.sigma, "sigma", "s", 25, "standard deviation in grey levels of 0-255, whatever the bit depth")
	flags.BoolVar(&f.poisson, "poisson", false, "add the noise of a photon counter")
	flags.Float64Var(&f.photons.Gain, "gain", 1, "levels for each photon, in the unit of the file (with --poisson)")
	flags.Float64Var(&f.photons.Offset, "offset", 0, "level without any photon, in the unit of the file (with --poisson)")
	flags.Float64Var(&f.photons.ReadNoise, "read-noise", 0, "standard deviation of the read noise, in the unit of the file (with --poisson)")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the noise")
	flags.StringVarP(&f.output, "output", "o", "", "file to write")
	flags.BoolVar(&f.float, "float", false, "write a TIFF of 32-bit floats, neither clipped nor rounded")
	flags.BoolVar(&f.overwrite, "overwrite", false, "replace the output if it exists")
	f.read.add(flags)
	return c
}

func (f *noiseAddFlags) run(in string) error {
	if err := f.read.check(); err != nil {
		return err
	}
	format, known := imageio.FormatOf(f.output)
	switch {
	case !(f.sigma >= 0) || math.IsInf(f.sigma, 0):
		return usage("--sigma must not be negative")
	case f.poisson && (!(f.photons.Gain > 0) || math.IsInf(f.photons.Gain, 0) || !(f.photons.ReadNoise >= 0) || math.IsInf(f.photons.ReadNoise, 0) ||
		math.IsNaN(f.photons.Offset) || math.IsInf(f.photons.Offset, 0)):
		return usage("--gain must be positive, --read-noise not negative, and --offset a number")
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
	noisy := f.noisy(img, filepath.Base(in))
	if f.float {
		noisy.Depth = imageio.DepthFloat32
	}
	err = imageio.Write(f.output, noisy, imageio.WriteOptions{Format: format, White: f.read.White, Overwrite: f.overwrite})
	if err != nil {
		return fileError{f.output, err}
	}
	return nil
}

// noisy returns the image with noise.
func (f *noiseAddFlags) noisy(img *imageio.Image, name string) *imageio.Image {
	if !f.poisson {
		return withNoise(img, f.sigma, f.seed, name)
	}
	out := *img
	out.Planes = nil
	n, rng := f.photons.Over(denoise.FullScale(img, f.read.White)), noise.Source(f.seed, name)
	for _, p := range img.Planes {
		q := make([]float32, len(p))
		noise.AddPhotons(q, p, n.Gain, n.Offset, n.ReadNoise, rng)
		out.Planes = append(out.Planes, q)
	}
	return &out
}
