package guided

import (
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// bases holds the transform from patches to coefficients and its inverse, which is its transpose.
type bases struct{ forward, backward *kernel.Matrix }

// basis is made at the first use, for the kernel that is selected then.
var basis = sync.OnceValue(func() bases {
	w := solve.DCTBasisWithMean(PatchSide).W
	forward, backward := make([]float32, len(w)), make([]float32, len(w))
	for i, v := range w {
		forward[i] = float32(v)
		backward[i%Coefs*Coefs+i/Coefs] = float32(v)
	}
	return bases{kernel.Pack(forward, Coefs, Coefs), kernel.Pack(backward, Coefs, Coefs)}
})
