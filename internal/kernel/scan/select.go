package scan

import (
	"os"
	"slices"
)

// Variable names the environment variable that selects a kernel, as in package model: any other value than the name of
// one that runs here means the fastest.
const Variable = "BLORC_KERNEL"

// assemblySize is the size of the patches that the assembly is for; lines are for those of half the size.
const assemblySize = 8

var kernels = append([]*kernel{&generic}, assembly()...) // the fastest last

// choose returns the kernel for patches of a size and lists of a length.
func choose(size, count int) *kernel {
	if size != assemblySize {
		return &generic
	}
	k := kernels[len(kernels)-1]
	name := os.Getenv(Variable)
	if i := slices.IndexFunc(kernels, func(k *kernel) bool { return k.name == name }); i >= 0 {
		k = kernels[i]
	}
	if count > k.longest {
		k = &kernel{name: k.name, longest: count, scan: k.scan, line: k.line, insert: insert}
	}
	return k
}
