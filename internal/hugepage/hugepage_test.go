package hugepage

import (
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

func TestMakeGivesZeros(t *testing.T) {
	for _, n := range []int{0, 1, Min/4 - 1, Min / 4, Min + 3} {
		s := Make[float32](n)
		if len(s) != n {
			t.Fatalf("%d values, not %d", len(s), n)
		}
		for i, v := range s {
			if v != 0 {
				t.Fatalf("value %d of %d is %g", i, n, v)
			}
		}
	}
}

func TestGrowKeepsMemoryThatIsLargeEnough(t *testing.T) {
	s := Make[int32](100)
	if g := Grow(s[:3], 100); len(g) != 100 || &g[0] != &s[0] {
		t.Error("100 values do not fit in 100")
	}
	if g := Grow(s, 101); len(g) != 101 || &g[0] == &s[0] {
		t.Error("101 values fit in 100")
	}
	if g := Grow([]int32(nil), 0); len(g) != 0 {
		t.Error("no values are some")
	}
}

func TestWholePages(t *testing.T) {
	const page = 64
	memory := make([]byte, 1000)
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.IntRange(0, len(memory)-1).Draw(t, "from")
		to := rapid.IntRange(from+1, len(memory)).Draw(t, "to")
		part := whole(memory[from:to], page)
		if part == nil {
			if to-from >= 2*page {
				t.Fatalf("no page in %d bytes", to-from)
			}
			return
		}
		start := uintptr(unsafe.Pointer(&part[0]))
		end := start + uintptr(len(part))
		first := uintptr(unsafe.Pointer(&memory[0]))
		if start%page != 0 || end%page != 0 || len(part) == 0 {
			t.Fatalf("%d bytes from %x on are no pages", len(part), start)
		}
		if start < first+uintptr(from) || end > first+uintptr(to) {
			t.Fatal("pages of others")
		}
		if start-first-uintptr(from) >= page || first+uintptr(to)-end >= page {
			t.Fatal("a page is left out")
		}
	})
}
