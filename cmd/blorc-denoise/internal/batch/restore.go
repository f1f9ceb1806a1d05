package batch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// FindBackups looks up the backups that words lead to. Its inputs are the files that were replaced, without the ending
// of backups. A file may be named itself, by its backup, or by a link that the file was replaced through. In folders it
// finds the backups of images, in the order of their names, and follows no links.
func FindBackups(ctx context.Context, words []string, recursive bool) (*Found, error) {
	f := newFinder(ctx, FindOptions{Recursive: recursive})
	for _, w := range words {
		if f.empty(w) {
			continue
		}
		info, err := os.Stat(w)
		if err == nil && info.IsDir() {
			f.walk(w, f.backup)
			continue
		}
		path := strings.TrimSuffix(w, backupSuffix)
		if real, err := inPlace(path); !HasBackup(path) && err == nil && HasBackup(real) {
			path = real
		}
		if !HasBackup(path) {
			f.refuse(w, fmt.Errorf("%w: there is no %s", fs.ErrNotExist, filepath.Base(BackupName(path))))
			continue
		}
		f.add(Input{Path: path, Rel: filepath.Base(path)})
	}
	return &f.Found, ctx.Err()
}

// backup adds a file of a folder if it is a backup.
func (f *finder) backup(walk, path string, e fs.DirEntry) error {
	name, ok := strings.CutSuffix(path, backupSuffix)
	if !ok || !wanted(name) || !e.Type().IsRegular() {
		return nil
	}
	rel, err := filepath.Rel(walk, name)
	if err == nil {
		f.add(Input{Path: name, Rel: rel, Root: walk})
	}
	return err
}

// HasBackup says whether there is a backup of a file.
func HasBackup(path string) bool {
	_, err := os.Lstat(BackupName(path))
	return err == nil
}

// RestoreOptions say how backups are put back.
type RestoreOptions struct {
	Keep    bool     // the denoised file is always kept, under another name
	DryRun  bool     // nothing is changed
	History *History // knows results that can be made again; may be nil
}

// Restore gives a file the content that it had before it was replaced, and removes its backup. The file that it has now
// goes, if the history knows it as a result that nobody has changed since; else it is kept beside under the name that
// Restore returns. At any instant the content of the backup has a name.
func (o RestoreOptions) Restore(in Input) (kept string, err error) {
	from, err := in.open()
	if err != nil {
		return "", err
	}
	defer from.close()
	folder := from.folder
	if folder == nil {
		if folder, err = disk.Open(filepath.Dir(in.Path)); err != nil {
			return "", err
		}
		defer folder.Close()
	}
	kept, err = o.restore(folder, filepath.Base(in.Path), in.Path)
	if kept != "" {
		kept = filepath.Join(filepath.Dir(in.Path), kept)
	}
	return kept, err
}

func (o RestoreOptions) restore(folder *disk.Folder, name, path string) (kept string, err error) {
	if err := regularIn(folder, BackupName(name)); err != nil {
		return "", err
	}
	switch err := regularIn(folder, name); {
	case errors.Is(err, fs.ErrNotExist):
		return "", o.putBack(folder, name)
	case err != nil:
		return "", err
	// it was never replaced, or is back
	case !done(folder, name):
		if o.DryRun {
			return "", nil
		}
		return "", errors.Join(folder.Remove(BackupName(name)), folder.Sync())
	}
	if e, ok := o.History.Find(path); ok && !o.Keep && hasDigest(path, e.Out) {
		if o.DryRun {
			return "", nil
		}
		return "", errors.Join(folder.Rename(BackupName(name), name), folder.Sync())
	}
	kept = Naming{Suffix: DefaultSuffix}.rename(name, "", false)
	if o.DryRun {
		return folder.Free(kept), nil
	}
	if kept, err = folder.Move(name, folder, kept); err != nil {
		return "", err
	}
	return kept, o.putBack(folder, name)
}

// putBack gives a backup its old name, which is free.
func (o RestoreOptions) putBack(folder *disk.Folder, name string) error {
	if o.DryRun {
		return nil
	}
	as, err := folder.Move(BackupName(name), folder, name)
	if err != nil {
		return err
	}
	if as != name { // somebody took the name meanwhile
		return &fs.PathError{Op: "restore", Path: filepath.Join(folder.Path(), name),
			Err: fmt.Errorf("%w; the backup is %s now", fs.ErrExist, as)}
	}
	return folder.Sync()
}

// regularIn returns an error for a name that is not a regular file's.
func regularIn(folder *disk.Folder, name string) error {
	info, err := folder.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "restore", Path: filepath.Join(folder.Path(), name), Err: disk.ErrNotRegular}
	}
	return err
}
