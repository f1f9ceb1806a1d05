package main

import (
	"errors"

	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// writeFlags are the flags of commands that write images.
type writeFlags struct {
	quality int
	strip   bool
	depth   int
	dither  ditherValue
	note    noteFlag
	flags   *pflag.FlagSet // of the command
}

func (w *writeFlags) add(f *pflag.FlagSet) {
	f.IntVar(&w.quality, "jpeg-quality", 0,
		"`QUALITY` of JPEG files, 1 to 100 (default: the quality of the source, but at least 90, which loses "+
			"at most 0.05 dB)")
	f.BoolVar(&w.strip, "strip", false, "leave out metadata except colour profile, gamma and resolution")
	f.IntVar(&w.depth, "depth", 0,
		"write PNG and TIFF files with at least this `NUMBER` of bits: 16 avoids steps in smooth areas "+
			"(default that of the input)")
	f.Var(&w.dither, "dither",
		"`WHEN` to dither 8-bit results: auto does so in smooth denoised areas, where steps would be visible, "+
			"off never")
	w.note.add(f)
	w.flags = f
}

func (w *writeFlags) check() error {
	if w.quality < 0 || w.quality > 100 || w.quality == 0 && w.flags.Changed("jpeg-quality") {
		return usage("--jpeg-quality must be between 1 and 100")
	}
	if w.depth != 16 && w.flags.Changed("depth") {
		return usage("--depth must be 16")
	}
	return nil
}

// options returns how an output is written. Its name decides the format if it has a known extension.
func (w *writeFlags) options(out string, white float64) imageio.WriteOptions {
	format, _ := imageio.OutputFormatOf(out)
	return imageio.WriteOptions{Format: format, Quality: w.quality, Depth: imageio.Depth(w.depth), Strip: w.strip,
		White: white, Note: w.note.text()}
}

// ditherValue is the flag --dither: whether results are not dithered.
type ditherValue bool

func (v *ditherValue) String() string {
	if *v {
		return "off"
	}
	return "auto"
}

func (v *ditherValue) Set(text string) error {
	if text != "auto" && text != "off" {
		return errors.New("must be auto or off")
	}
	*v = text == "off"
	return nil
}

func (v *ditherValue) Type() string { return "WHEN" }
