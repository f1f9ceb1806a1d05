package disk

import "os"

// CopyAttributes gives a file the permissions of another, and its owner, group and extended attributes (with access
// control lists) as far as this user and the file system allow, and flushes them. Times are not copied.
func CopyAttributes(to, from *os.File) error {
	info, err := from.Stat()
	if err != nil {
		return err
	}
	copyOwner(to, info) // first, since it may take permissions away
	if err := to.Chmod(info.Mode().Perm()); err != nil {
		return err
	}
	copyExtended(to, from)
	return Flush(to)
}
