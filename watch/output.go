package watch

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// chooseOutput returns the name of the output of a job: the name of the input or, if that is taken, the same with
// digits of the job's ID. A name that this job chose before is kept even if there is a file now. The file can be the
// output of this job, if the daemon died before it wrote that into the ledger. Work finds out, since it never replaces
// other bytes.
func (d *Daemon) chooseOutput(name string, id ID, last record) (string, error) {
	folder := disk.FromRoot(d.out)
	// If the input got another name before anything was written, the output gets that, too.
	if before := string(last.Out); before != "" && (last.Name == fileName(name) || !d.isFree(before)) {
		if err := removeReserved(d.out, before); err != nil {
			return "", err
		}
		return before, folder.Make(path.Dir(before))
	}
	if err := folder.Make(path.Dir(name)); err != nil {
		return "", err
	}
	names := outputNames(name, id)
	for _, n := range names {
		if fit, err := d.isFreeOrUnknown(n); fit || err != nil {
			return n, err
		}
	}
	return names[len(names)-1], nil
}

// outputNames returns the names that the output of a job may get: that of its input, and longer ones.
func outputNames(name string, id ID) []string {
	return []string{name, withID(name, id, 8), withID(name, id, 32)}
}

// isFree says whether nothing has a name in the output folder.
func (d *Daemon) isFree(name string) bool {
	_, err := d.out.Lstat(filepath.FromSlash(name))
	return os.IsNotExist(err)
}

// isFreeOrUnknown says whether nothing has a name in the output folder, or a file that the ledger knows nothing of.
// Such a file can be the output of this job, made by another program or written down in a ledger that was lost. Work
// finds out. An empty file is no output, and removeReserved would take it for a remnant.
func (d *Daemon) isFreeOrUnknown(name string) (bool, error) {
	info, err := d.out.Lstat(filepath.FromSlash(name))
	switch {
	case os.IsNotExist(err):
		return true, nil
	case err != nil || info.Size() == 0 || !info.Mode().IsRegular():
		return false, err
	}
	_, known, err := d.ledger.owner(name)
	return !known && err == nil, err
}

// nextOutput returns the name to try after one that turned out to be taken.
func nextOutput(name, taken string, id ID) string {
	names := outputNames(name, id)
	if taken == name {
		return names[1]
	}
	return names[2]
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
