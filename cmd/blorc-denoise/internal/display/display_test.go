package display

import (
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

func TestOf(t *testing.T) {
	ramp := func(low, high float32) *imageio.Image {
		p := make([]float32, 10000)
		for i := range p {
			p[i] = low + (high-low)*float32(i)/float32(len(p)-1)
		}
		return &imageio.Image{Width: 100, Height: 100, Planes: [][]float32{p}, Depth: imageio.Depth16}
	}
	for _, c := range []struct {
		name      string
		img       *imageio.Image
		depth     imageio.Depth
		stretched bool
	}{
		{"a photograph", ramp(0.1, 0.9), imageio.Depth16, false},
		{"dark 16 bits", ramp(0.01, 0.03), imageio.Depth16, true},
		{"dark 8 bits", ramp(0.01, 0.03), imageio.Depth8, false},
		{"floats of another scale", ramp(-300, 4000), imageio.DepthFloat32, true},
		{"one value", ramp(0.5, 0.5), imageio.DepthFloat32, false},
	} {
		c.img.Depth = c.depth
		d := Of(c.img)
		if d.Stretched != c.stretched || (d.String() != "") != c.stretched {
			t.Errorf("%s: %+v", c.name, d)
		}
		p := c.img.Planes[0]
		if low, high := d.Value(p[0]), d.Value(p[len(p)-1]); c.stretched && (low > 20 || high < 235) {
			t.Errorf("%s: shown as %d to %d", c.name, low, high)
		}
	}
	inks := [][]float32{{0.5}, {1}, {0.2}, {0.5}}
	if r, g, b := (Range{0, 1, false}).Pixel(inks, 0); r != 64 || g != 128 || b != 26 {
		t.Error(r, g, b)
	}
}
