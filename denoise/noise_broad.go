package denoise

import (
	"context"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/level"
)

// broadNoise is noise without its fine part, as cameras, scanners and compressors leave it. The models for white noise remove it
// if they are told a higher level than its standard deviation. The model for camera noise knows other things about it: with that
// one, too, the mean of both results is better than either.
type broadNoise struct {
	gaussianNoise
	broad float64 // level for the camera model, on the scale of the samples
	large bool    // the image has more than mostCopied samples
}

func (n broadNoise) result() Result {
	r := n.gaussianNoise.result()
	r.Noise = Camera
	return r
}

const (
	// sameLevel is the ratio of levels up to which noise counts as white.
	sameLevel = 1.25
	// leastRatio is how many times the level for white-noise models exceeds that of the camera model, at least. The camera model
	// measures its level itself, but reads texture as noise.
	leastRatio = 4
	// leastBroad is the level of broad noise, in grey levels, that smooth pictures do not have.
	leastBroad = 0.5
	// rounding is the largest standard deviation, in steps between samples, of rounding a smooth picture.
	rounding = 0.35
	// cameraStride is the stride of the camera model. With it, the mean takes a fifth more time than the other models alone.
	cameraStride = 4
	// mostCopied is the number of samples of the largest image that is denoised twice, since that takes a copy of it.
	mostCopied = 150_000_000
)

// findBroad predicts the level for noise that may be broad. White is the level of white noise, and step the least difference of
// samples.
func findBroad(white, step float64, s stretched, o Options) foundNoise {
	broad := CameraLevel(s.planes, s.width, s.height, o.Workers)
	if o.Noise == Auto && 255*broad < leastBroad {
		if white < rounding*step {
			white = 0
		}
		return newGaussian(white*s.unit, s.unit, true)
	}
	fine := s.fine() // the networks were trained with this estimate
	e := level.Measure(s.planes, s.width, s.height, fine, o.stepsOf(s), o.Workers)
	if o.Noise == Auto && e.Sigma < sameLevel*fine {
		return newGaussian(min(white, e.Sigma)*s.unit, s.unit, true)
	}
	n := newGaussian(e.Sigma*s.unit, s.unit, true)
	if g, ok := n.(gaussianNoise); ok {
		g.notWhite = true
		return broadNoise{g, min(broad*s.unit, g.sigma/leastRatio), len(s.planes)*len(s.planes[0]) > mostCopied}
	}
	return n
}

// withSteps adds what the file of an image tells about it.
func (o Options) withSteps(img *imageio.Image) Options {
	o.steps = level.Steps(img.Steps)
	return o
}

// stepsOf returns the quantisation steps of a stretched image, if they are known.
func (o Options) stepsOf(s stretched) level.Steps {
	if s.unit != 1 {
		return level.Steps{} // stretching changed the unit
	}
	return o.steps
}

func (n broadNoise) remove(ctx context.Context, img image, o Options) (string, error) {
	second, ok := n.second(o)
	if !ok {
		return n.gaussianNoise.remove(ctx, img, o)
	}
	other := image{nil, img.width, img.height}
	for _, p := range img.planes {
		other.planes = append(other.planes, slices.Clone(p))
	}
	name, err := n.gaussianNoise.remove(ctx, img, o.part(0, 2))
	if err != nil {
		return "", err
	}
	if _, err := (cameraNoise{n.broad}).remove(ctx, other, second.part(1, 2)); err != nil {
		return "", err
	}
	for i, p := range img.planes {
		pieces(o.Workers, len(p), func(from, to int) {
			for j, v := range other.planes[i][from:to] {
				p[from+j] = (p[from+j] + v) / 2
			}
		})
	}
	return name, nil
}

// second returns the options for the camera model, or false if it does not run.
func (n broadNoise) second(o Options) (Options, bool) {
	camera, ok := o.Models.beside()
	if !ok || o.Quality == Fast || 255*n.broad < minSigma || n.large {
		return o, false
	}
	o.Models, o.Stride = camera, cameraStride
	return o, true
}

func (n broadNoise) margins(planes int, o Options) (margins, error) {
	m, err := n.gaussianNoise.margins(planes, o)
	second, ok := n.second(o)
	if err != nil || !ok {
		return m, err
	}
	other, err := cameraNoise{n.broad}.margins(planes, second)
	return m.union(other), err
}
