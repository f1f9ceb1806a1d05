package denoise

import (
	"context"
	"errors"
	goimage "image"
	"math"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/pilots"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// A sample that is no number is refused: it would blacken all around it.
func TestSamplesThatAreNoNumbers(t *testing.T) {
	ctx := context.Background()
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		plane := filled(20*30, func(i int) float32 { return float32(i%97) / 100 })
		plane[7*20+3] = float32(v)
		img := &imageio.Image{Width: 20, Height: 30, Planes: [][]float32{plane}, Depth: imageio.DepthFloat32}
		for name, err := range map[string]error{
			"Planes":  must.Err(Planes(ctx, [][]float32{plane}, 20, 30, Options{})),
			"Decoded": must.Err(Decoded(ctx, img, FileOptions{})),
			"Measure": must.Err(measured(ctx, img, FileOptions{})),
		} {
			if !errors.Is(err, ErrArgument) {
				t.Errorf("%s of %g: %v", name, v, err)
			}
		}
	}
}

// With a context that has ended nothing is begun, not even the measuring.
func TestEndedContextBeginsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	broken := []byte("no image")
	empty := &imageio.Image{}
	for name, err := range map[string]error{
		"Planes":        must.Err(Planes(ctx, nil, 0, 0, Options{})),
		"Decoded":       must.Err(Decoded(ctx, empty, FileOptions{})),
		"Analyse":       must.Err(Analyse(ctx, empty, FileOptions{})),
		"Part":          must.Err(new(Analysis).Part(ctx, empty, goimage.Rectangle{}, 0, Options{})),
		"File of bytes": must.Err(File(ctx, "", "a.png", FileOptions{Data: broken})),
	} {
		must.Fail(t, name, err, context.Canceled)
	}
	if _, _, err := Image(ctx, goimage.NewGray(goimage.Rectangle{}), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Image: %v", err)
	}
}

// Bad input without an error to return makes no panic either.
func TestNothingPanics(t *testing.T) {
	var none *Profile
	if err := none.Check(); !errors.Is(err, ErrArgument) {
		t.Error(err)
	}
	for _, p := range []*Profile{none, {}, {Kind: Curve, Channels: make([]ChannelNoise, 1)},
		{Version: 1, FullScale: 255, Kind: Poisson, Channels: make([]ChannelNoise, 9)}} {
		if got := p.String(); got != "no valid noise profile" {
			t.Error(got)
		}
	}
	if got := (*imageio.Image)(nil).FullScale(0); got != 1 {
		t.Error(got)
	}
}

// Helpers of the training refuse bad input, too.
func TestTrainingHelpersRefuseBadInput(t *testing.T) {
	ctx := t.Context()
	plane := func() [][]float32 { return [][]float32{make([]float32, 32*32)} }
	colour := func() [][]float32 { return [][]float32{plane()[0], plane()[0], plane()[0]} }
	picture := func(sigma float64) pilots.Picture {
		return pilots.Picture{Clean: plane(), Noisy: plane(), Width: 32, Height: 32, Sigma: sigma, Workers: 1}
	}
	m := must.Get(ModelSet{}.choose(25))(t)
	gray := patchify.NewPlane(32, 32)
	const bad = Quality(77)
	if got := bad.passes(); got != Balanced.passes() {
		t.Errorf("%d passes", got)
	}
	for name, err := range map[string]error{
		"chroma": must.Err(Pilots.Chroma(ctx, pilots.Picture{Clean: colour(), Noisy: colour(), Width: 32,
			Height: 32, Sigma: 0.1}, -1)),
		"broad":                must.Err(Pilots.Broad(ctx, picture(0.1), bad)),
		"camera level":         cameraLevelError(nil),
		"camera level, planes": cameraLevelError(&imageio.Image{Width: 32, Height: 32, Planes: [][]float32{{1}}}),
		"camera level, two":    cameraLevelError(&imageio.Image{Width: 32, Height: 32, Planes: colour()[:2]}),
		"luma":                 must.Err(Pilots.Luma(ctx, picture(math.Inf(1)), 0)),
		"pass":                 must.Err(Pilots.Pass(ctx, m, gray, 0.1, bad)),
		"pass, no model":       must.Err(Pilots.Pass(ctx, nil, gray, 0.1, Fast)),
		"pass, no sigma":       must.Err(Pilots.Pass(ctx, m, gray, 0, Fast)),
		"Decoded": must.Err(Decoded(ctx, &imageio.Image{Width: 32, Height: 32, Planes: plane()},
			FileOptions{Read: imageio.ReadOptions{White: -1}})),
	} {
		must.Fail(t, name, err, ErrArgument)
	}
}

// Planes that are equal, or the same, are denoised as one gray plane.
func TestEqualPlanes(t *testing.T) {
	const w, h = 96, 80
	_, noisy := noisyScene(w, h, 20)
	want := clone(noisy[:2])
	o := Options{Sigma: 20, Quality: Fast}
	for _, p := range want {
		mustPlanes(t, [][]float32{p}, w, h, o)
	}
	p, q := slices.Clone(noisy[0]), slices.Clone(noisy[1])
	for name, planes := range map[string][][]float32{
		"the same":      {p, p, p},
		"equal":         clone([][]float32{noisy[0], noisy[0], noisy[0]}),
		"two are equal": {q, slices.Clone(noisy[0]), slices.Clone(noisy[0])},
	} {
		r, err := Planes(t.Context(), planes, w, h, o)
		if err != nil || r.Model == "" {
			t.Fatal(r, err)
		}
		for i := range planes {
			equal := want[0]
			if name == "two are equal" && i == 0 {
				equal = want[1]
			}
			if !slices.Equal(planes[i], equal) {
				t.Errorf("%s: plane %d is not that of a gray image", name, i)
			}
		}
	}
}

// A gain that can be no gain of a detector is a bad argument before any work.
func TestTinyGain(t *testing.T) {
	for _, n := range []PhotonNoise{{Gain: 1e-300}, {Gain: 1e-31, ReadNoise: 5}} {
		if err := (Options{Noise: Poisson, Photons: n}).Check(); !errors.Is(err, ErrArgument) {
			t.Errorf("%+v: %v", n, err)
		}
	}
	plane := filled(32*32, func(i int) float32 { return float32(i*i%97) / 100 })
	o := Options{Noise: Poisson, Quality: Fast, Photons: PhotonNoise{Gain: minGain, ReadNoise: 0.02}}
	if _, err := Planes(context.Background(), [][]float32{plane}, 32, 32, o); err != nil {
		t.Errorf("the least gain: %v", err)
	}
}

func cameraLevelError(img *imageio.Image) error {
	_, _, err := Pilots.CameraLevel(img, 1)
	return err
}
