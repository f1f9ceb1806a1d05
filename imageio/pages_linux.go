package imageio

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// leastLarge is the number of samples for which large pages are worth a call of the system.
const leastLarge = 1 << 20

// largePages asks the system to put memory that is new into large pages. Writing to it for the first time then takes less time: most systems
// use such pages only where they are asked to.
func largePages(p []float32) {
	if len(p) < leastLarge {
		return
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&p[0])), 4*len(p))
	_ = unix.Madvise(bytes, unix.MADV_HUGEPAGE) // without them it is slower, and nothing else
}
