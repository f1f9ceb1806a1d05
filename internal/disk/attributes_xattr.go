//go:build linux || darwin

package disk

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// copyExtended copies the extended attributes, which hold access control lists too. Those that this user may not set,
// or that the file system does not know, are left out.
func copyExtended(to, from *os.File) {
	src, dst := int(from.Fd()), int(to.Fd())
	size, err := unix.Flistxattr(src, nil)
	if err != nil || size == 0 {
		return
	}
	list := make([]byte, size)
	if size, err = unix.Flistxattr(src, list); err != nil {
		return
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list[:size]), "\x00"), "\x00") {
		n, err := unix.Fgetxattr(src, name, nil)
		if err != nil {
			continue
		}
		value := make([]byte, n)
		if n, err = unix.Fgetxattr(src, name, value); err == nil {
			unix.Fsetxattr(dst, name, value[:n], 0)
		}
	}
}
