package denoise

import (
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/estimate"
	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// Ranges of samples within which images are measured as they are, unless some samples are below 0. Models were trained
// on images of a range near 1.
const (
	minRange = 0.5
	maxRange = 2.0
)

// unit returns how much larger than usual the range of the samples is: 1 for most images.
func (img image) unit() float64 {
	r, _ := dynamicRange(img.planes)
	return unitOf(r)
}

// unitOf is unit for a range of the samples.
func unitOf(r float64) float64 {
	switch {
	case r == 0:
		return 1
	case r < minRange:
		return r / minRange
	case r > maxRange:
		return r
	}
	return 1
}

// normalised is an image with a usual range of samples: a sample v of the image is (v - low) / unit.
type normalised struct {
	image
	low, unit float64
	// level of white noise by package estimate, computed once for several detectors
	fine func() float64
}

// normalise returns the image itself if its range is usual, and else a copy.
func (img image) normalise(by pool) normalised {
	span, low := dynamicRange(img.planes)
	s := normalised{image: img, unit: unitOf(span)}
	if s.unit != 1 || low < 0 {
		s.low = low
		s.planes = img.scaled(s.low, s.unit, by)
	}
	planes := s.planes
	s.fine = sync.OnceValue(func() float64 { return estimate.Sigma(planes, img.width, img.height, by.workers) })
	return s
}

// scaled returns the planes with a sample v as (v - low) / unit.
func (img image) scaled(low, unit float64, by pool) [][]float32 {
	planes := make([][]float32, len(img.planes))
	for i, p := range img.planes {
		out := make([]float32, len(p))
		by.pieces(len(p), func(from, to int) {
			for j, v := range p[from:to] {
				out[from+j] = float32((float64(v) - low) / unit)
			}
		})
		planes[i] = out
	}
	return planes
}

// stabilizer returns the transform of a fit on the scale of the image.
func (s normalised) stabilizer(f noisecurve.Fit) *noisecurve.Stabilizer {
	f.Sigma, f.Gain, f.ReadNoise = f.Sigma*s.unit, f.Gain*s.unit, f.ReadNoise*s.unit
	f.Offset, f.Dark = s.low+f.Offset*s.unit, s.low+f.Dark*s.unit
	return f.Stabilizer()
}

// photonsOf returns the photon noise of a fit on the scale of the image.
func photonsOf(f noisecurve.Fit, s normalised) PhotonNoise {
	return PhotonNoise{Gain: f.Gain * s.unit, Offset: s.low + f.Offset*s.unit, ReadNoise: f.ReadNoise * s.unit}
}
