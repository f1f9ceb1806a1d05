package watch

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// chooseOutput returns the name of the output of a job: the name of the input or, if that is taken, the same with digits of the
// job's ID. A name that this job chose before is kept even if there is a file now. The file can be the output of this job, if the
// daemon died before it wrote that into the ledger. Work finds out, since it never replaces other bytes.
func chooseOutput(root *os.Root, name string, id ID, before string) (string, error) {
	names := []string{name, withID(name, id, 8), withID(name, id, 32)}
	if before != "" {
		if err := removeReserved(root, before); err != nil {
			return "", err
		}
		return before, disk.FromRoot(root).Make(path.Dir(before))
	}
	if err := disk.FromRoot(root).Make(path.Dir(name)); err != nil {
		return "", err
	}
	for _, n := range names {
		if _, err := root.Lstat(filepath.FromSlash(n)); os.IsNotExist(err) {
			return n, nil
		} else if err != nil {
			return "", err
		}
	}
	return names[len(names)-1], nil
}

// nextOutput returns the name to try after one that turned out to be taken.
func nextOutput(name, taken string, id ID) string {
	if taken == name {
		return withID(name, id, 8)
	}
	return withID(name, id, 32)
}

// withID inserts digits of the ID before the extension, and shortens names that are too long for a file system.
func withID(name string, id ID, digits int) string {
	const longest = 255
	folder, base := path.Split(name)
	ext := path.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	tag := fmt.Sprintf("-%s%s", id.String()[:digits], ext)
	if len(stem)+len(tag) > longest && len(tag) < longest {
		stem = strings.ToValidUTF8(stem[:longest-len(tag)], "")
	}
	return folder + stem + tag
}

// removeReserved removes an empty file of that name, which a killed job leaves on a file system without hard links.
func removeReserved(root *os.Root, name string) error {
	info, err := root.Lstat(filepath.FromSlash(name))
	if err != nil || info.Size() > 0 || !info.Mode().IsRegular() {
		return nil // the job will find out what it is
	}
	return root.Remove(filepath.FromSlash(name))
}
