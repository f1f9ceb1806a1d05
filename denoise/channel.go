package denoise

import (
	"context"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/mask"
)

// channel is planes of a picture that are denoised together, and what is known of them.
type channel struct {
	image
	empty   *mask.Mask // samples that carry no picture
	numbers []int      // of the planes, among those of the picture and then its extra planes
	noise   noiseModel
	// the name of the detector that found it; "" if it was given
	detector string
	chroma   *wholeChroma // made when it is first needed
}

// fits reports whether two channels have equally many planes.
func (c channel) fits(other channel) bool { return len(c.planes) == len(other.planes) }

// of returns the planes of a channel in an image, or false if that has no such planes.
func (c *channel) of(img *imageio.Image) (planes [][]float32, ok bool) {
	all := slices.Concat(img.Planes, img.Extra)
	if slices.Max(c.numbers) >= len(all) {
		return nil, false
	}
	return pick(all, c.numbers), true
}

// seriesNoise is the noise of all images of a series: that of each channel.
type seriesNoise struct{ channels []channel }

// noiseKey is the key of the noise of a series in a context.
type noiseKey struct{}

// withNoise returns a context for the images of a series.
func withNoise(ctx context.Context, s *seriesNoise) context.Context {
	return context.WithValue(ctx, noiseKey{}, s)
}

// sharedNoise returns the noise of the series that a context is for, or nil if each image has its own noise.
func sharedNoise(ctx context.Context) *seriesNoise {
	s, _ := ctx.Value(noiseKey{}).(*seriesNoise)
	return s
}

// of returns the noise of a channel of some planes and the detector that found it, if it is known.
func (s *seriesNoise) of(number, planes int) (n noiseModel, detector string, ok bool) {
	if s == nil || number >= len(s.channels) || len(s.channels[number].planes) != planes {
		return n, "", false
	}
	return s.channels[number].noise, s.channels[number].detector, true
}
