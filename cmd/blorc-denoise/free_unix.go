//go:build linux || darwin

package main

import "golang.org/x/sys/unix"

// freeBytes returns how many bytes this user may still write to the file system of a folder, or -1 if it does not tell.
func freeBytes(folder string) int64 {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil || s.Blocks == 0 { // some file systems do not tell
		return -1
	}
	return int64(s.Bavail) * int64(s.Bsize)
}
