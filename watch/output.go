package watch

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// chooseOutput gives the name of the output of a job: that of the input, or, if that is taken, the same with the beginning
// of the job's ID. A name that this job had chosen before is kept, also if there is a file by now: it can be this job's, of
// a time when the daemon died before it could say so. Work can tell, since it never replaces other bytes.
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

// nextOutput is for a name that turned out to be taken.
func nextOutput(name, taken string, id ID) string {
	if taken == name {
		return withID(name, id, 8)
	}
	return withID(name, id, 32)
}

// withID puts digits of the ID before the ending, and shortens what is too long for a file system.
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

// removeReserved removes an empty file that a killed job has left under its name on a file system without hard links.
func removeReserved(root *os.Root, name string) error {
	info, err := root.Lstat(filepath.FromSlash(name))
	if err != nil || info.Size() > 0 || !info.Mode().IsRegular() {
		return nil // whatever it is, the job will meet it
	}
	return root.Remove(filepath.FromSlash(name))
}
