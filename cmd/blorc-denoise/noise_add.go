package main

import (
	"math"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
	camera    cameraFlags
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

--camera photographs the image with a simulated camera at the sensitivity --iso: light falls on a sensor behind a mosaic of
colours, is counted and read with noise, and goes through demosaicing, white balance, tone curve, smoothing, sharpening and,
in 8 bits, JPEG compression. That changes the picture too, so --clean writes what the camera makes without noise: the image to
compare with. --camera-seed draws another camera.

Samples of 8 and 16 bits are clipped and rounded. With --float the output is a float TIFF, neither clipped nor rounded.`,
		Example: `  blorc-denoise noise add photo.png --sigma 25 -o noisy.png
  blorc-denoise noise add photo.png --sigma 25 --float --white 255 -o noisy.tif
  blorc-denoise noise add cells.tif --poisson --gain 2.1 --offset 100 --read-noise 3.5 -o noisy.tif
  blorc-denoise noise add photo.png --camera --iso 6400 -o noisy.jpg --clean clean.png`,
		Args: exactlyOne("file"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c.Flags(), args[0]) },
	}
	flags := c.Flags()
	flags.Float64VarP(&f.sigma, "sigma", "s", 25, "standard deviation in grey levels of 0-255, whatever the bit depth")
	flags.BoolVar(&f.poisson, "poisson", false, "add the noise of a photon counter")
	flags.Float64Var(&f.photons.Gain, "gain", 1, "levels for each photon, in the unit of the file (with --poisson)")
	flags.Float64Var(&f.photons.Offset, "offset", 0, "level without any photon, in the unit of the file (with --poisson)")
	flags.Float64Var(&f.photons.ReadNoise, "read-noise", 0, "standard deviation of the read noise, in the unit of the file (with --poisson)")
	f.camera.add(flags)
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the noise")
	flags.StringVarP(&f.output, "output", "o", "", "file to write")
	flags.BoolVar(&f.float, "float", false, "write a TIFF of 32-bit floats, neither clipped nor rounded")
	flags.BoolVar(&f.overwrite, "overwrite", false, "replace the output if it exists")
	f.read.add(flags)
	return c
}

func (f *noiseAddFlags) run(flags *pflag.FlagSet, in string) error {
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
	if err := f.camera.check(flags, in, f.output); err != nil {
		return err
	}
	img, err := readImage(in, false, f.read.ReadOptions)
	if err != nil {
		return err
	}
	if f.camera.use {
		return f.photograph(img, filepath.Base(in), format)
	}
	return f.write(f.output, f.noisy(img, filepath.Base(in)), imageio.WriteOptions{Format: format})
}

// write writes an image, as floats if that was asked for.
func (f *noiseAddFlags) write(path string, img *imageio.Image, o imageio.WriteOptions) error {
	if f.float {
		img.Depth = imageio.DepthFloat32
	}
	o.White, o.Overwrite = f.read.White, f.overwrite
	if err := imageio.Write(path, img, o); err != nil {
		return fileError{path, err}
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
