package denoise

// Ranges of samples within which images are measured as they are. Models are made for images of a range near 1.
const (
	leastRange = 0.5
	mostRange  = 2.0
)

// unit returns how much larger than usual the range of the samples is: 1 for most images.
func (img image) unit() float64 {
	r, _ := dynamicRange(img.planes)
	switch {
	case r == 0:
		return 1
	case r < leastRange:
		return r / leastRange
	case r > mostRange:
		return r
	}
	return 1
}

// stretched is an image with a usual range of samples: a sample v of the image is (v - low) / unit.
type stretched struct {
	image
	low, unit float64
}

// stretch returns the image itself if its range is usual, and else a copy.
func (img image) stretch(workers int) stretched {
	s := stretched{img, 0, img.unit()}
	if s.unit == 1 {
		return s
	}
	_, s.low = dynamicRange(img.planes)
	s.planes = make([][]float32, len(img.planes))
	for i, p := range img.planes {
		out := make([]float32, len(p))
		pieces(workers, len(p), func(from, to int) {
			for j, v := range p[from:to] {
				out[from+j] = float32((float64(v) - s.low) / s.unit)
			}
		})
		s.planes[i] = out
	}
	return s
}
