package main

import (
	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// writeFlags are the flags of commands that write images.
type writeFlags struct {
	quality  int
	strip    bool
	depth    imageio.Depth
	noDither bool
	note     bool           // a line in the history of outputs is wanted
	flags    *pflag.FlagSet // of the command
}

func (w *writeFlags) add(f *pflag.FlagSet) {
	f.IntVar(&w.quality, "jpeg-quality", 0,
		"`QUALITY` of JPEG files, 1 to 100 (default: the quality of the source, but at least 90, which loses "+
			"at most 0.05 dB)")
	f.BoolVar(&w.strip, "strip", false, "leave out metadata except colour profile, gamma and resolution")
	f.Var(depthValue(&w.depth), "depth",
		"`DEPTH` of PNG and TIFF files: 16 (at least 16 bits) avoids steps in smooth areas, float writes TIFF without "+
			"rounding, such as for counts and averages (default that of the input)")
	f.Var(either(&w.noDither, "WHEN", "auto", "off"), "dither",
		"`WHEN` to dither 8-bit results: auto does so in smooth denoised areas, where steps would be visible, "+
			"off never")
	f.BoolVar(&w.note, "note", false,
		"add a line to the history in the metadata of outputs: this program, its version, the noise and the "+
			"settings")
	w.flags = f
}

func (w *writeFlags) check() error {
	if w.quality < 0 || w.quality > 100 || w.quality == 0 && w.flags.Changed("jpeg-quality") {
		return usage("--jpeg-quality must be between 1 and 100")
	}
	return nil
}

// options returns how an output is written. Its name decides the format if it has a known extension.
func (w *writeFlags) options(out string, white float64) imageio.WriteOptions {
	o := imageio.WriteOptions{Quality: w.quality, Depth: w.depth, Strip: w.strip, White: white}
	o.Format, _ = imageio.OutputFormatOf(out)
	if w.note {
		o.Note = program + " " + version()
	}
	return o
}
