package denoise

import (
	"context"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/mask"
)

// channel is planes of a picture that are denoised together, with their noise.
type channel struct {
	image
	invalid *mask.Mask // invalid samples (see invalidSamples)
	numbers []int      // of its planes in the picture; extra planes follow the others
	noise   noiseModel
	// the name of the detector that found the noise; "" if it was given
	detector string
	chroma   *wholeChroma // made at its first use
}

// fits reports whether two channels have the same number of planes.
func (c channel) fits(other channel) bool { return len(c.planes) == len(other.planes) }

// of returns the planes of the channel in an image, or false if the image lacks them.
func (c channel) of(img *imageio.Image) (planes [][]float32, ok bool) {
	all := slices.Concat(img.Planes, img.Extra)
	if slices.Max(c.numbers) >= len(all) {
		return nil, false
	}
	return pick(all, c.numbers), true
}

// seriesNoise is the noise of each channel, the same in all images of a series.
type seriesNoise struct {
	channels []channel
	scale    float64 // of the images
}

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

// of returns the noise of a channel and the detector that found it. It is false if the series has no such channel, or
// one with another number of planes or of another scale.
func (s *seriesNoise) of(number, planes int, scale float64) (n noiseModel, detector string, ok bool) {
	if s == nil || s.scale != scale || number >= len(s.channels) || len(s.channels[number].planes) != planes {
		return n, "", false
	}
	return s.channels[number].noise, s.channels[number].detector, true
}
