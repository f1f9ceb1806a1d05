package batch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// Overwrite says what happens to outputs that exist.
type Overwrite string

// The kinds of Overwrite.
const (
	Never  Overwrite = "never"  // they are kept, so that running again does what is left
	Older  Overwrite = "older"  // those older than their input are replaced
	Always Overwrite = "always" // they are replaced
)

// Output says how outputs are put in place.
type Output struct {
	Folder    string // all outputs are below it if it is not empty
	Overwrite Overwrite
	InPlace   bool
	Backup    bool // the input that is replaced is kept as BackupName(input)
	Preserve  bool // outputs take over time and permissions
}

// ErrChanged: the input would not stand still.
var ErrChanged = errors.New("changes while it is read")

// Due says whether an output is still to be made; if not, why.
func (o Output) Due(it Item) (due bool, why string) {
	if o.InPlace {
		if o.Backup && done(it.Out) {
			return false, BackupName(it.Out) + " exists"
		}
		return true, ""
	}
	info, err := os.Lstat(it.Out)
	switch {
	case err != nil || o.Overwrite == Always:
		return true, ""
	case o.Overwrite == Older && it.Info != nil && info.ModTime().Before(it.Info.ModTime()):
		return true, ""
	}
	return false, it.Out + " exists"
}

// Prepare makes the folder of an output and looks that it is where it should be: not, by a link, outside of o.Folder.
func (o Output) Prepare(it Item) error {
	if o.Folder == "" || o.InPlace {
		return nil
	}
	root, err := os.OpenRoot(o.Folder)
	if err != nil {
		return err
	}
	defer root.Close()
	rel, err := filepath.Rel(o.Folder, filepath.Dir(it.Out))
	if err != nil {
		return err
	}
	if err = root.MkdirAll(rel, 0o777); err == nil {
		_, err = root.Stat(rel)
	}
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = &fs.PathError{Op: p.Op, Path: filepath.Dir(it.Out), Err: p.Err}
		}
	}
	return err
}

// tries is how often a file is read that changes meanwhile.
const tries = 3

// Make has make write the output of an item, under the name that it is given and replacing what is there if it is told to,
// and sees to what Output says. Whatever goes wrong, the input is as it was, and so is an output that existed, but for
// an error after everything was written.
func (o Output) Make(it Item, make func(out string, overwrite bool) error) error {
	if err := o.Prepare(it); err != nil {
		return err
	}
	overwrite := o.Overwrite != Never
	for range tries {
		before, err := os.Stat(it.Path)
		if err != nil {
			return err
		}
		if o.InPlace {
			err = o.replace(it, before, make)
		} else {
			err = o.beside(it, before, overwrite, make)
		}
		if !errors.Is(err, ErrChanged) {
			return err
		}
		overwrite = true // what is there now is ours
	}
	if !o.InPlace {
		os.Remove(it.Out)
	}
	return fmt.Errorf("%w, tried %d times", ErrChanged, tries)
}

func (o Output) beside(it Item, before fs.FileInfo, overwrite bool, make func(string, bool) error) error {
	if err := make(it.Out, overwrite); err != nil {
		return err
	}
	if changed(it.Path, before) {
		return ErrChanged
	}
	return o.preserve(it.Out, before)
}

// replace writes beside the input first: whether that has changed must be known before it goes.
func (o Output) replace(it Item, before fs.FileInfo, make func(string, bool) error) error {
	temp := tempBeside(it.Out)
	defer os.Remove(temp) // fails after the rename
	if err := make(temp, false); err != nil {
		return renamed(err, temp, it.Out)
	}
	if changed(it.Path, before) {
		return ErrChanged
	}
	if err := os.Chmod(temp, before.Mode().Perm()); err != nil {
		return renamed(err, temp, it.Out)
	}
	if err := o.preserve(temp, before); err != nil {
		return renamed(err, temp, it.Out)
	}
	if o.Backup {
		if err := backup(it.Out); err != nil {
			return err
		}
		if err := disk.SyncFolder(filepath.Dir(it.Out)); err != nil { // else the rename may reach the disk before the backup's name
			return err
		}
	}
	if err := os.Rename(temp, it.Out); err != nil {
		return renamed(err, temp, it.Out)
	}
	return disk.SyncFolder(filepath.Dir(it.Out))
}

// changed says whether a name stands for another file, or for another content, than it did. A file that is gone was read
// as it was.
func changed(path string, before fs.FileInfo) bool {
	after, err := os.Stat(path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	return !os.SameFile(before, after) || before.Size() != after.Size() || !before.ModTime().Equal(after.ModTime())
}

// preserve comes before the rename where it can, so that no output has its name without its time.
func (o Output) preserve(path string, from fs.FileInfo) error {
	if !o.Preserve {
		return nil
	}
	if err := os.Chmod(path, from.Mode().Perm()); err != nil {
		return err
	}
	return os.Chtimes(path, from.ModTime(), from.ModTime())
}

// renamed puts the name that the user knows into an error.
func renamed(err error, temp, path string) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p) && (p.Path == temp || imageio.IsTemp(p.Path)):
		return &fs.PathError{Op: p.Op, Path: path, Err: p.Err}
	case errors.As(err, &l):
		return &fs.PathError{Op: l.Op, Path: path, Err: l.Err}
	}
	return err
}
