//go:build !noasm

package scan

import (
	"math"

	"golang.org/x/sys/cpu"
)

var avx2 = loops{name: "avx2", maxList: math.MaxInt, scan: scanAVX2, line: lineAVX2, insert: insert}

var avx512 = loops{name: "avx512", maxList: 16, scan: scanAVX512, line: lineAVX512, insert: insertAVX512}

// assembly returns the assembly that the processor and the operating system support.
func assembly() (k []*loops) {
	x := &cpu.X86
	if x.HasAVX2 && x.HasBMI1 && x.HasPOPCNT {
		k = append(k, &avx2)
	}
	if x.HasAVX512F && x.HasBMI2 && x.HasPOPCNT {
		k = append(k, &avx512)
	}
	return k
}
