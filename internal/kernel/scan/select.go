package scan

import (
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
)

// assemblySize is the side of the patches that the assembly is for. The assembly of line is for half of it.
const assemblySize = 8

var kernels = append([]*loops{&generic}, assembly()...) // the fastest last

// choose returns the kernel for patches of a size and lists of count patches. It has the name of the backend that is
// selected in package kernel, or is the fastest if there is none of this name.
func choose(size, count int) *loops {
	if size != assemblySize {
		return &generic
	}
	k := kernels[len(kernels)-1]
	name := kernel.Name()
	if i := slices.IndexFunc(kernels, func(k *loops) bool { return k.name == name }); i >= 0 {
		k = kernels[i]
	}
	if count > k.maxList {
		k = &loops{name: k.name, maxList: count, scan: k.scan, line: k.line, insert: insert}
	}
	return k
}
