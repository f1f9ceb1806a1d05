package level

import (
	_ "embed"
	"sync"
)

// leastNoise is the level, in grey levels, below which networks that know clean photographs of cameras tell that there is no noise.
const leastNoise = 1.5

// orClean returns the estimate, or a lower one if the picture has next to no noise. Fine texture of clean photographs looks like the noise of
// cameras to the networks that tell the level. Others, which were trained with such photographs as well, know it, but read some real noise too
// low. So only what they tell of clean pictures counts.
func (e Estimate) orClean(planes [][]float32, width, height int, white float64, steps Steps, remove Remover, workers int) Estimate {
	if !e.Known || 255*e.Sigma < leastLevel {
		return e
	}
	if c := Predict(cleanNetworks(), planes, width, height, white, steps, remove, workers); 255*c.Sigma < leastNoise {
		c.Sigma = min(c.Sigma, e.Sigma)
		return c
	}
	return e
}

//go:embed clean.bin
var shippedClean []byte

var cleanNetworks = sync.OnceValue(func() []*Network { return mustRead(shippedClean) })
