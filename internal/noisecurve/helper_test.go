package noisecurve

import (
	"math"
	"math/rand/v2"
)

const width, height = 256, 192

// drawn returns a picture on a scale of 0 to 1: slopes, discs, and texture in a quarter of it.
func drawn() []float32 {
	p := make([]float32, width*height)
	for i := range p {
		x, y := float64(i%width), float64(i/width)
		v := 0.5 + 0.45*math.Sin(x/40)*math.Cos(y/33)
		if dx, dy := math.Mod(x, 64)-32, math.Mod(y, 64)-32; dx*dx+dy*dy < 200 {
			v = 1.02 - v
		}
		if x > width/2 && y > height/2 {
			v += 0.1 * math.Sin(1.1*x) * math.Sin(0.9*y)
		}
		p[i] = float32(min(1, max(0, v)))
	}
	return p
}

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// mapped returns what a function makes of each sample.
func mapped(plane []float32, f func(v float64) float64) []float32 {
	out := make([]float32, len(plane))
	for i, v := range plane {
		out[i] = float32(f(float64(v)))
	}
	return out
}

// white adds Gaussian noise.
func white(clean []float32, sigma float64, rng *rand.Rand) []float32 {
	noisy := make([]float32, len(clean))
	for i, v := range clean {
		noisy[i] = v + float32(sigma*rng.NormFloat64())
	}
	return noisy
}

// eightBit clips to 0..1 and rounds to 8 bits.
func eightBit(plane []float32) []float32 {
	for i, v := range plane {
		plane[i] = float32(math.Round(255*min(1, max(0, float64(v)))) / 255)
	}
	return plane
}

// detector is what counts the photons of an image.
type detector struct{ peak, gain, offset, read float64 }

// count returns what the detector makes of a clean image, as integers of 16 bits.
func (d detector) count(clean []float32, rng *rand.Rand) []float32 {
	return mapped(clean, func(v float64) float64 {
		sample := d.gain*photons(d.peak*v, rng) + d.offset + d.read*rng.NormFloat64()
		return math.Round(min(65535, max(0, sample)))
	})
}

// variance returns that of the noise where the detector counts p photons on average, rounding included.
func (d detector) variance(p float64) float64 { return d.gain*d.gain*p + d.read*d.read + 1.0/12 }

// photons returns a Poisson variable, by the time between events.
func photons(mean float64, rng *rand.Rand) (n float64) {
	for t := rng.ExpFloat64(); t < mean; t += rng.ExpFloat64() {
		n++
	}
	return n
}

func measure(plane []float32, w, h int) Curve { return Measure([][]float32{plane}, w, h, 1) }
