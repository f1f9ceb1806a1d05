package view

import (
	"context"
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

// bench is a server of a small picture and of a file that is damaged.
func bench(t *testing.T) *server {
	data := encoded(t, noisyScene(64, 48))
	c := Config{Files: make([]File, 2), Options: denoise.Options{Quality: denoise.Fast}}
	s := newServer(t.Context(), c, func() {})
	s.c.Open = func(i int) (*imageio.Reader, error) {
		return imageio.NewReader(data[:len(data)>>i], imageio.ReadOptions{})
	}
	return s
}

// A run that was cancelled reads nothing.
func TestOpenAfterTheEnd(t *testing.T) {
	s := bench(t)
	s.c.Open = func(int) (*imageio.Reader, error) {
		t.Error("the file is read")
		return nil, errors.New("read")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.open(ctx, 1, asked{}, s.c.Options); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// What is wrong with the next file is nothing to the one that is shown.
func TestReadAheadOfADamagedFile(t *testing.T) {
	s := bench(t)
	p, err := s.read(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	s.run = newRun(1, p, settings{}, s.c.Options, 0)
	s.pictures = []*picture{p}
	s.readAhead(s.run)
	if len(s.pictures) != 1 {
		t.Errorf("%d pictures", len(s.pictures))
	}
}

// Of many choices of noise, no more are remembered than there is memory for.
func TestAnalysesAreLimited(t *testing.T) {
	s := bench(t)
	p, err := s.read(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxAnalyses {
		p.analyses[settings{Sigma: float64(i + 1)}] = nil
	}
	all := denoise.FileOptions{Options: s.c.Options}
	a, err := p.analyse(t.Context(), settings{}, all)
	if err != nil || len(p.analyses) != 1 || p.analyses[settings{}] != a {
		t.Errorf("%d are remembered, %v", len(p.analyses), err)
	}
}
