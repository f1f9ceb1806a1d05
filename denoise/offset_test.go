package denoise

import (
	"slices"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// An offset above all samples leaves a picture of one level, so there is a warning.
func TestOffsetAboveAllSamplesIsTold(t *testing.T) {
	for _, c := range []struct {
		offset, read float64
		told         bool
	}{{100, 0, false}, {300, 0, true}, {300, 5, false}} {
		img := &imageio.Image{Width: 16, Height: 16, Planes: [][]float32{make([]float32, 256)}, Depth: imageio.Depth8}
		for i := range img.Planes[0] {
			img.Planes[0][i] = float32(i) / 255
		}
		o := FileOptions{Options: Options{Noise: Poisson, Photons: PhotonNoise{Gain: 2, Offset: c.offset,
			ReadNoise: c.read}, Quality: Fast}}
		mustDecoded(t, img, o)
		if told := slices.ContainsFunc(img.Warnings, func(w string) bool {
			return strings.Contains(w,
				"below the offset")
		}); told != c.told {
			t.Errorf("offset %g, read noise %g: told is %v", c.offset, c.read, told)
		}
	}
}
