package main

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/models"
)

// readFlags are the flags of every command that reads images.
type readFlags struct{ imageio.ReadOptions }

func (r *readFlags) add(f *pflag.FlagSet) {
	f.Float64Var(&r.White, "white", 1, "full scale of the samples of float TIFF files, a gray `LEVEL`, often 1 or 255")
	r.MaxPixels = imageio.DefaultMaxPixels
	f.Var(numberValue(&r.MaxPixels, "P"), "max-pixels",
		"refuse images with more pixels than this `NUMBER`, such as 2M")
	f.Var(numberValue(&r.MaxBytes, "B"), "max-bytes",
		"refuse files of more bytes than this `SIZE`, such as 4G (default no limit)")
	f.Var(either(&r.KeepDamaged, "refuse|keep", "refuse", "keep"), "on-damaged",
		"what to do with a JPEG, PNG or TIFF file that is cut short or damaged: refuse it, or keep the readable part "+
			"of the picture, with a warning")
}

// addEmpty adds the flags about samples that carry no picture to commands that find or remove noise.
func (r *readFlags) addEmpty(f *pflag.FlagSet) {
	f.Var(either(&r.KeepInvalid, "refuse|keep", "refuse", "keep"), "on-invalid",
		"what to do with a float file with samples that are NaN or infinite: refuse it, or keep those samples "+
			"unchanged, and let nothing else depend on them")
	f.Var(noDataValue(&r.NoData), "nodata", "gray `LEVEL` of missing values, or several with commas between "+
		"them: these samples stay unchanged, and nothing else depends on them (default: from the tag of the file, or "+
		"found)")
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
	sigma   float64 // of --sigma; autoSigma = found
	model   string
	profile string // file of a noise profile; "" = none
	flags   *pflag.FlagSet
}

func (s *solverFlags) add(f *pflag.FlagSet) {
	s.flags, s.sigma = f, autoSigma
	f.Var(s.noiseValue(), "noise",
		"`KIND` of noise: gaussian (white), camera (real photographs), poisson (photon counts), none, auto (estimated "+
			"from the file), or the file of a noise profile (see 'noise estimate --repeat')")
	f.Float64Var(&s.Photons.Gain, "gain", 0, "gray `LEVELS` of the file for each photon (with --noise poisson)")
	f.Float64Var(&s.Photons.Offset, "offset", 0,
		"gray `LEVEL` of the file without photons (with --noise poisson)")
	f.Float64Var(&s.Photons.ReadNoise, "read-noise", 0,
		"standard deviation of the read noise, in gray `LEVELS` of the file (with --noise poisson)")
	f.Var(strengthValue(&s.Keep), "strength",
		"`SHARE` of the noise to remove: 0 keeps the input, 1 gives the denoised image, in between a blend")
	f.Var(strengthValue(&s.KeepLuma), "luma", "`SHARE` of the noise in the brightness to remove, times --strength")
	f.Var(strengthValue(&s.KeepChroma), "chroma", "`SHARE` of the noise in the colours to remove, times --strength")
	f.Var(shareValue(&s.Grain), "grain", "`SHARE` of the removed fine noise to add back to the brightness, 0 to 1")
	f.Var(either(&s.RemoveHot, "WHAT", "keep", "remove"), "hot",
		"`WHAT` to do with hot and dead pixels, far outside the range of the picture: keep them unchanged, or "+
			"remove them")
	f.BoolVar(&s.KeepMean, "keep-mean", false,
		"do not correct the brightness of photographs, which camera noise makes darker (and black brighter)")
	f.TextVar(&s.Quality, "quality", denoise.Balanced, "`QUALITY`: fast, balanced or best")
	f.IntVar(&s.Stride, "stride", 0,
		"`DISTANCE` of neighbouring patches of local stages, 1 (best) to 8 (fastest), instead of that of --quality")
	f.IntVarP(&s.Workers, "workers", "j", 0, "`NUMBER` of processors to use (default all)")
}

// addSigma adds the flag for the level of the noise.
func (s *solverFlags) addSigma(f *pflag.FlagSet) {
	f.VarP(sigmaValue(&s.sigma), "sigma", "s", "standard deviation of the noise in gray levels of 0-255, whatever the "+
		"bit depth (with --noise camera, two to three times that), or auto")
}

// noiseValue takes the noise to remove: a kind, or the file of a profile. As with models, the name of a file has a dot
// or a separator.
func (s *solverFlags) noiseValue() pflag.Value {
	show := func(s solverFlags) string {
		if s.profile != "" {
			return s.profile
		}
		return s.Noise.String()
	}
	return value[solverFlags]{s, "KIND", show, func(text string) (solverFlags, error) {
		got := *s
		got.profile, got.Noise = text, denoise.Auto
		if isModelFile(text) {
			return got, nil
		}
		got.profile = ""
		if err := got.Noise.UnmarshalText([]byte(text)); err != nil || got.Noise == denoise.Curve {
			return got, errors.New("must be auto, gaussian (white noise), camera (also of film, scans and JPEG), " +
				"poisson (photon noise) or none, or the file of a noise profile")
		}
		return got, nil
	}}
}

// options completes the options for the model of a name, or in a file, and checks them.
func (s *solverFlags) options(model string) (o denoise.Options, err error) {
	o = s.Options
	if o.Models, err = chooser(model); err != nil {
		return o, err
	}
	if s.profile != "" {
		if o.Profile, err = denoise.LoadProfile(s.profile); err != nil {
			return o, fileError{s.profile, err}
		}
	}
	switch {
	case o.Photons.Gain == 0 && s.flags.Changed("gain"): // without the flag, 0 means that it is found
		return o, usage("--gain must be positive")
	case s.sigma > 0:
		o.Sigma = s.sigma
	case s.sigma == 0 && (o.Noise == denoise.Camera || o.Noise == denoise.Poisson):
		return o, usage("--sigma 0 means that there is no noise")
	case s.sigma == 0:
		o.Noise = denoise.None
	}
	if err := o.Check(); err != nil {
		return o, usage("%v", err)
	}
	return o, nil
}

// fileFlags are the flags of every command that denoises files.
type fileFlags struct {
	read   readFlags
	write  writeFlags
	solver solverFlags
	copies bool // files and pages of unsupported kinds, unchanged
}

func (f *fileFlags) add(flags *pflag.FlagSet) {
	f.solver.add(flags)
	f.solver.addSigma(flags)
	flags.StringVarP(&f.solver.model, "model", "m", models.Default,
		"`NAME` of a shipped model (see 'model list'), or a model file")
	flags.BoolVar(&f.solver.Wrap, "wrap", false,
		"the picture is a texture that repeats: each side continues at the opposite one")
	flags.BoolVar(&f.solver.Interlaced, "interlaced", false,
		"the pictures are frames of interlaced video: denoise both fields apart")
	f.write.add(flags)
	f.read.add(flags)
	f.read.addEmpty(flags)
}

func (f *fileFlags) addUnsupported(flags *pflag.FlagSet) {
	flags.Var(either(&f.copies, "WHAT", "fail", "copy"), "on-unsupported",
		"`WHAT` to do with files and pages whose kind is not supported: fail, or copy them as they are")
}

// options checks the flags and returns the options for denoising.
func (f *fileFlags) options() (o denoise.Options, err error) {
	if err := f.write.check(); err != nil {
		return o, err
	}
	if err := f.read.check(); err != nil {
		return o, err
	}
	return f.solver.options(f.solver.model)
}

// fileOptions returns how files are denoised. How they are written depends on the name of the output.
func (f *fileFlags) fileOptions(o denoise.Options) denoise.FileOptions {
	return denoise.FileOptions{Options: o, Read: f.read.ReadOptions, CopyUnsupported: f.copies,
		NoDither: f.write.noDither}
}

// readAny returns how files are read, some pages of which may only be copied.
func (f *fileFlags) readAny() imageio.ReadOptions {
	o := f.read.ReadOptions
	o.SkipUnsupported = f.copies
	return o
}

// isModelFile tells the name of a file, which has a dot or a separator, from a word that has a meaning.
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
