package view

import (
	"testing"

	"github.com/blorc-denoise/blorc-denoise/denoise"
)

// What the page shows and saves has the level that was given, and a profile as long as no other noise is chosen.
func TestSettingsKeepTheLevel(t *testing.T) {
	for _, noise := range []denoise.Noise{denoise.Gaussian, denoise.Camera} {
		o := denoise.Options{Noise: noise, Sigma: 10}
		got, err := settingsOf(o).options(denoise.Options{})
		if err != nil || got.Sigma != 10 || got.Noise != noise || settingsOf(o).run().Sigma != 10 {
			t.Errorf("%v: %+v, %v", noise, got, err)
		}
	}
	base := denoise.Options{Profile: &denoise.Profile{}}
	s := settingsOf(base)
	if got, _ := s.options(base); got.Profile == nil {
		t.Error("no profile")
	}
	s.Noise = denoise.None
	if got, err := s.options(base); got.Profile != nil || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
}
