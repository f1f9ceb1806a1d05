package main

import (
	"testing"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/burst"
)

func TestMemoryCountsTheShotsOfABurst(t *testing.T) {
	info := imageio.Info{Width: 3000, Height: 2000, Channels: 3, Pages: 1}
	one, shots := memoryFor(denoise.Options{}, 0)(info, 1), memoryFor(denoise.Options{}, 7)(info, 1)
	if shots-one != burst.PixelBytes*3000*2000 {
		t.Errorf("%d bytes with other shots, %d without", shots, one)
	}
}
