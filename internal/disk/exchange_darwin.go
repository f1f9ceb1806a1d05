package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

func exchange(folder *os.File, a, b string) error {
	return unix.RenameatxNp(int(folder.Fd()), a, int(folder.Fd()), b, unix.RENAME_SWAP)
}
