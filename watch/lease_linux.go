package watch

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// openForWriting says whether somebody has the file open for writing. It asks the kernel for a read lease, which is
// granted only if nobody has, and gives it back at once. Where leases are not allowed (files of others, network mounts)
// it says no.
func openForWriting(f *os.File) bool {
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	if err == nil {
		unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
	}
	return errors.Is(err, unix.EAGAIN)
}
