package main

import (
	"context"
	"os"
	"slices"

	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/batch"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/camera"
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
)

// cameraFlags are the flags of a simulated camera.
type cameraFlags struct {
	use     bool
	iso     float64
	seed    uint64
	quality int
	clean   string
}

func (f *cameraFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.use, "camera", false, "photograph the image with a simulated camera")
	flags.Float64Var(&f.iso, "iso", 3200,
		"`SENSITIVITY` of the camera: 4 times as much makes about twice the noise (with --camera)")
	flags.Uint64Var(&f.seed, "camera-seed", 0,
		"`SEED` of the settings of the camera; 0 is a typical one (with --camera)")
	flags.IntVar(&f.quality, "jpeg-quality", 92,
		"`QUALITY` of the camera's JPEG compression in 8 bits, 0 for none (with --camera)")
	flags.StringVar(&f.clean, "clean", "", "write the picture of the camera without noise to `FILE` (with --camera)")
}

func (f *cameraFlags) check(flags *pflag.FlagSet) error {
	if !f.use {
		return unwanted(flags, "needs --camera", "iso", "camera-seed", "jpeg-quality", "clean")
	}
	if err := unwanted(flags, "does not go with --camera, which makes its own noise", "sigma", "poisson", "gain",
		"offset", "read-noise"); err != nil {
		return err
	}
	switch {
	case !(f.iso >= camera.MinISO && f.iso <= camera.MaxISO):
		return usage("--iso must be between %d and %d", camera.MinISO, camera.MaxISO)
	case f.quality < 0 || f.quality > 100:
		return usage("--jpeg-quality must be between 0 and 100")
	case f.clean == "":
		return nil
	case !isImageName(f.clean):
		return usage("the output %s is not named .png, .jpg, .jpeg, .tif or .tiff", f.clean)
	}
	return nil
}

// checkClean reports that the clean picture could not be written, or would stand in the place of another file.
func (f *noiseAddFlags) checkClean(items []batch.Item) error {
	clean := f.camera.clean
	format, _ := imageio.OutputFormatOf(clean)
	_, err := os.Lstat(clean)
	switch {
	case clean == "" || len(items) == 0:
		return nil
	case len(items) > 1:
		return usage("--clean is for one image")
	case samePath(items[0].Path, clean), samePath(items[0].Out, clean):
		return usage("--clean would replace another file of this call")
	case f.float && format != imageio.TIFF:
		return usage("--float needs a --clean file named .tif or .tiff")
	case err == nil && !f.overwrite:
		return fileError{clean, os.ErrExist}
	}
	return nil
}

// unwanted reports the first of some flags that was given, and why it is wrong.
func unwanted(flags *pflag.FlagSet, why string, names ...string) error {
	for _, name := range names {
		if flags.Changed(name) {
			return usage("--%s %s", name, why)
		}
	}
	return nil
}

// camera returns the camera at its sensitivity. Pictures keep their size.
func (f *cameraFlags) camera() camera.Camera {
	c := camera.Typical(f.iso)
	if f.seed > 0 {
		c = camera.Draw(noise.Source(f.seed, "camera"))
		c.Scale, c.Half = 1, true
		c.SetISO(f.iso)
	}
	return c
}

// photograph writes what the camera makes of an image.
func (f *noiseAddFlags) photograph(ctx context.Context, img *imageio.Image, name, path string,
	o imageio.WriteOptions) error {
	c, gray := f.camera.camera(), len(img.Planes) == 1
	p := &camera.Picture{Width: img.Width, Height: img.Height, Planes: img.Planes}
	if gray {
		p.Planes = [][]float32{img.Planes[0], img.Planes[0], img.Planes[0]}
	}
	made, err := unlessEnded(ctx, func() (made struct{ noisy, clean *camera.Picture }) {
		made.noisy, made.clean = c.Develop(p, noise.Source(f.seed, name))
		return made
	})
	if err != nil {
		return err
	}
	noisy := made.noisy
	quality := 0
	if img.Depth == imageio.Depth8 && !f.float {
		quality = f.camera.quality
	}
	if quality > 0 && o.Format != imageio.JPEG {
		noisy = camera.JPEG(noisy, quality, c.Half) // which rounds to 8 bits first
	}
	o.Quality = quality
	if err := f.write(path, pictureOf(noisy, img, gray), o); err != nil || f.camera.clean == "" {
		return err
	}
	format, _ := imageio.OutputFormatOf(f.camera.clean)
	err = disk.WithParent(f.camera.clean, func() error {
		return f.write(f.camera.clean, pictureOf(made.clean, img, gray),
			imageio.WriteOptions{Format: format, White: f.read.White, Overwrite: f.overwrite})
	})
	if err != nil {
		return cleanError{fileError{f.camera.clean, err}}
	}
	return nil
}

// cleanError is the error of the clean picture, which is not that of the output.
type cleanError struct{ fileError }

// pictureOf returns the image with other samples.
func pictureOf(p *camera.Picture, img *imageio.Image, gray bool) *imageio.Image {
	out := *img
	if gray {
		p = p.Gray()
	}
	out.Planes = slices.Clone(p.Planes)
	return &out
}
