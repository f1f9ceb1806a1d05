package kernel

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// keepSelected restores the selected backend after the test.
func keepSelected(t *testing.T) {
	name := Name()
	t.Cleanup(func() {
		if err := Select(name); err != nil {
			t.Error(err)
		}
	})
}

func TestSelect(t *testing.T) {
	keepSelected(t)
	for _, name := range Available() {
		if err := Select(name); err != nil || Name() != name {
			t.Errorf("%s: %v, selected %s", name, err, Name())
		}
		if m := Pack([]float32{1}, 1, 1); m.backend.name != name {
			t.Errorf("Pack packs for %s instead of %s", m.backend.name, name)
		}
	}
	for _, name := range append(slices.DeleteFunc(slices.Clone(names), runsHere), "", "AVX2", "sse") {
		before := Name()
		err := Select(name)
		if !errors.Is(err, ErrUnsupported) || Name() != before {
			t.Errorf("%q: %v, selected %s after %s", name, err, Name(), before)
		}
		if err != nil && !strings.Contains(err.Error(), "go") {
			t.Errorf("%v does not list the backends", err)
		}
	}
}

func runsHere(name string) bool { return slices.Contains(Available(), name) }

func TestEnvironmentSelects(t *testing.T) {
	keepSelected(t)
	best := Available()[len(Available())-1]
	for _, c := range []struct {
		value, want string
		ok          bool
	}{{"", best, true}, {"go", "go", true}, {best, best, true}, {"nonsense", best, false}} {
		err := start(c.value)
		if Name() != c.want || (err == nil) != c.ok {
			t.Errorf("%s=%s: %s, %v", variable, c.value, Name(), err)
		}
		if err != nil && !strings.HasPrefix(err.Error(), variable) {
			t.Errorf("%v does not name the variable", err)
		}
	}
}

// A matrix keeps its backend when another one is selected.
func TestMatrixKeepsItsBackend(t *testing.T) {
	keepSelected(t)
	p := newProblem(13, 5, normal(1))
	var matrices []*Matrix
	for _, name := range Available() {
		must.Do(t, Select(name))
		matrices = append(matrices, Pack(p.a, p.rows, p.cols))
	}
	want := p.want("Mul")
	for _, m := range matrices {
		Mul(p.v, m, p.x)
		for _, w := range want {
			if got := p.v[w.at]; !w.holds(got) {
				t.Fatalf("%s: %g instead of %g", m.backend.name, got, w.value)
			}
		}
	}
}

func TestNewPanels(t *testing.T) {
	panels := NewPanels(64, 1, 192, 3)
	for i, rows := range []int{64, 1, 192, 3} {
		if len(panels[i]) != rows*Lanes || cap(panels[i]) != rows*Lanes {
			t.Errorf("panel %d: %d values with capacity %d for %d rows", i, len(panels[i]), cap(panels[i]), rows)
		}
		for j := range panels[i] {
			if panels[i][j] != 0 {
				t.Fatalf("panel %d overlaps another", i)
			}
			panels[i][j] = 1
		}
	}
}
