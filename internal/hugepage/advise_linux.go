package hugepage

import (
	"os"
	"syscall"
)

// advise asks for large pages. An error means that they are not to be had, which changes no result.
func advise(memory []byte) {
	if part := whole(memory, os.Getpagesize()); part != nil {
		_ = syscall.Madvise(part, syscall.MADV_HUGEPAGE)
	}
}
