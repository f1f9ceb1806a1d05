package denoise

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// A given level is a share of white, so there is a warning if white is not what the samples of a float file say.
func TestSamplesAboveWhiteAreTold(t *testing.T) {
	for _, c := range []struct {
		name         string
		depth        imageio.Depth
		scale, white float64
		sigma        float64
		told         bool
	}{
		{"0 to 255", imageio.DepthFloat32, 255, 0, 10, true},
		{"0 to 255 of 255", imageio.DepthFloat32, 1, 255, 10, false},
		{"0 to 1", imageio.DepthFloat32, 1, 0, 10, false},
		{"some light above white", imageio.DepthFloat32, 1.9, 0, 10, false},
		{"level to be found", imageio.DepthFloat32, 255, 0, 0, false},
		{"bytes", imageio.Depth8, 1, 0, 10, false},
	} {
		img := &imageio.Image{Width: 16, Height: 16, Planes: [][]float32{make([]float32, 256)}, Depth: c.depth}
		for i := range img.Planes[0] {
			img.Planes[0][i] = float32(c.scale * float64(i) / 255)
		}
		o := FileOptions{Options: Options{Sigma: c.sigma, Quality: Fast}, Read: imageio.ReadOptions{White: c.white}}
		mustDecoded(t, img, o)
		if told := slices.Contains(img.Warnings,
			"samples reach 255, but 1 counts as white, and the given sigma as a share of it"); told != c.told {
			t.Errorf("%s: %q", c.name, img.Warnings)
		}
	}
}

// A level that is larger than the range of the samples is told, whatever the depth.
func TestLevelsAboveTheRangeAreTold(t *testing.T) {
	for depth, want := range map[imageio.Depth]string{
		imageio.DepthFloat32: "nearly all samples lie within 0.00",
		imageio.Depth16:      "nearly all samples lie within 65",
	} {
		for scale, told := range map[float32]bool{0.001: true, 0.2: false} {
			img := &imageio.Image{Width: 16, Height: 16, Planes: [][]float32{make([]float32, 256)}, Depth: depth}
			for i := range img.Planes[0] {
				img.Planes[0][i] = scale * float32(i) / 255
			}
			mustDecoded(t, img, FileOptions{Options: Options{Sigma: 25,
				Quality: Fast}})
			if got := len(img.Warnings) == 1 && strings.HasPrefix(img.Warnings[0], want); got != told {
				t.Errorf("%v, samples up to %g: %q", depth, scale, img.Warnings)
			}
		}
	}
}

// Options of reading and writing that are out of range are bad arguments. An image must not pass for one that is not
// supported, which would be copied.
func TestFileOptionsOutOfRange(t *testing.T) {
	var file bytes.Buffer
	img := &imageio.Image{Width: 8, Height: 8, Planes: [][]float32{make([]float32, 64)}, Depth: imageio.DepthFloat32}
	must.Do(t, imageio.Encode(&file, img, imageio.WriteOptions{Format: imageio.TIFF}))
	for name, o := range map[string]FileOptions{
		"white":              {Read: imageio.ReadOptions{White: -1}},
		"white of output":    {Write: imageio.WriteOptions{White: -1}},
		"quality":            {Write: imageio.WriteOptions{Quality: 101}},
		"chroma subsampling": {Write: imageio.WriteOptions{Subsampling: 99}},
	} {
		o.CopyUnsupported = true
		must.Fail(t, name, must.Err(Stream(t.Context(), io.Discard, bytes.NewBuffer(file.Bytes()), o)), ErrArgument)
	}
}
