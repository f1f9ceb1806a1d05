//go:build !noasm

package kernel

import (
	"slices"
	"testing"

	"golang.org/x/sys/cpu"
)

func init() {
	if slices.Contains(backends, &avx512VNNI) {
		intBackends = append(intBackends, &avx512) // nothing else differs
	}
}

func TestFeaturesAreNeeded(t *testing.T) {
	x := &cpu.X86
	all := []*bool{&x.HasAVX2, &x.HasFMA, &x.HasAVX512F, &x.HasAVX512DQ, &x.HasAVX512VL, &x.HasAVX512BW,
		&x.HasAVX512VNNI}
	var old []bool
	for _, f := range all {
		old = append(old, *f)
	}
	defer func() {
		for i, f := range all {
			*f = old[i]
		}
	}()
	for missing, want := range [][]*backend{{&avx512VNNI}, {&avx512VNNI}, {&avx2}, {&avx2}, {&avx2}, {&avx2},
		{&avx2, &avx512}, {&avx2, &avx512VNNI}} {
		for i, f := range all {
			*f = i != missing
		}
		if got := assembly(); !slices.Equal(got, want) {
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
