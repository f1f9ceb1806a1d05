package denoise

import (
	"context"
	"slices"
	"testing"
)

// That a drawn picture has no noise is found in it; with the option None it is given.
func TestDrawnPictures(t *testing.T) {
	const width, height = 256, 192
	drawn := make([]float32, width*height)
	for i := range drawn {
		drawn[i] = 1
		if x, y := i%width, i/width; x < width/2 { // a slope on white paper
			drawn[i] = float32((x+y)/2) / 255
		}
	}
	for _, c := range []struct {
		noise Noise
		found bool
	}{{Auto, true}, {None, false}} {
		planes := [][]float32{slices.Clone(drawn)}
		o := options(t)
		o.Noise = c.noise
		r, err := Planes(context.Background(), planes, width, height, o)
		if err != nil || r.Noise != None || r.Estimated != c.found || !slices.Equal(planes[0], drawn) {
			t.Errorf("%v: %+v, %v; want none, found %v", c.noise, r, err, c.found)
		}
	}
}
