package watch

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// sighting is a file that was seen, by its name with slashes relative to the input folder.
type sighting struct {
	name  string
	stamp Stamp
}

// walker goes through the input folder. Links are never followed, and nothing but regular files is looked at.
type walker struct {
	root   string
	match  func(name string) bool
	enter  func(folder string)          // called before a folder is read, so that no event is missed in between
	found  func(sighting)               // called for each file
	strays func(folder, name string)    // called for files that an earlier daemon had set aside
	guard  func(info fs.FileInfo) error // an error ends the walk
}

// walk goes through a folder, "" or relative to the root. It goes on past errors of files and folders and returns them
// joined, without those of what has gone meanwhile; only if the folder that it starts with is gone that is an error.
func (w *walker) walk(ctx context.Context, rel string) error {
	full := filepath.Join(w.root, filepath.FromSlash(rel))
	w.enter(full)
	if info, err := os.Stat(full); err != nil {
		return err
	} else if err := w.guard(info); err != nil {
		return err
	}
	entries, err := os.ReadDir(full)
	var errs []error
	if err != nil {
		errs = append(errs, err) // but entries can hold some
	}
	for _, e := range entries {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		err := w.entry(ctx, rel, e)
		if errors.Is(err, ErrFolders) {
			return err
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) && len(errs) < 10 {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (w *walker) entry(ctx context.Context, rel string, e fs.DirEntry) error {
	if strings.HasPrefix(e.Name(), asidePrefix) && e.Type().IsRegular() {
		w.strays(filepath.Join(w.root, filepath.FromSlash(rel)), e.Name())
		return nil
	}
	name := path.Join(rel, e.Name())
	switch {
	case disk.Hidden(e.Name()):
		return nil
	case e.IsDir():
		return w.walk(ctx, name)
	case !e.Type().IsRegular() || !w.match(name):
		return nil
	}
	info, err := e.Info()
	if err != nil {
		return err
	}
	if info.Mode().IsRegular() {
		w.found(sighting{name, stampOf(info)})
	}
	return nil
}

// visit looks at what an event has named.
func (w *walker) visit(ctx context.Context, full string) error {
	rel, err := filepath.Rel(w.root, full)
	if err != nil || rel == "." {
		return err
	}
	name := filepath.ToSlash(rel)
	for part := range strings.SplitSeq(name, "/") {
		if disk.Hidden(part) {
			return nil
		}
	}
	info, err := os.Lstat(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return w.walk(ctx, name)
	case info.Mode().IsRegular() && w.match(name):
		w.found(sighting{name, stampOf(info)})
	}
	return nil
}
