package kernel

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
)

// variable names the environment variable that selects a backend when the program starts. It is read nowhere else.
const variable = "BLORC_KERNEL"

// ErrUnsupported is the error for a backend that does not exist or cannot run on this computer.
var ErrUnsupported = errors.New("unsupported kernel")

// backend is one implementation of the loops. The plain Go versions have the documentation of the functions.
type backend struct {
	name string
	tile int // rows that Pack interleaves

	mul            func(c, a, b []float32, rows, cols int)
	affine         func(c, a, b, bias []float32, rows, cols int)
	rectified      func(c, a, b, bias []float32, rows, cols int)
	primalStep     func(x, a, b, y, scale []float32, rows, cols int)
	dual           func(u, a, b, q, bounds []float32, rows, cols int)
	dualStep       func(v, a, b, q, bounds []float32, rows, cols int, c1, c2 float32)
	startSingle    func(v, a, b, q, y, bounds []float32, rows, cols int, c1, c2, rho, next float32)
	dualStepSingle func(v, a, b, q, y, bounds []float32, rows, cols int, c1, c2, scale, next float32)
	dualStepPair   func(v, a, b, q, r, d, e, p, y []float32, rows, cols int, c1, c2, rho, scale, next float32)
	startPair      func(v, q, r, d, p, y []float32, rows int, c1, c2, rho, next float32)

	weights       func(d, e, p, y, bias, packed []float32, rows, hidden, block int, mean float32)
	countFree     func(counts, q, r, d, e, p []float32, rows int, rho float32)
	transpose     func(dst, src []float32, dstStride, srcStride int)
	gram          func(gram, block []float32, rows, stride int)
	rightMultiply func(block, m []float32, rows, stride int)
	jacobi        func(axes, gram []float32, sweeps int)

	gather     func(dst []float32, places []int, src []float32, corners []int32, stride int)
	sumPatches func(sum, src []float32, corners []int32, stride int)
	addTo      func(image, x []float32, places []int, corners []int32, stride int)
	addPatches func(num, den, x []float32, places []int, window []float32, corners []int32, stride int, w float32)

	logs             func(dst, v []float32)
	logsOfDifference func(dst, a, b []float32)
	logMagnitudes    func(dst, v []float32)
	solve            func(z, u, v, y, p, skip, most []float32)
	dct, inverseDCT  func(dst, src []float32)
	extractPatches   func(dst, src []float32, n, stride int)
	tileInputs       func(v, grid []float32, channels, plane, stride int)
	tileOutputs      func(grid, m, bias []float32, plane, stride int)

	largeInputs                   func(v, grid []float32, channels, plane, stride int)
	largeOutputs, addLargeOutputs func(grid, m []float32, channels, plane, stride int)
	fetch                         func(v []float32, rows, n, stride int)

	transformLines               func(dst, src []float64, n int)
	blockEnergies, patchEnergies func(sums, columns []float64, places *[PatchSide]int, n, stride int)

	integers    intLayout
	quantize    func(words []int16, scales, b []float32, rows int, limit float32)
	mulIntegers func(c []float32, a []int16, rowScales []float32, b []int16, scales []float32, rows, groups int)
}

var (
	names    = []string{"go", "avx2", "avx512", "neon"}
	backends = append([]*backend{&generic}, assembly()...) // the fastest last
	selected atomic.Pointer[backend]
	startErr error
)

func init() { startErr = start(os.Getenv(variable)) }

// start selects the named backend. If there is no name, or an unknown one, it selects the fastest.
func start(name string) error {
	selected.Store(backends[len(backends)-1])
	if name == "" {
		return nil
	}
	if err := Select(name); err != nil {
		return fmt.Errorf("%s: %w", variable, err)
	}
	return nil
}

// StartError returns the error of the environment variable when the program started, or nil. After an error the fastest
// backend runs.
func StartError() error { return startErr }

// Available returns the names of the backends that run on this computer, from the slowest to the fastest.
func Available() []string {
	var s []string
	for _, b := range backends {
		s = append(s, b.name)
	}
	return s
}

// Name returns the name of the selected backend.
func Name() string { return selected.Load().name }

// Select selects a backend by name. Matrices and weight functions that exist already keep their backend. The error is
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
		return nil, fmt.Errorf("%w: %s does not run here, only %s", ErrUnsupported, name,
			strings.Join(Available(), ", "))
	}
	return nil, fmt.Errorf("%w: %q is none of %s", ErrUnsupported, name, strings.Join(names, ", "))
}
