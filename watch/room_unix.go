//go:build linux || darwin

package watch

import (
	"os"

	"golang.org/x/sys/unix"
)

// isFull reports whether the file system of a folder has no free block. What it keeps for root counts for root only.
func isFull(folder string) bool {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil || s.Blocks == 0 { // some file systems do not tell
		return false
	}
	return s.Bfree == 0 || s.Bavail == 0 && os.Geteuid() != 0
}
