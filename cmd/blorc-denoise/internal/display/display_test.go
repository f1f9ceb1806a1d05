package display

import (
	"image"
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

// A picture has the colours that are shown, in the part that is wanted. Smaller it has their means, and larger each
// several times.
func TestPicture(t *testing.T) {
	img := &imageio.Image{Width: 3, Height: 2, Depth: imageio.Depth8,
		Planes: [][]float32{{0, 0.2, 0.4, 0, 0.6, 1}, {1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0}}}
	area := image.Rect(1, 0, 3, 2)
	for _, c := range []struct {
		planes, width, height int
		want                  []byte // of the first channel
	}{{3, 2, 2, []byte{51, 102, 153, 255}}, {3, 1, 1, []byte{141}}, {1, 1, 2, []byte{77, 204}},
		{1, 4, 2, []byte{51, 51, 102, 102, 153, 153, 255, 255}}} {
		small := *img
		small.Planes = img.Planes[:c.planes]
		p := Resized(Range{0, 1, false}.Picture(&small, area), c.width, c.height)
		if _, gray := p.(*image.Gray); gray != (c.planes == 1) {
			t.Errorf("%+v: %T", c, p)
		}
		for i, want := range c.want {
			r, g, b, a := p.At(i%c.width, i/c.width).RGBA()
			if r>>8 != uint32(want) || a>>8 != 255 || c.planes == 3 && (g>>8 != 255 || b != 0) {
				t.Errorf("%+v: pixel %d is %d, %d, %d, %d", c, i, r>>8, g>>8, b>>8, a>>8)
			}
		}
	}
}
