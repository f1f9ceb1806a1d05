package solve

import "github.com/blorc-denoise/blorc-denoise/internal/kernel"

// Kernel returns the name of the implementation of the inner loops that new solvers use: go, avx2, avx512 or neon.
// Solutions of different kernels differ by rounding only. The same kernel always gives the same bits.
func Kernel() string { return kernel.Name() }

// KernelStartError returns the error of the environment variable BLORC_KERNEL, which selects a kernel when the program
// starts, or nil. After an error the fastest kernel is selected.
func KernelStartError() error { return kernel.StartError() }
