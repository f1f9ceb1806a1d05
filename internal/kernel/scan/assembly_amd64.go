//go:build !noasm

package scan

import (
	"math"

	"golang.org/x/sys/cpu"
)

var avx2 = kernel{name: "avx2", longest: math.MaxInt, scan: scanAVX2, line: lineAVX2, insert: insert}

var avx512 = kernel{name: "avx512", longest: 16, scan: scanAVX512, line: lineAVX512, insert: insertAVX512}

// assembly returns the kernels that the processor and the operating system support.
func assembly() (k []*kernel) {
	x := &cpu.X86
	if x.HasAVX2 && x.HasBMI1 && x.HasPOPCNT {
		k = append(k, &avx2)
	}
	if x.HasAVX512F && x.HasBMI2 && x.HasPOPCNT {
		k = append(k, &avx512)
	}
	return k
}
