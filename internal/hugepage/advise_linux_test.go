package hugepage

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// The system knows of the wish: it lists "hg" among the flags of the memory.
func TestAsksForLargePages(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("this kernel has no large pages")
	}
	large := Make[float32](Min)
	if !asked(t, &large[len(large)/2]) {
		t.Error("large memory has common pages")
	}
	runtime.KeepAlive(large)
}

// asked reports whether the memory at an address may have large pages.
func asked(t *testing.T, v *float32) bool {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	address, here := uintptr(unsafe.Pointer(v)), false
	for s := bufio.NewScanner(f); s.Scan(); {
		var from, to uintptr
		if n, _ := fmt.Sscanf(s.Text(), "%x-%x ", &from, &to); n == 2 {
			here = from <= address && address < to
		}
		if flags, ok := strings.CutPrefix(s.Text(), "VmFlags:"); ok && here {
			return slices.Contains(strings.Fields(flags), "hg")
		}
	}
	t.Fatalf("nothing is at %x", address)
	return false
}
