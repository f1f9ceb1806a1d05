package main

import (
	"github.com/spf13/pflag"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/models"
)

// noiseFlags say what kind of noise there is.
type noiseFlags struct {
	kind    string
	photons denoise.PhotonNoise
	flags   *pflag.FlagSet
}

// noises are the kinds that --noise takes.
var noises = map[string]denoise.Noise{"auto": denoise.Auto, "gaussian": denoise.Gaussian, "camera": denoise.Camera, "poisson": denoise.Poisson}

func (n *noiseFlags) add(f *pflag.FlagSet) {
	f.StringVar(&n.kind, "noise", "auto", "gaussian (white), camera (of real photographs), poisson (of photon counts), or auto: the first or the second, by the file")
	f.Float64Var(&n.photons.Gain, "gain", 0, "levels for each photon, in the file's own unit (with --noise poisson)")
	f.Float64Var(&n.photons.Offset, "offset", 0, "level without any photon, in the file's own unit (with --noise poisson)")
	f.Float64Var(&n.photons.ReadNoise, "read-noise", 0, "standard deviation of the noise of reading, in the file's own unit (with --noise poisson)")
	n.flags = f
}

// apply completes options that have their models and sigma.
func (n *noiseFlags) apply(o *denoise.Options) error {
	kind, ok := noises[n.kind]
	if !ok {
		return usage("--noise must be auto, gaussian, camera or poisson")
	}
	name, camera := modelKind(o.Models)
	switch {
	case camera && (kind == denoise.Gaussian || kind == denoise.Poisson):
		return usage("the model %s is for the noise of cameras, not for --noise %s", name, n.kind)
	case camera:
		kind, o.Camera = denoise.Camera, o.Models
	case isShipped(o.Models) && (name == models.Default || name == models.Local):
		var err error
		if o.Camera, err = models.Named(model.CameraNoise); err != nil {
			return err
		}
	case kind == denoise.Camera:
		return usage("the model %s is not for --noise camera", name)
	}
	o.Noise = kind
	if (kind == denoise.Camera || kind == denoise.Poisson) && o.Sigma >= 0 {
		return usage("--sigma is for Gaussian noise; that of --noise camera is measured, that of --noise poisson follows from --gain")
	}
	return n.photonsOf(o)
}

// modelKind tells the name of the models, and whether they are for the noise of cameras. It loads no shipped one: a file
// that is refused by its header shall not wait for that.
func modelKind(c denoise.Chooser) (name string, camera bool) {
	switch c := c.(type) {
	case models.Family:
		return c[0].Name, c[0].Name == model.CameraNoise
	case denoise.One:
		return c.Model.Name, c.Model.Noise == model.CameraNoise
	}
	return "", false
}

func isShipped(c denoise.Chooser) bool {
	_, ok := c.(models.Family)
	return ok
}

// args are the flags that make the same noise.
func (n *noiseFlags) args() []string {
	args := []string{"--noise", n.kind}
	for _, name := range []string{"gain", "offset", "read-noise"} {
		if f := n.flags.Lookup(name); f.Changed {
			args = append(args, "--"+name, f.Value.String())
		}
	}
	return args
}

func (n *noiseFlags) photonsOf(o *denoise.Options) error {
	if o.Noise != denoise.Poisson {
		for _, name := range []string{"gain", "offset", "read-noise"} {
			if n.flags.Changed(name) {
				return usage("--%s needs --noise poisson", name)
			}
		}
		return nil
	}
	if !(n.photons.Gain > 0) {
		return usage("--noise poisson needs a positive --gain")
	}
	if !(n.photons.ReadNoise >= 0) {
		return usage("--read-noise must not be negative")
	}
	o.Photons = n.photons
	return nil
}
