package imageio

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// leastLarge is the number of bytes for which large pages are worth a call of the system.
const leastLarge = 4 << 20

// largePages asks the system to put memory that is new into large pages. Writing to it for the first time then takes less time: most systems
// use such pages only where they are asked to.
func largePages[T byte | float32](p []T) {
	size := len(p) * int(unsafe.Sizeof(*new(T)))
	if size < leastLarge {
		return
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&p[0])), size)
	_ = unix.Madvise(bytes, unix.MADV_HUGEPAGE) // without them it is slower, and nothing else
}
