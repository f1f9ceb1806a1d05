package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// checkFiles refuses, before any work, files of a training that cannot be written or would replace one another.
func (f *trainFlags) checkFiles() error {
	if f.checkpoint == "" {
		f.checkpoint = f.output + ".checkpoint"
	}
	names := []struct{ flag, path string }{{"--output", f.output}, {"--checkpoint", f.checkpoint},
		{"--metrics", f.metrics}}
	for i, a := range names {
		if a.path == "" {
			continue
		}
		if isFolderName(a.path) {
			return usage("%s %s is a folder, not a file", a.flag, a.path)
		}
		for _, b := range names[:i] {
			if samePath(a.path, b.path) {
				return usage("%s and %s are the same file, %s", b.flag, a.flag, a.path)
			}
		}
	}
	if f.overwrite {
		return nil
	}
	if _, err := os.Lstat(f.output); err == nil {
		return fileError{f.output, os.ErrExist}
	}
	if _, err := os.Lstat(f.checkpoint); err == nil && !f.resume { // it may hold hours of work
		return fileError{f.checkpoint, fmt.Errorf("%w: --resume goes on from it, --overwrite begins again",
			os.ErrExist)}
	}
	return nil
}

// isFolderName reports whether a path is a folder, or ends as only that of a folder does.
func isFolderName(path string) bool {
	if os.IsPathSeparator(path[len(path)-1]) {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// samePath reports whether two paths mean one file, which need not exist.
func samePath(a, b string) bool {
	x, err1 := filepath.Abs(a)
	y, err2 := filepath.Abs(b)
	return err1 == nil && err2 == nil && x == y || disk.SameFile(a, b)
}
