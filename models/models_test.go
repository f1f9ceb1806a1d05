package models

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
)

func TestShippedModelsLoadAndMatchTheirNames(t *testing.T) {
	shipped := map[string]int{}
	for _, e := range List() {
		m, err := e.Load()
		if err != nil {
			t.Errorf("%v: %v", e.Files, err)
			continue
		}
		shipped[e.Name]++
		if m.Name != e.Name || m.Sigma != e.Sigma {
			t.Errorf("%v hold %s %g", e.Files, m.Name, m.Sigma)
		}
		if m.Training == "" || m.Licence == "" {
			t.Errorf("%v do not say how they were trained and licensed", e.Files)
		}
		if e.Name+fmt.Sprintf("-%g.safetensors", e.Sigma) == e.Files[0] &&
			(m.Validation == "" || m.ValidationPSNR == 0) {
			t.Errorf("%v does not say how it was validated", e.Files)
		}
	}
	want := map[string]int{"luma": 1, "chroma": 1, "broad-luma": 1, "broad-chroma": 1, "local": 7, "nonlocal": 7,
		"paper": 2}
	if !maps.Equal(shipped, want) {
		t.Errorf("shipped are %v, not %v", shipped, want)
	}
	if len(sums()) != len(stored())+len(networks) {
		t.Errorf("SHA256SUMS has %d lines for %d files and %d networks", len(sums()), len(stored()), len(networks))
	}
}

// The default models are the local ones of each level, followed by three passes.
func TestPassesFollowLocalStages(t *testing.T) {
	local := must.Get(Named(Local))(t)
	whole := must.Get(Named(Default))(t)
	for i, e := range whole {
		m := must.Get(e.Load())(t)
		l := must.Get(local[i].Load())(t)
		before, passes := m.Stages.Split()
		if n := passes.Steps(stage.Options{}).Passes(); !slices.Equal(before, l.Stages) || n != 3 {
			t.Errorf("sigma %g: %d local stages in place of %d, and %d passes", e.Sigma, len(before), len(l.Stages), n)
		}
	}
}

func TestNetworksAreForGrayAndColour(t *testing.T) {
	for _, e := range Networks() {
		n, err := e.load()
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
			continue
		}
		image := slices.Repeat([][]float32{{0}}, e.Planes)
		if err := n.DenoiseUneven(t.Context(), image, nil, 1, 1, 0.1, 1, nil); err != nil {
			t.Errorf("%s is for %d planes, its file for others: %v", e.Name, e.Planes, err)
		}
		for _, size := range [][2]int{{1, 1}, {700, 400}, {5000, 90}} {
			got, want := e.Memory(size[0], size[1], 3), n.Memory(size[0], size[1], 3)
			if got != want {
				t.Errorf("%s takes %d bytes for %v, its file %d", e.Name, got, size, want)
			}
		}
	}
	for planes, want := range map[int][2]string{1: {"unet-gray", "unet-gray-small"}, 3: {"unet-colour", "unet-colour"},
		2: {"", ""}} {
		for i, small := range []bool{false, true} {
			if e, ok := NetworkFor(planes, small); e.Name != want[i] || ok != (want[i] != "") {
				t.Errorf("%d planes, small %t: %q, %t", planes, small, e.Name, ok)
			}
		}
	}
	if len(NetworkDigest()) != 64*len(Networks()) {
		t.Errorf("the digest is %q", NetworkDigest())
	}
}

func TestChooseReturnsTheNearestRatio(t *testing.T) {
	f := must.Get(Named(Local))(t)
	for sigma, want := range map[float64]float64{0.1: 5, 5: 5, 7: 5, 7.2: 10, 12: 10, 12.5: 15, 19: 15, 20: 25.5,
		31: 25.5, 32: 38.25, 60: 50, 62: 75, 500: 75} {
		m := must.Get(f.Choose(sigma))(t)
		if m.Sigma != want {
			t.Errorf("sigma %g: the model for %g, want %g", sigma, m.Sigma, want)
		}
	}
}

func TestNamedRefusesUnknownNames(t *testing.T) {
	if _, err := Named("none"); err == nil {
		t.Error("accepted")
	}
	if _, err := (Family{}).Choose(10); err == nil {
		t.Error("chosen from an empty family")
	}
}

func ExampleNamed() {
	family, err := Named(Default)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := family.Choose(20)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Name, m.Sigma)
	// Output: nonlocal 25.5
}

// What a caller does to a model or to the list changes no other call.
func TestCallersShareNothing(t *testing.T) {
	name, sigma := List()[0].Name, List()[0].Sigma
	List()[0].Sigma = 99
	if got := List()[0]; got.Name != name || got.Sigma != sigma {
		t.Errorf("the first model is now %v", got)
	}
	for _, e := range List() {
		m := must.Get(e.Load())(t)
		want := len(m.Stages)
		m.Stages[0], m.Stages = nil, nil
		again, err := e.Load()
		if err != nil || len(again.Stages) != want || again.Stages[0] == nil {
			t.Errorf("%s has %d stages after a caller changed its own, %v", e.Files, len(again.Stages), err)
		}
	}
}
