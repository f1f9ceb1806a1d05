package solve

import "github.com/blorc-denoise/blorc-denoise/internal/kernel"

// ErrKernel is the kind of error of a kernel that does not exist, or does not run on this computer.
var ErrKernel = kernel.ErrUnsupported

// Kernel returns the implementation of the panel solver's loops that new solvers take: go, avx2, avx512 or neon.
// Solutions differ between kernels by rounding only, and are the same bits for the same kernel.
func Kernel() string { return kernel.Name() }

// Kernels returns those that run on this computer, from the slowest to the fastest.
func Kernels() []string { return kernel.Available() }

// SelectKernel sets the kernel of the solvers that are made from now on. Errors are ErrKernel.
func SelectKernel(name string) error { return kernel.Select(name) }

// KernelStartError returns the error of the environment variable BLORC_KERNEL, which selects a kernel when the program
// starts, or nil. After an error the fastest kernel is selected.
func KernelStartError() error { return kernel.StartError() }

// KernelPeak measures the multiplications and additions of float32 that one core does in a second, in 1e9, with the
// instructions of a kernel and no memory traffic.
func KernelPeak(name string) (float64, error) { return kernel.PeakGFLOPS(name) }
