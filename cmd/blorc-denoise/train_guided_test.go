package main

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
)

// What guided stages are trained on takes long to make, so an interruption ends that too.
func TestGuidedTrainingIsInterrupted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.png")
	drawn := scenetest.Draw(64, 48)
	img := &imageio.Image{Width: 64, Height: 48, Planes: drawn[:], Depth: imageio.Depth8}
	if err := imageio.Write(path, img, imageio.WriteOptions{Format: imageio.PNG}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f := trainFlags{clean: []string{path}, steps: 1, seed: 1}
	luma := guidedFlags{pilot: denoise.Pilots.Luma, qualities: []denoise.Quality{denoise.Fast}, crops: 100_000}
	if _, err := luma.job(ctx, &ui{out: io.Discard, err: io.Discard}, &f); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was interrupted", err)
	}
}

// Some parts for chroma show an image at half its size; none for luma do, and none of small images.
func TestPartsAtHalfSize(t *testing.T) {
	img := func(width, height int) *imageio.Image {
		planes := make([][]float32, 3)
		for k := range planes {
			planes[k] = make([]float32, width*height)
		}
		return &imageio.Image{Width: width, Height: height, Planes: planes}
	}
	for _, c := range []struct {
		colour        bool
		width, height int
		halved        bool
	}{{true, 203, 171, true}, {false, 203, 171, false}, {true, 15, 40, false}} {
		sizes := map[[2]int]int{}
		for seed := range uint64(60) {
			k := guidedFlags{colour: c.colour}
			planes, w, h := k.drawClean(img(c.width, c.height), rand.New(rand.NewPCG(seed, 3)))
			if len(planes[0]) != w*h {
				t.Fatalf("%d samples of %d x %d", len(planes[0]), w, h)
			}
			sizes[[2]int{w, h}]++
		}
		whole, half := sizes[[2]int{min(guidedSide, c.width), c.height}], sizes[[2]int{c.width / 2, c.height / 2}]
		if whole+half != 60 || (half > 0) != c.halved || whole <= half {
			t.Errorf("%v: sizes %v", c, sizes)
		}
	}
}
