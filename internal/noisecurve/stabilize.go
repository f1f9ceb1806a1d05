package noisecurve

import "math"

// Stabilizer makes noise Gaussian, with a standard deviation near 1 at all levels, and takes the denoised samples back.
type Stabilizer struct {
	scale, start float64     // a sample is start + scale*x
	variance     float64     // of the noise at x = 0, in x; 0 with photons false
	photons      bool        // the noise grows with x; otherwise it is even
	clamp        bool        // nothing is below x = 0
	means        []float64   // Forward of x = (i/tableSteps)^2 with noise, on average
	curve        *curveTable // if it is not nil, nothing else counts
}

const (
	tableSteps = 16 // entries of the table for a root of x of 1
	tableEnd   = 64 // x up to which the table goes
)

// Stabilizer returns the transform for the noise of the fit. It is nil for noise of other kinds than White and Photon.
func (f Fit) Stabilizer() *Stabilizer {
	switch f.Kind {
	case White:
		return &Stabilizer{scale: f.Sigma}
	case Photon:
		return NewStabilizer(f.Gain, f.Offset, f.ReadNoise, f.Dark)
	}
	return nil
}

// NewStabilizer returns the transform for photon noise. Dark is the least mean that a sample has: the offset, or a
// level above it.
//
// From dark on it is the generalised Anscombe transform. Samples below are there by chance alone, so their noise is
// that of dark, and the transform goes on straight. Without that, the root would spread them out: at 1.5 photons of
// read noise the standard deviation would be 1.2 in the dark.
func NewStabilizer(gain, offset, readNoise, dark float64) *Stabilizer {
	dark = max(offset, dark)
	s := &Stabilizer{scale: gain, start: dark, photons: true,
		variance: (readNoise*readNoise + gain*(dark-offset)) / (gain * gain)}
	steps := int(tableSteps * math.Sqrt(tableEnd))
	for i := range steps + 1 {
		root := float64(i) / tableSteps
		s.means = append(s.means, s.mean(root*root))
	}
	return s
}

// Clamped returns a transform whose Inverse gives nothing below dark. That is right where nothing can be, since the
// numbers are known and there is no read noise. It is wrong for an offset that was found: parts that are masked may lie
// below it.
func (s *Stabilizer) Clamped() *Stabilizer {
	c := *s
	c.clamp = true
	return &c
}

// Forward returns the transformed sample.
func (s *Stabilizer) Forward(sample float64) float64 { return s.forward((sample - s.start) / s.scale) }

func (s *Stabilizer) forward(x float64) float64 {
	switch {
	case s.curve != nil:
		return s.curve.forward(x)
	case !s.photons:
		return x
	case x < 0:
		root := math.Sqrt(3.0/8 + s.variance)
		return 2*root + x/root
	}
	return 2 * math.Sqrt(x+3.0/8+s.variance)
}

// Inverse returns the sample whose noisy versions have the mean d after Forward. It is unbiased, which the algebraic
// inverse of Forward is not where there are few photons.
func (s *Stabilizer) Inverse(d float64) float64 { return s.start + s.scale*s.inverse(d) }

func (s *Stabilizer) inverse(d float64) float64 {
	n := len(s.means)
	switch {
	case s.curve != nil:
		return s.curve.inverse(d)
	case !s.photons:
		return d
	case d <= s.means[0] && s.clamp:
		return 0
	case d <= s.means[0]:
		return (d - s.means[0]) * math.Sqrt(3.0/8+s.variance)
	case d >= s.means[n-1]:
		// M. Makitalo, A. Foi 2013, and what makes it meet the table.
		return tableEnd + manyPhotons(d) - manyPhotons(s.means[n-1])
	}
	low, high := 0, n-1
	for high-low > 1 {
		if middle := (low + high) / 2; s.means[middle] <= d {
			low = middle
		} else {
			high = middle
		}
	}
	root := (float64(low) + (d-s.means[low])/(s.means[high]-s.means[low])) / tableSteps
	return root * root
}

// manyPhotons is the unbiased inverse for many photons, but for a constant.
func manyPhotons(d float64) float64 {
	root := math.Sqrt(3.0 / 2)
	return d*d/4 + root/(4*d) - 11/(8*d*d) + 5*root/(8*d*d*d)
}

// mean returns the mean of forward for a Poisson variable of mean x plus Gaussian noise.
func (s *Stabilizer) mean(x float64) float64 {
	spread := 8 * math.Sqrt(x+1)
	from, to := max(0, math.Floor(x-spread)), math.Ceil(x+spread)
	weight, sum := 0.0, 0.0
	for k := from; k <= to; k++ {
		w := poisson(k, x)
		weight += w
		sum += w * s.smoothed(k)
	}
	return sum / weight
}

// poisson returns the probability of k where the mean is x.
func poisson(k, x float64) float64 {
	if x == 0 {
		if k == 0 {
			return 1
		}
		return 0
	}
	logFactorial, _ := math.Lgamma(k + 1)
	return math.Exp(k*math.Log(x) - x - logFactorial)
}

// smoothed returns the mean of forward for Gaussian noise about x.
func (s *Stabilizer) smoothed(x float64) float64 {
	if s.variance == 0 {
		return s.forward(x)
	}
	weight, sum := 0.0, 0.0
	for z := -4.0; z <= 4; z += 0.5 {
		w := math.Exp(-z * z / 2)
		weight += w
		sum += w * s.forward(x+z*math.Sqrt(s.variance))
	}
	return sum / weight
}
