package solve

import "github.com/blorc-denoise/blorc-denoise/internal/kernel"

// ErrKernel is the kind of error for a kernel that does not exist or does not run on this computer.
var ErrKernel = kernel.ErrUnsupported

// Kernel returns the name of the implementation of the inner loops that new solvers use: go, avx2, avx512 or neon.
// Solutions of different kernels differ by rounding only. The same kernel always gives the same bits.
func Kernel() string { return kernel.Name() }

// Kernels returns the names of the kernels that run on this computer, from the slowest to the fastest.
func Kernels() []string { return kernel.Available() }

// SelectKernel sets the kernel of all solvers made from now on. Errors are of the kind ErrKernel.
func SelectKernel(name string) error { return kernel.Select(name) }

// KernelStartError returns the error of the environment variable BLORC_KERNEL, which selects a kernel when the program
// starts, or nil. After an error the fastest kernel is selected.
func KernelStartError() error { return kernel.StartError() }
