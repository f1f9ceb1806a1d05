//go:build unix

package main

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// closedStdout says that standard output was closed before the program started, as far as can be known. The Go runtime
// then puts the null device in its place, open for reading and writing, and all writes to it succeed. A shell opens the
// null device for writing only, but some programs open it as Go does. So this is asked only where an image would be
// lost, and not for text.
func closedStdout(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err1 := f.Stat()
	null, err2 := os.Stat(os.DevNull)
	if err1 != nil || err2 != nil || !os.SameFile(info, null) {
		return false
	}
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR
}
