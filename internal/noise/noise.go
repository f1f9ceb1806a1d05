// Package noise makes the synthetic noise that the program is trained and measured with.
package noise

import (
	"hash/fnv"
	"io"
	"math/rand/v2"
)

// Source returns the random stream that belongs to a name, a file's for
// example, under a seed. It depends on nothing else, so a file gets the same
// noise whichever files were handled before it, and on any machine.
func Source(seed uint64, name string) *rand.Rand {
	hash := fnv.New64a()
	io.WriteString(hash, name) // a hash never returns an error
	return rand.New(rand.NewPCG(seed, hash.Sum64()))
}

// AddGaussian writes src plus white Gaussian noise of standard deviation sigma
// to dst. All three have samples on a full scale of 0 to 1. The sum is neither
// clipped nor rounded, so it may leave that range. The slices must be of one
// length; dst may be src.
func AddGaussian(dst, src []float32, sigma float64, rng *rand.Rand) {
	if len(dst) != len(src) {
		panic("noise: dst and src differ in length")
	}
	for i, sample := range src {
		dst[i] = float32(float64(sample) + sigma*rng.NormFloat64())
	}
}
