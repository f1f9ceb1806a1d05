package mask

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// marks draws a mask of some samples, and the same as a set.
func marks(t *rapid.T, n int, label string) (*Mask, map[int]bool) {
	set := map[int]bool{}
	m := New(n)
	for _, i := range rapid.SliceOf(rapid.IntRange(0, n-1)).Draw(t, label) {
		m.Mark(i)
		set[i] = true
	}
	return m, set
}

// A mask is a set of samples.
func TestSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 200).Draw(t, "n")
		a, inA := marks(t, n, "a")
		b, inB := marks(t, n, "b")
		both, rest := maps.Clone(inA), maps.Clone(inA)
		for i := range inB {
			both[i] = true
			delete(rest, i)
		}
		for name, c := range map[string]struct {
			got  *Mask
			want map[int]bool
		}{"a": {a, inA}, "union": {a.Union(b), both}, "without": {a.Without(b), rest}} {
			want := slices.Sorted(maps.Keys(c.want))
			if got := slices.Collect(c.got.All()); !slices.Equal(got, want) || c.got.Len() != len(want) {
				t.Fatalf("%s marks %v, %d of them, want %v", name, got, c.got.Len(), want)
			}
			for i := range n {
				if c.got.Has(i) != c.want[i] {
					t.Fatalf("%s: sample %d is wrong", name, i)
				}
			}
		}
	})
}

// A nil mask is one that marks nothing.
func TestNil(t *testing.T) {
	var none *Mask
	some := New(3)
	some.Mark(1)
	if none.Len() != 0 || none.Has(2) || len(slices.Collect(none.All())) > 0 {
		t.Error("nil marks something")
	}
	if none.Union(some) != some || some.Union(none) != some || some.Without(none) != some ||
		none.Without(some) != none {
		t.Error("nil changes a mask")
	}
	p := []float32{1, 2, 3}
	none.Fill(p, 3, 1)
	none.Restore(p, none.Values(p))
	if !slices.Equal(p, []float32{1, 2, 3}) {
		t.Errorf("nil changes samples to %v", p)
	}
	if none.Single(3, 1, func(int) bool { return true }).Len() > 0 {
		t.Error("nil has single samples")
	}
}

// Values come back, and nothing else changes.
func TestRestore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		levels := rapid.SampledFrom([]float32{0, 1, 2})
		p := rapid.SliceOfN(levels, 1, 100).Draw(t, "plane")
		m, _ := marks(t, len(p), "mask")
		values := m.Values(p)
		q := make([]float32, len(p))
		for i := range q {
			q[i] = 9
		}
		m.Restore(q, values)
		for i := range q {
			want := float32(9)
			if m.Has(i) {
				want = p[i]
			}
			if q[i] != want {
				t.Fatalf("sample %d is %g, not %g", i, q[i], want)
			}
		}
	})
}

// A run goes on to the first sample that differs.
func TestRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "n")
		m, marked := marks(t, n, "mask")
		first := rapid.IntRange(0, n-1).Draw(t, "first")
		for k := range rapid.IntRange(0, n-first).Draw(t, "box") {
			m.Mark(first + k)
			marked[first+k] = true
		}
		i := rapid.IntRange(0, n-1).Draw(t, "i")
		most := rapid.IntRange(0, n-i).Draw(t, "most")
		for _, want := range []bool{true, false} {
			length := 0
			for length < most && marked[i+length] == want {
				length++
			}
			if got := m.run(i, most, want); got != length {
				t.Fatalf("%d of %d samples from %d on, want %d", got, most, i, length)
			}
		}
	})
}
