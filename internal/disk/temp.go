package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	tempPrefix = ".blorc-"
	tempSuffix = ".tmp"
	tempDigits = 16
)

// IsTemp says whether a file name, with or without folder, is of the kind that Write gives its temporary files:
// ".blorc-", 16 hexadecimal digits, ".tmp".
func IsTemp(name string) bool {
	rest, ok := strings.CutPrefix(filepath.Base(name), tempPrefix)
	if !ok {
		return false
	}
	digits, ok := strings.CutSuffix(rest, tempSuffix)
	return ok && len(digits) == tempDigits && strings.Trim(digits, "0123456789abcdef") == ""
}

// createTemp makes a temporary file with the permissions of a file of the user's, narrowed by the umask.
func (f *Folder) createTemp(perm fs.FileMode) (*os.File, string, error) {
	for {
		name := fmt.Sprintf("%s%016x%s", tempPrefix, rand.Uint64(), tempSuffix)
		file, err := f.names.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		if !errors.Is(err, fs.ErrExist) {
			return file, name, err
		}
	}
}

// Writable returns the error of making a file in a folder, and leaves none.
func Writable(dir string) error {
	return probe(dir, func(*Folder, string) error { return nil })
}

// FoldsCase says whether names that differ only in case are the same in a folder. It tries that with a temporary file,
// since a folder may differ from the one above it. The answer is no for a folder that cannot be written to.
func FoldsCase(dir string) bool {
	return probe(dir, func(f *Folder, temp string) error {
		_, err := f.names.Lstat(strings.ToUpper(temp))
		return err
	}) == nil
}

// probe makes a temporary file in a folder, which look looks at, and removes it.
func probe(dir string, look func(f *Folder, temp string) error) error {
	f, err := OpenForWriting(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	file, temp, err := f.createTemp(0o600)
	if err != nil {
		return f.named(err, ".")
	}
	return errors.Join(look(f, temp), file.Close(), f.Remove(temp))
}

// SweepTemp removes the temporary files that killed processes left in a folder, not its subfolders. It spares those
// written to within the time given, so that no running process loses its own. It goes on past errors and returns them
// joined.
func SweepTemp(dir string, olderThan time.Duration) (removed int, err error) {
	f, err := Open(dir)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return f.SweepTemp(olderThan)
}

// SweepTemp is the function of that name for an open folder.
func (f *Folder) SweepTemp(olderThan time.Duration) (removed int, err error) {
	entries, err := f.ReadDir()
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, e := range entries {
		if !e.Type().IsRegular() || !IsTemp(e.Name()) {
			continue
		}
		info, err := f.Lstat(e.Name())
		if err == nil && (!info.Mode().IsRegular() || time.Since(info.ModTime()) < olderThan) {
			continue
		}
		if err == nil {
			err = f.Remove(e.Name())
		}
		switch {
		case err == nil:
			removed++
		case !errors.Is(err, fs.ErrNotExist): // its process was alive after all
			errs = append(errs, err)
		}
	}
	return removed, errors.Join(errs...)
}

// SweepTempAll sweeps the folder and all folders below it, and follows no links. report gets what came of each.
func (f *Folder) SweepTempAll(olderThan time.Duration, report func(folder string, removed int, err error)) {
	n, err := f.SweepTemp(olderThan)
	report(f.path, n, err)
	entries, _ := f.ReadDir()
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if sub, err := f.Sub(e.Name()); err == nil {
			sub.SweepTempAll(olderThan, report)
			sub.Close()
		}
	}
}
