package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// Exchange swaps the files of two names, so that neither name is absent at any instant. Where the system or the file system
// cannot, the error is not nil and nothing has changed.
func (f *Folder) Exchange(a, b string) error {
	d, err := f.names.OpenFile(".", os.O_RDONLY, 0)
	if err != nil {
		return f.named(err, ".")
	}
	defer d.Close()
	return f.named(os.NewSyscallError("exchange", unix.Renameat2(int(d.Fd()), a, int(d.Fd()), b, unix.RENAME_EXCHANGE)), a)
}
