package kernel

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
)

// Variable names the environment variable that selects a backend at start.
const Variable = "BLORC_KERNEL"

// ErrUnsupported is the kind of error of a backend that does not exist, or not on this computer.
var ErrUnsupported = errors.New("unsupported kernel")

// backend is one implementation of the loops. The functions are described at their plain Go versions.
type backend struct {
	name string
	tile int // rows of a that Pack interleaves

	mul          func(c, a, b []float32, rows, cols int)
	primalStep   func(x, a, b, y, scale []float32, rows, cols int)
	dual         func(u, a, b, q, bounds []float32, rows, cols int)
	dualStep     func(v, a, b, q, bounds []float32, rows, cols int, c1, c2 float32)
	dualStepPair func(v, a, b, q, r, d, e, p, y []float32, rows, cols int, c1, c2, rho, scale, next float32)
	startPair    func(v, q, r, d, p, y []float32, rows int, c1, c2, rho, next float32)

	weights       func(d, e, p, y, bias, packed []float32, rows, hidden, block int, mean float32)
	countFree     func(counts, q, r, d, e, p []float32, rows int, rho float32)
	transpose     func(dst, src []float32, dstStride, srcStride int)
	gram          func(gram, block []float32, rows, stride int)
	rightMultiply func(block, m []float32, rows, stride int)
	jacobi        func(axes, gram []float32, sweeps int)

	gather     func(dst []float32, places []int, src []float32, corners []int32, stride int)
	sumPatches func(sum, src []float32, corners []int32, stride int)
	addPatches func(num, den, x []float32, places []int, window []float32, corners []int32, stride, shift int, w float32)

	peak      func(loops int)
	peakFlops int // in a loop of peak
}

var (
	names    = []string{"go", "avx2", "avx512", "neon"}
	backends = append([]*backend{&generic}, assembly()...) // the best last
	selected atomic.Pointer[backend]
	startErr error
)

func init() { startErr = start(os.Getenv(Variable)) }

// start selects the best backend, or the one that the environment variable names.
func start(name string) error {
	selected.Store(backends[len(backends)-1])
	if name == "" {
		return nil
	}
	if err := Select(name); err != nil {
		return fmt.Errorf("%s: %w", Variable, err)
	}
	return nil
}

// StartError returns what was wrong with the environment variable when the program started. The best backend runs then.
func StartError() error { return startErr }

// Available returns the backends that run on this computer, from the slowest to the fastest.
func Available() []string {
	var s []string
	for _, b := range backends {
		s = append(s, b.name)
	}
	return s
}

// Name returns the backend that Pack packs for.
func Name() string { return selected.Load().name }

// Select sets the backend of all matrices that are packed from now on; earlier ones stay with theirs. Errors are
// ErrUnsupported.
func Select(name string) error {
	b, err := find(name)
	if err == nil {
		selected.Store(b)
	}
	return err
}

func find(name string) (*backend, error) {
	for _, b := range backends {
		if b.name == name {
			return b, nil
		}
	}
	if slices.Contains(names, name) {
		return nil, fmt.Errorf("%w: %s does not run here, only %s", ErrUnsupported, name, strings.Join(Available(), ", "))
	}
	return nil, fmt.Errorf("%w: %q is none of %s", ErrUnsupported, name, strings.Join(names, ", "))
}
