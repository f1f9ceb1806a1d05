package imageio

import (
	"errors"
	"io/fs"
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

// IsTemp says whether a file name, with or without folder, is of the kind that WriteFileAtomic
// gives its temporary files: ".blorc-" 16 hexadecimal digits ".tmp".
func IsTemp(name string) bool {
	rest, ok := strings.CutPrefix(filepath.Base(name), tempPrefix)
	if !ok {
		return false
	}
	digits, ok := strings.CutSuffix(rest, tempSuffix)
	return ok && len(digits) == tempDigits && strings.Trim(digits, "0123456789abcdef") == ""
}

// SweepTemp removes the temporary files that killed processes left in a folder, not its subfolders:
// those not written to for the time given, so that no running process loses its own. It goes on
// past errors and returns them joined.
func SweepTemp(dir string, olderThan time.Duration) (removed int, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, e := range entries {
		if !e.Type().IsRegular() || !IsTemp(e.Name()) {
			continue
		}
		info, err := e.Info()
		if err == nil && time.Since(info.ModTime()) < olderThan {
			continue
		}
		if err == nil {
			err = os.Remove(filepath.Join(dir, e.Name()))
		}
		switch {
		case err == nil:
			removed++
		case !errors.Is(err, fs.ErrNotExist): // gone meanwhile: its process was alive after all
			errs = append(errs, err)
		}
	}
	return removed, errors.Join(errs...)
}
