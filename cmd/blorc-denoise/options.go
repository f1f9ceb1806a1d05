package main

import (
	"errors"
	"io/fs"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/models"
)

// sigmaValue is a flag that takes a number of grey levels or "auto".
type sigmaValue float64

func (s *sigmaValue) String() string {
	if *s < 0 {
		return "auto"
	}
	return strconv.FormatFloat(float64(*s), 'g', -1, 64)
}

func (s *sigmaValue) Set(text string) error {
	if text == "auto" {
		*s = denoise.EstimateSigma
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0) || math.IsInf(v, 0) {
		return errors.New("must be a number of grey levels (of 0-255) or auto")
	}
	*s = sigmaValue(v)
	return nil
}

func (s *sigmaValue) Type() string { return "LEVELS" }

// readFlags are the flags of every command that reads images.
type readFlags struct{ imageio.ReadOptions }

func (r *readFlags) add(f *pflag.FlagSet) {
	f.Float64Var(&r.White, "white", 1, "full scale of the samples of float TIFF files, often 1 or 255")
	f.Int64Var(&r.MaxPixels, "max-pixels", imageio.DefaultMaxPixels, "refuse images with more pixels")
}

func (r *readFlags) check() error {
	if !(r.White > 0) || math.IsInf(r.White, 0) {
		return usage("--white must be positive")
	}
	if r.MaxPixels < 1 {
		return usage("--max-pixels must be positive")
	}
	return nil
}

// solverFlags are the flags of every command that runs a model.
type solverFlags struct {
	noise    noiseFlags
	strength float64
	quality  string
	stride   int
	workers  int
}

// presets are what --quality stands for: the distances of neighbouring patches where local stages are the last and where
// non-local ones follow, those of reference patches, and how many passes run.
var presets = map[string]model.Options{
	"fast":     {Stride: 4, PilotStride: 4, Passes: -1},
	"balanced": {Stride: 2, PilotStride: 3, GroupStride: 6, Passes: 1},
	"best":     {Stride: 1, PilotStride: 2},
}

func (s *solverFlags) add(f *pflag.FlagSet) {
	s.noise.add(f)
	f.Float64Var(&s.strength, "strength", 1, "0 keeps the input, 1 takes the denoised image, in between a blend")
	f.StringVar(&s.quality, "quality", "balanced", "fast, balanced or best")
	f.IntVar(&s.stride, "stride", 0, "distance of neighbouring patches of local stages, 1 (best) to 8 (fastest), instead of that of --quality")
	f.IntVarP(&s.workers, "workers", "j", 0, "number of processors to use (default all)")
}

func (s *solverFlags) options(models denoise.Chooser, sigma float64) (denoise.Options, error) {
	switch {
	case !(s.strength >= 0 && s.strength <= 1):
		return denoise.Options{}, usage("--strength must be between 0 and 1")
	case presets[s.quality].Stride == 0:
		return denoise.Options{}, usage("--quality must be fast, balanced or best")
	case s.stride < 0 || s.stride > 8:
		return denoise.Options{}, usage("--stride must be between 1 and 8")
	case s.workers < 0:
		return denoise.Options{}, usage("--workers must not be negative")
	}
	run := presets[s.quality]
	if s.stride > 0 {
		run.Stride, run.PilotStride = s.stride, s.stride
	}
	o := denoise.Options{Models: models, Sigma: sigma, Strength: s.strength,
		Stride: run.Stride, PilotStride: run.PilotStride, GroupStride: run.GroupStride, Passes: run.Passes, Workers: s.workers}
	err := s.noise.apply(&o)
	return o, err
}

// chooser returns the shipped family of a name, or the model in a file. A file has a dot or a separator in its name.
func chooser(name string) (denoise.Chooser, error) {
	if !strings.ContainsAny(name, `./\`) {
		family, err := models.Named(name)
		if err != nil {
			return nil, usage("%v", err)
		}
		return family, nil
	}
	m, err := model.Load(name)
	if err != nil {
		return nil, fileError{name, err}
	}
	return denoise.One{Model: m}, nil
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
