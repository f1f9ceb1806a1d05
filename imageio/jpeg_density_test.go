package imageio

import (
	"bytes"
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
