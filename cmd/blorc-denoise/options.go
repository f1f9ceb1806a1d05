package main

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
)

const sigmaHelp = "standard deviation of the noise in gray levels of 0-255, whatever the bit depth (with " +
	"--noise camera, two to three times that), or auto"

// sigmaValue is a flag that takes a number of gray levels or "auto".
type sigmaValue float64

// autoSigma asks for the noise level to be found in the image.
const autoSigma = sigmaValue(-1)

func (s *sigmaValue) String() string {
	if *s < 0 {
		return "auto"
	}
	return strconv.FormatFloat(float64(*s), 'g', -1, 64)
}

func (s *sigmaValue) Set(text string) error {
	if text == "auto" {
		*s = autoSigma
		return nil
	}
	v, err := parsePercent(text, 255)
	if err != nil || !(v >= 0) || math.IsInf(v, 0) {
		return errors.New("must be a number of gray levels (of 0-255) or auto")
	}
	*s = sigmaValue(v)
	return nil
}

func (s *sigmaValue) Type() string { return "LEVELS" }

// readFlags are the flags of every command that reads images.
type readFlags struct{ imageio.ReadOptions }

func (r *readFlags) add(f *pflag.FlagSet) {
	f.Float64Var(&r.White, "white", 1, "full scale of the samples of float TIFF files, a gray `LEVEL`, often 1 or 255")
	r.MaxPixels = imageio.DefaultMaxPixels
	f.Var(numberValue{n: &r.MaxPixels, unit: "P"}, "max-pixels",
		"refuse images with more pixels than this `NUMBER`, such as 2M")
	f.Var(numberValue{n: &r.MaxBytes, unit: "B"}, "max-bytes",
		"refuse files of more bytes than this `SIZE`, such as 4G (default no limit)")
	addOnDamaged(f, &r.KeepDamaged)
}

func (r *readFlags) check() error {
	if !(r.White > 0) || math.IsInf(r.White, 0) {
		return usage("--white must be positive")
	}
	return nil
}

// solverFlags are the flags of every command that runs a model.
type solverFlags struct {
	denoise.Options
	profile string // file of a noise profile; "" = none
	flags   *pflag.FlagSet
}

func (s *solverFlags) add(f *pflag.FlagSet) {
	s.flags = f
	f.Var((*noiseValue)(s), "noise",
		"`KIND` of noise: gaussian (white), camera (real photographs), poisson (photon counts), none, auto (estimated "+
			"from the file), or the file of a noise profile (see 'noise estimate --repeat')")
	f.Float64Var(&s.Photons.Gain, "gain", 0, "gray `LEVELS` of the file for each photon (with --noise poisson)")
	f.Float64Var(&s.Photons.Offset, "offset", 0,
		"gray `LEVEL` of the file without photons (with --noise poisson)")
	f.Float64Var(&s.Photons.ReadNoise, "read-noise", 0,
		"standard deviation of the read noise, in gray `LEVELS` of the file (with --noise poisson)")
	f.Var((*strengthValue)(&s.Keep), "strength",
		"`SHARE` of the noise to remove: 0 keeps the input, 1 gives the denoised image, in between a blend")
	f.Var((*strengthValue)(&s.KeepLuma), "luma", "`SHARE` of the noise in the brightness to remove, times --strength")
	f.Var((*strengthValue)(&s.KeepChroma), "chroma", "`SHARE` of the noise in the colours to remove, times --strength")
	f.Var((*shareValue)(&s.Grain), "grain", "`SHARE` of the removed fine noise to add back to the brightness, 0 to 1")
	f.Var((*hotValue)(&s.RemoveHot), "hot", hotHelp)
	f.BoolVar(&s.KeepMean, "keep-mean", false,
		"do not correct the brightness of photographs, which camera noise makes darker (and black brighter)")
	f.TextVar(&s.Quality, "quality", denoise.Balanced, "`QUALITY`: fast, balanced or best")
	f.IntVar(&s.Stride, "stride", 0,
		"`DISTANCE` of neighbouring patches of local stages, 1 (best) to 8 (fastest), instead of that of --quality")
	f.IntVarP(&s.Workers, "workers", "j", 0, "`NUMBER` of processors to use (default all)")
}

// options completes the options and checks them.
func (s *solverFlags) options(models denoise.ModelSet, sigma sigmaValue) (denoise.Options, error) {
	o := s.Options
	o.Models = models
	if err := s.loadProfile(&o); err != nil {
		return o, err
	}
	switch {
	case o.Photons.Gain == 0 && s.flags.Changed("gain"): // without the flag, 0 means that it is found
		return o, usage("--gain must be positive")
	case sigma > 0:
		o.Sigma = float64(sigma)
	case sigma == 0 && (o.Noise == denoise.Camera || o.Noise == denoise.Poisson):
		return o, usage("--sigma 0 means that there is no noise")
	case sigma == 0:
		o.Noise = denoise.None
	}
	if err := o.Check(); err != nil {
		return o, usage("%v", err)
	}
	return o, nil
}

// strengthValue is a flag for the share of the noise that is removed; its value is the share that is kept.
type strengthValue float64

func (s *strengthValue) String() string { return strconv.FormatFloat(1-float64(*s), 'g', -1, 64) }

func (s *strengthValue) Set(text string) error {
	v, err := parsePercent(text, 1)
	if err != nil || !(v >= 0 && v <= 1) {
		return errors.New("must be between 0 and 1; 0.8 is 80 %")
	}
	*s = strengthValue(1 - v)
	return nil
}

func (s *strengthValue) Type() string { return "SHARE" }

// isModelFile tells the name of a file, which has a dot or a separator, from that of shipped models.
func isModelFile(name string) bool { return strings.ContainsAny(name, `./\`) }

// chooser returns the shipped models of a name, or the model in a file.
func chooser(name string) (denoise.ModelSet, error) {
	if !isModelFile(name) {
		s, err := denoise.ShippedModels(name)
		if err != nil {
			return s, unknownModel(name, err)
		}
		return s, nil
	}
	s, err := denoise.LoadModel(name)
	if err != nil {
		return s, fileError{name, err}
	}
	return s, nil
}

// unknownModel is the error for a name that no shipped model has. It says how to name a file that has it.
func unknownModel(name string, err error) error {
	if info, e := os.Stat(name); e == nil && info.Mode().IsRegular() {
		return usage("%v; the file is named ./%s", err, name)
	}
	return usage("%v", err)
}

// fileError says which file an error belongs to.
type fileError struct {
	path string
	err  error
}

func (e fileError) Error() string {
	var p *fs.PathError
	if errors.As(e.err, &p) && p.Path == e.path {
		return e.path + ": " + p.Err.Error()
	}
	return e.path + ": " + e.err.Error()
}

func (e fileError) Unwrap() error { return e.err }
