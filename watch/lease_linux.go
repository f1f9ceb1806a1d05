package watch

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// openForWriting asks the kernel by way of a read lease, which it grants only if nobody has the file open for writing. It
// is given back at once. Where leases are not allowed (other owners, network mounts) the answer is no.
func openForWriting(f *os.File) bool {
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	if err == nil {
		unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
	}
	return errors.Is(err, unix.EAGAIN)
}
