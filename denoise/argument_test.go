package denoise

import (
	"context"
	"errors"
	goimage "image"
	"math"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// A sample that is no number is refused: it would blacken all around it.
func TestSamplesThatAreNoNumbers(t *testing.T) {
	ctx := context.Background()
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		plane := make([]float32, 20*30)
		for i := range plane {
			plane[i] = float32(i%97) / 100
		}
		plane[7*20+3] = float32(v)
		img := &imageio.Image{Width: 20, Height: 30, Planes: [][]float32{plane}, Depth: imageio.DepthFloat32}
		for name, err := range map[string]error{
			"Planes":  second(Planes(ctx, [][]float32{plane}, 20, 30, Options{})),
			"Decoded": second(Decoded(ctx, img, FileOptions{})),
			"Measure": second(Measure(ctx, img, FileOptions{})),
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
		"Planes":        second(Planes(ctx, nil, 0, 0, Options{})),
		"Decoded":       second(Decoded(ctx, empty, FileOptions{})),
		"Analyse":       second(Analyse(ctx, empty, FileOptions{})),
		"Part":          second(new(Analysis).Part(ctx, empty, goimage.Rectangle{}, 0, Options{})),
		"FileFromBytes": second(FileFromBytes(ctx, broken, "a.png", FileOptions{})),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := Image(ctx, goimage.NewGray(goimage.Rectangle{}), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Image: %v", err)
	}
}

// Bad input without an error to return makes no panic either.
func TestNothingPanics(t *testing.T) {
	if _, err := ReadProfile(nil); !errors.Is(err, ErrArgument) {
		t.Error(err)
	}
	var none *Profile
	if err := none.Check(); !errors.Is(err, ErrArgument) {
		t.Error(err)
	}
	for _, p := range []*Profile{none, {}, {Kind: Curve, Channels: make([]ChannelNoise, 1)}, {Version: 1, FullScale: 255, Kind: Poisson, Channels: make([]ChannelNoise, 9)}} {
		if got := p.String(); got != "no valid noise profile" {
			t.Error(got)
		}
	}
	if got := FullScale(nil, 0); got != 1 {
		t.Error(got)
	}
	for _, planes := range [][][]float32{nil, {nil}, {{1}}, {{1}, {1, 2}, {1}}} {
		if got := CameraLevel(planes, 50, 50, 1); got != 0 {
			t.Errorf("level %g of %v", got, planes)
		}
	}
	plane := []float32{1, 2, 3, 4}
	RemoveBroad(plane, 50, 50, 0.1)
	RemoveBroad(plane, 2, 2, 0)
	RemoveBroad(plane, 2, 2, math.NaN())
	for i, v := range plane {
		if v != float32(i+1) {
			t.Errorf("sample %d is %g", i, v)
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
	plane := make([]float32, 32*32)
	for i := range plane {
		plane[i] = float32(i*i%97) / 100
	}
	o := Options{Noise: Poisson, Quality: Fast, Photons: PhotonNoise{Gain: leastGain, ReadNoise: 0.02}}
	if _, err := Planes(context.Background(), [][]float32{plane}, 32, 32, o); err != nil {
		t.Errorf("the least gain: %v", err)
	}
}
