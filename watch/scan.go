package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// maxDepth is how many folders within folders are looked into. Each takes an open file while it is.
const maxDepth = 200

// sighting is a file that was seen, by its name with slashes relative to the input folder.
type sighting struct {
	name  string
	stamp Stamp
}

// walker goes through the input folder, from open folder to open folder. Links are never followed, and nothing but
// regular files is looked at.
type walker struct {
	root  string
	match func(name string) bool
	// called before a folder is read, so that no event is missed in between
	enter  func(folder string)
	found  func(sighting)                          // called for each file
	strays func(folder *disk.Folder, aside string) // called for files that an earlier daemon had set aside
	guard  func(info fs.FileInfo) error            // an error ends the walk
	unseen unseen                                  // what the walk could not look at
}

// unseen are names of folders and files that could not be looked at, with slashes relative to the input folder, "" for
// all of it.
type unseen []string

// has says whether a file is one of them or in one of them.
func (u unseen) has(name string) bool {
	return slices.ContainsFunc(u, func(at string) bool {
		return at == "" || name == at || strings.HasPrefix(name, at+"/")
	})
}

// walk goes through a folder, "" or relative to the root. It goes on past errors of files and folders and returns them
// joined, without those about what has gone meanwhile; only if the folder that it starts with is gone that is an error.
func (w *walker) walk(ctx context.Context, rel string) error {
	root, err := disk.Open(w.root)
	if err != nil {
		w.enter(w.root)
		return w.missed(rel, err)
	}
	defer root.Close()
	folder, err := root.Sub(rel)
	if err != nil {
		return w.missed(rel, err)
	}
	defer folder.Close()
	return w.folder(ctx, folder, rel)
}

// missed notes that a folder or a file could not be looked at, or not at all of it, and returns the error.
func (w *walker) missed(name string, err error) error {
	w.unseen = append(w.unseen, name)
	return err
}

func (w *walker) folder(ctx context.Context, folder *disk.Folder, rel string) error {
	if strings.Count(rel, "/") >= maxDepth {
		return w.missed(rel, fmt.Errorf("%s: more than %d folders deep", folder.Path(), maxDepth))
	}
	w.enter(filepath.Join(w.root, filepath.FromSlash(rel)))
	if info, err := folder.Lstat("."); err != nil {
		return w.missed(rel, err)
	} else if err := w.guard(info); err != nil {
		return err
	}
	entries, err := folder.ReadDir()
	var errs []error
	if err != nil {
		errs = append(errs, w.missed(rel, err)) // but entries can hold some
	}
	for _, e := range entries {
		if ctx.Err() != nil {
			return w.missed(rel, ctx.Err())
		}
		err := w.entry(ctx, folder, rel, e)
		if errors.Is(err, ErrFolders) {
			return err
		}
		if err != nil && !isGone(err) && len(errs) < 10 {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (w *walker) entry(ctx context.Context, folder *disk.Folder, rel string, e fs.DirEntry) error {
	if strings.HasPrefix(e.Name(), asidePrefix) && e.Type().IsRegular() {
		w.strays(folder, e.Name())
		return nil
	}
	name := path.Join(rel, e.Name())
	switch {
	case disk.Hidden(e.Name()):
		return nil
	case e.IsDir():
		sub, err := folder.Sub(e.Name())
		if err != nil {
			return w.missed(name, err)
		}
		defer sub.Close()
		return w.folder(ctx, sub, name)
	case !e.Type().IsRegular() || !w.match(name):
		return nil
	}
	stamp, err := lookIn(folder, e.Name())
	if err != nil {
		return w.missed(name, err)
	}
	w.found(sighting{name, stamp})
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
	folder, base, err := openInput(w.root, name)
	if err != nil {
		return unlessGone(err)
	}
	defer folder.Close()
	info, err := folder.Lstat(base)
	switch {
	case err != nil:
		return unlessGone(err)
	case info.IsDir():
		return unlessGone(w.walk(ctx, name))
	case info.Mode().IsRegular() && w.match(name):
		w.found(sighting{name, stampOf(info)})
	}
	return nil
}

func unlessGone(err error) error {
	if isGone(err) {
		return nil
	}
	return err
}
