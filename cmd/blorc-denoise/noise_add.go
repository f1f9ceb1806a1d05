package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
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
	names     nameFlags
	float     bool
	overwrite bool
}

func newNoise(u *ui) *cobra.Command {
	return group("noise", "Add noise to images, or estimate it", newNoiseAdd(u), newNoiseEstimate(u))
}

func newNoiseAdd(u *ui) *cobra.Command {
	f := noiseAddFlags{}
	c := &cobra.Command{
		Use:   "add FILE|FOLDER|PATTERN|@LIST... -o FILE|FOLDER",
		Short: "Add noise to an image",
		Long: `Add noise to an image: white Gaussian noise of --sigma, or with --poisson that of a photon counter, whose --gain, --offset and
--read-noise are in gray levels of the file. The noise depends on the name of the input (without its folders) and the seed, as
in 'eval'. The images of a folder, and with -r of its subfolders, get their places below the output folder.

--camera photographs the image with a simulated camera at the sensitivity --iso: a sensor behind a colour mosaic counts the light
and adds read noise, then follow demosaicing, white balance, tone curve, smoothing, sharpening and, in 8 bits, JPEG compression.
This changes the picture, too, so --clean writes the picture of the same camera without noise: the reference to compare with.
--camera-seed simulates another camera.

Samples of 8 and 16 bits are clipped and rounded. With --float the output is a float TIFF, neither clipped nor rounded.`,
		Example: `  blorc-denoise noise add photo.png --sigma 25 -o noisy.png
  blorc-denoise noise add photo.png --sigma 25 --float --white 255 -o noisy.tif
  blorc-denoise noise add cells.tif --poisson --gain 2.1 --offset 100 --read-noise 3.5 -o noisy.tif
  blorc-denoise noise add -r clean/ --sigma 25 --float -o noisy/
  blorc-denoise noise add photo.png --camera --iso 6400 -o noisy.jpg --clean clean.png`,
		Args: atLeastOne("file"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c.Context(), u, c.Flags(), args) },
	}
	flags := c.Flags()
	flags.Float64VarP(&f.sigma, "sigma", "s", 25,
		"standard deviation in gray `LEVELS` of 0-255, whatever the bit depth")
	flags.BoolVar(&f.poisson, "poisson", false, "add the noise of a photon counter")
	flags.Float64Var(&f.photons.Gain, "gain", 1, "gray `LEVELS` of the file for each photon (with --poisson)")
	flags.Float64Var(&f.photons.Offset, "offset", 0,
		"gray `LEVEL` of the file without photons (with --poisson)")
	flags.Float64Var(&f.photons.ReadNoise, "read-noise", 0,
		"standard deviation of the read noise, in gray `LEVELS` of the file (with --poisson)")
	f.camera.add(flags)
	flags.Uint64Var(&f.seed, "seed", 1, "`SEED` of the noise")
	f.names.add(flags, "")
	flags.BoolVar(&f.float, "float", false, "write TIFF files of 32-bit floats, neither clipped nor rounded")
	flags.BoolVar(&f.overwrite, "overwrite", false, "replace outputs that exist")
	f.read.add(flags)
	return c
}

func (f *noiseAddFlags) check(flags *pflag.FlagSet, words []string) error {
	if err := cmp.Or(f.read.check(), noPipe("noise add", words)); err != nil {
		return err
	}
	format, known := imageio.OutputFormatOf(f.names.output)
	switch {
	case !(f.sigma >= 0) || math.IsInf(f.sigma, 0):
		return usage("--sigma must not be negative")
	case f.poisson && (!(f.photons.Gain > 0) || math.IsInf(f.photons.Gain, 0) || !(f.photons.ReadNoise >= 0) ||
		math.IsInf(f.photons.ReadNoise, 0) ||
		math.IsNaN(f.photons.Offset) || math.IsInf(f.photons.Offset, 0)):
		return usage("--gain must be positive, --read-noise not negative, and --offset a number")
	case f.names.output == "":
		return usage("no output file given (-o)")
	case f.float && known && format != imageio.TIFF:
		return usage("--float needs an output named .tif or .tiff")
	case f.float && f.names.format != 0 && f.names.format != imageio.TIFF:
		return usage("--float writes TIFF files")
	case len(words) == 1 && disk.SameFile(words[0], f.names.output):
		return usage("the output would replace the input")
	}
	if f.float {
		f.names.format = imageio.TIFF
	}
	var err error
	switch {
	case f.poisson:
		err = unwanted(flags, "is for white noise, and does not go with --poisson", "sigma")
	case !f.camera.use:
		err = unwanted(flags, "needs --poisson", "gain", "offset", "read-noise")
	}
	if err != nil {
		return err
	}
	if f.camera.clean != "" && len(words) > 1 {
		return usage("--clean is for one image")
	}
	return f.camera.check(flags)
}

func (f *noiseAddFlags) run(ctx context.Context, u *ui, flags *pflag.FlagSet, words []string) error {
	if err := f.check(flags, words); err != nil {
		return err
	}
	f.names.take(words)
	s, err := f.names.find(ctx)
	if err != nil {
		return err
	}
	if err := f.checkClean(s.items); err != nil {
		return err
	}
	if len(s.items) == 0 && len(s.found.Refused) == 0 {
		return fileError{words[0], noImages(s.found.Folders)}
	}
	if s.naming.Folder != "" {
		defer disk.RemoveEmpty(missingFolders(s.naming.Folder, s.items)) // if nothing was written into them
		if err := disk.Make(s.naming.Folder); err != nil {
			return err
		}
	}
	var t tally
	t.refused(u, s.found)
	to := batch.Output{Folder: s.naming.Folder, Overwrite: batch.Never}
	if f.overwrite {
		to.Overwrite = batch.Always
	}
	for i, it := range s.items {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if len(s.items) > 1 {
			u.show("[%d/%d] %s", i+1, len(s.items), it.Path)
		}
		if err := f.file(ctx, to, it); err != nil {
			t.fail(u, "", err)
			continue
		}
		t.done++
	}
	u.clearLive()
	u.sayPassed(s.found.Passed)
	if all := t.done + len(t.codes); all > 1 {
		u.say("%d of %s done", t.done, countOf(int64(all), "file"))
	}
	return t.err()
}

// file makes the noisy file of an item.
func (f *noiseAddFlags) file(ctx context.Context, to batch.Output, it batch.Item) error {
	format, known := imageio.OutputFormatOf(it.Out)
	if !known {
		return fileError{it.Path, fmt.Errorf("%w: the output %s is not named like an image", imageio.ErrUnsupported,
			it.Out)}
	}
	wrote := false
	_, err := to.Make(it, imageio.WriteOptions{Format: format, White: f.read.White, Context: ctx},
		func(t batch.Task) error {
			read := f.read.ReadOptions
			read.Root, read.Context = t.InRoot, ctx
			img, err := readImage(t.In, false, read)
			if err != nil {
				return err
			}
			wrote = true
			if f.camera.use {
				return f.photograph(ctx, img, filepath.Base(it.Path), t.Out, t.Options)
			}
			noisy, err := unlessEnded(ctx, func() *imageio.Image { return f.noisy(img, filepath.Base(it.Path)) })
			if err != nil {
				return err
			}
			return f.write(t.Out, noisy, t.Options)
		})
	if err == nil {
		return nil
	}
	var clean cleanError
	if errors.As(err, &clean) {
		return clean
	}
	var named fileError
	if errors.As(err, &named) { // by its path in an open folder
		err = named.err
	}
	if wrote {
		return fileError{it.Out, err}
	}
	return fileError{it.Path, err}
}

// write writes an image, as floats if that was asked for.
func (f *noiseAddFlags) write(path string, img *imageio.Image, o imageio.WriteOptions) error {
	switch {
	case f.float:
		img.Depth = imageio.DepthFloat32
	case img.Depth < imageio.Depth8: // too few levels for noise
		img.Depth = imageio.Depth8
	}
	return imageio.Write(path, img, o)
}

// noisy returns the image with noise.
func (f *noiseAddFlags) noisy(img *imageio.Image, name string) *imageio.Image {
	if !f.poisson {
		return withNoise(img, f.sigma, f.seed, name)
	}
	n, full, rng := f.photons, img.FullScale(f.read.White), noise.Source(f.seed, name)
	return changed(img, func(dst, src []float32) {
		noise.AddPhotons(dst, src, n.Gain/full, n.Offset/full, n.ReadNoise/full, rng)
	})
}
