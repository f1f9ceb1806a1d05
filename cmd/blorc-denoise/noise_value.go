package main

import (
	"errors"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/denoise"
)

// noiseValue is the flag for the noise to remove: a kind, or the file of a profile. As with models, the name of a file
// has a dot or a separator.
type noiseValue solverFlags

func (v *noiseValue) String() string {
	if v.profile != "" {
		return v.profile
	}
	return v.Noise.String()
}

func (v *noiseValue) Set(text string) error {
	if strings.ContainsAny(text, `./\`) {
		v.profile, v.Noise = text, denoise.Auto
		return nil
	}
	var kind denoise.Noise
	if err := kind.UnmarshalText([]byte(text)); err != nil || kind == denoise.Curve {
		return errors.New("must be auto, gaussian (white noise), camera (also of film, scans and JPEG), " +
			"poisson (photon noise) or none, or the file of a noise profile")
	}
	v.profile, v.Noise = "", kind
	return nil
}

func (v *noiseValue) Type() string { return "KIND" }

// loadProfile reads the profile, if there is one.
func (s *solverFlags) loadProfile(o *denoise.Options) error {
	if s.profile == "" {
		return nil
	}
	p, err := denoise.LoadProfile(s.profile)
	if err != nil {
		return fileError{s.profile, err}
	}
	o.Profile = p
	return nil
}
