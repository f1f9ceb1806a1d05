package imageio

import (
	"bytes"
	"math"
	"testing"
)

// A resolution by the metre, as PNG has it, becomes dots to the inch where those are whole numbers.
func TestWholeDensity(t *testing.T) {
	for _, c := range []struct{ in, want density }{
		{density{118.11, 118.11, perCentimetre}, density{300, 300, perInch}},
		{density{28.35, 28.35, perCentimetre}, density{72, 72, perInch}},
		{density{100, 100, perCentimetre}, density{100, 100, perCentimetre}},
		{density{72, 72, perInch}, density{72, 72, perInch}},
	} {
		if got, want := c.in.jfif(), c.want.jfif(); !bytes.Equal(got, want) {
			t.Errorf("%v: %v, want %v", c.in, got, want)
		}
	}
}

// A resolution that only Exif tells stays when Exif is stripped. Rows of the picture become columns.
func TestStrippedDensityOfPNG(t *testing.T) {
	file := buildPNG(1, 1, 8, pngRGB, 0, filterNone([]byte{1, 2, 3}), chunk{"eXIf", richExif(le)})
	for _, to := range []Format{PNG, JPEG} {
		got := readBack(t, decoded(t, file, ReadOptions{}), WriteOptions{Format: to, Strip: true}).Meta.shared()
		across := map[densityUnit]float64{perInch: 1, perCentimetre: 2.54}[got.density.unit]
		if x, y := got.density.x*across, got.density.y*across; got.exif != nil || math.Abs(x-150) > 0.1 ||
			math.Abs(y-300) > 0.1 {
			t.Errorf("%v: %g x %g dots to the inch", to, x, y)
		}
	}
}
