//go:build !noasm

package kernel

import (
	"testing"

	"golang.org/x/sys/cpu"
)

func TestFeaturesAreNeeded(t *testing.T) {
	x := &cpu.X86
	all := []*bool{&x.HasAVX2, &x.HasFMA, &x.HasAVX512F, &x.HasAVX512DQ, &x.HasAVX512VL}
	defer func(old []bool) {
		for i, f := range all {
			*f = old[i]
		}
	}([]bool{x.HasAVX2, x.HasFMA, x.HasAVX512F, x.HasAVX512DQ, x.HasAVX512VL})
	for missing, want := range [][]*backend{{&avx512}, {&avx512}, {&avx2}, {&avx2}, {&avx2}, {&avx2, &avx512}} {
		for i, f := range all {
			*f = i != missing
		}
		got := assembly()
		if len(got) != len(want) || got[0] != want[0] || got[len(got)-1] != want[len(want)-1] {
			t.Errorf("without feature %d: %d backends, the best is %s", missing, len(got), got[len(got)-1].name)
		}
	}
	for _, f := range all {
		*f = false
	}
	if got := assembly(); len(got) != 0 {
		t.Errorf("a processor without vectors: %s", got[0].name)
	}
}
