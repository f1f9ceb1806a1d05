// Package noise makes the synthetic noise with which models are trained and measured.
package noise

import (
	"hash/fnv"
	"io"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// Source returns the stream of random numbers for a seed and a name, such as the name of a file. It depends on nothing
// else, so a file gets the same noise on every machine and in whatever order files are processed.
func Source(seed uint64, name string) *rand.Rand {
	hash := fnv.New64a()
	io.WriteString(hash, name) // a hash never returns an error
	return rand.New(rand.NewPCG(seed, hash.Sum64()))
}

// AddGaussian writes src plus white Gaussian noise of standard deviation sigma to dst. sigma is on the scale of the
// samples, usually 0 to 1. The sum is neither clipped nor rounded, so it may leave that range. AddGaussian panics if
// the slices differ in length. dst may be src.
func AddGaussian(dst, src []float32, sigma float64, rng *rand.Rand) {
	if len(dst) != len(src) {
		panic("noise: dst and src differ in length")
	}
	for i, sample := range src {
		dst[i] = float32(float64(sample) + sigma*rng.NormFloat64())
	}
}

// AddPhotons writes src with the noise of a photon counter to dst: each sample of the mean v becomes gain times a
// Poisson variable of mean (v-offset)/gain, plus offset, plus Gaussian noise of standard deviation readNoise. All are
// on the scale of the samples, and gain is positive. Samples below offset have no photons. AddPhotons panics if the
// slices differ in length. dst may be src.
func AddPhotons(dst, src []float32, gain, offset, readNoise float64, rng *rand.Rand) {
	if len(dst) != len(src) {
		panic("noise: dst and src differ in length")
	}
	for i, sample := range src {
		photons := 0.0
		if mean := (float64(sample) - offset) / gain; mean > 0 {
			photons = distuv.Poisson{Lambda: mean, Src: rng}.Rand()
		}
		dst[i] = float32(gain*photons + offset + readNoise*rng.NormFloat64())
	}
}
