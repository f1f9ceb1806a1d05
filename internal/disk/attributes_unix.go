//go:build unix

package disk

import (
	"os"
	"syscall"
)

// copyOwner gives a file the owner and group of another, as far as this user may. A group alone may be possible.
func copyOwner(to *os.File, from os.FileInfo) {
	s, ok := from.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	if to.Chown(int(s.Uid), int(s.Gid)) != nil {
		to.Chown(-1, int(s.Gid))
	}
}
