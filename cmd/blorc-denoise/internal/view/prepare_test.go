package view

import (
	"errors"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/models"
)

func TestPrepare(t *testing.T) {
	local, err := denoise.ShippedModels("local")
	if err != nil {
		t.Fatal(err)
	}
	networks, err := models.Named(models.BroadLuma)
	if err != nil {
		t.Fatal(err)
	}
	m, err := networks[0].Load()
	if err != nil {
		t.Fatal(err)
	}
	m.Noise = model.CameraNoise
	camera, err := denoise.UseModel(m)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		options denoise.Options
		want    error
	}{
		"default": {},
		"local":   {denoise.Options{Models: local, Stride: 2}, nil},
		"camera":  {denoise.Options{Models: camera}, nil},
	} {
		for _, planes := range []int{1, 3} {
			if err := prepare(t.Context(), planes, c.options); !errors.Is(err, c.want) {
				t.Errorf("%s, %d planes: %v", name, planes, err)
			}
		}
	}
}

// Models are loaded for large pictures that may have noise.
func TestPrepareFor(t *testing.T) {
	large := imageio.Info{Width: 4000, Height: 3000, Channels: 3}
	for _, c := range []struct {
		info  imageio.Info
		noise denoise.Noise
		want  bool
	}{{large, denoise.Auto, true}, {large, denoise.None, false}, {imageio.Info{Width: 400, Height: 300, Channels: 1},
		denoise.Auto, false}} {
		s := newServer(t.Context(), Config{Options: denoise.Options{Noise: c.noise}}, nil)
		s.prepareFor(c.info)
		s.work.Wait()
		got := true
		s.prepared.Do(func() { got = false })
		if got != c.want {
			t.Errorf("%d x %d, %v noise: prepared %v", c.info.Width, c.info.Height, c.noise, got)
		}
	}
}
