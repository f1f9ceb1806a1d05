package imageio

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// TestKeepInvalid checks that samples that are no numbers come back bit by bit from float files of all sizes, if that
// is asked for, and only then.
func TestKeepInvalid(t *testing.T) {
	odd := []float32{float32(math.NaN()), math.Float32frombits(0xffc00000), float32(math.Inf(1)), float32(math.Inf(-1))}
	for _, depth := range []Depth{DepthFloat16, DepthFloat32, DepthFloat64} {
		for _, white := range []float64{1, 255} {
			img := noise(6, 5, 3, true, Depth8, 3)
			img.Depth = depth
			for i, v := range odd {
				img.Planes[i%3][2*i+1] = v
			}
			keep := WriteOptions{Format: TIFF, KeepInvalid: true, White: white}
			data := encoded(t, img, keep)
			if _, err := Decode(data, ReadOptions{White: white}); !errors.Is(err, ErrInvalid) ||
				!errors.Is(err, ErrFormat) {
				t.Errorf("%v, without KeepInvalid: %v", depth, err)
			}
			got := must.Get(Decode(data, ReadOptions{White: white, KeepInvalid: true}))(t)
			for i, v := range odd {
				if w := got.Planes[i%3][2*i+1]; math.Float32bits(w) != math.Float32bits(v) {
					t.Errorf("%v: %x became %x", depth, math.Float32bits(v), math.Float32bits(w))
				}
			}
			if len(got.Warnings) != 1 || got.Warnings[0] != "4 samples are NaN or infinite" {
				t.Errorf("warnings %q", got.Warnings)
			}
			if again := encoded(t, got, keep); !bytes.Equal(again, data) {
				t.Errorf("%v: written again, it is another file", depth)
			}
			for name, o := range map[string]WriteOptions{"not asked for": {Format: TIFF},
				"PNG": {Format: PNG, KeepInvalid: true}, "JPEG": {Format: JPEG, KeepInvalid: true}} {
				if err := Encode(&bytes.Buffer{}, got, o); err == nil {
					t.Errorf("%v, %s: it is written", depth, name)
				}
			}
			if _, err := got.ToImage(); err == nil {
				t.Error("it becomes an image of the standard library")
			}
		}
	}
}
