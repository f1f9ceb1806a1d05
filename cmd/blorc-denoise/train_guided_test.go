package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/scene"
)

// What guided stages are trained on takes long to make, so an interruption ends that too.
func TestGuidedTrainingIsInterrupted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.png")
	drawn := scene.Draw(64, 48)
	img := &imageio.Image{Width: 64, Height: 48, Planes: drawn[:], Depth: imageio.Depth8}
	if err := imageio.Write(path, img, imageio.WriteOptions{Format: imageio.PNG}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f := trainFlags{recipe: "luma", clean: []string{path}, steps: 1, crops: 100_000, seed: 1}
	if _, err := f.job(ctx, &ui{out: io.Discard, err: io.Discard}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was interrupted", err)
	}
}
