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
	Preserve  bool // outputs get the time and permissions of their inputs
}

// ErrChanged means that the input changed each time it was worked on.
var ErrChanged = errors.New("changes while it is read")

// Due says whether an output is still to be made; if not, why.
func (o Output) Due(it Item) (due bool, why string) {
	if o.InPlace {
		if o.Backup && doneAt(it.Out) {
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

// Task is one try at an item: what to read and how to write. If a root is nil, the path beside it is a path as usual.
type Task struct {
	In      string
	InRoot  *os.Root
	Out     string
	Options imageio.WriteOptions // Root, Overwrite, ModTime and BeforeRename are set
}

// tries is how often a file is read that changes meanwhile.
const tries = 3

// Make calls make to write the output of an item and sees to what Output says. make gets write with the place and the checks
// filled in; it must read Task.In and write Task.Out with Task.Options.
//
// The output gets its name only if the input is still what was read. If not, make is called again, a few times. After an
// error the input is as it was, and so is an output that existed; there is no output of an older version of the input.
func (o Output) Make(it Item, write imageio.WriteOptions, make func(Task) error) error {
	in, err := it.open()
	if err != nil {
		return err
	}
	defer in.close()
	to, err := o.open(it, in)
	if err != nil {
		return err
	}
	defer to.Close()
	task := Task{In: in.name, InRoot: in.root(), Out: it.Out, Options: write}
	if to.Root() != nil {
		task.Out, task.Options.Root = filepath.Base(it.Out), to.Root()
	}
	for range tries {
		err = o.try(it, in, to, task, make)
		if !errors.Is(err, ErrChanged) {
			return in.rename(renamed(err, to, it.Out), it.Path)
		}
	}
	return fmt.Errorf("%w, tried %d times", ErrChanged, tries)
}

func (o Output) try(it Item, in *source, to *disk.Folder, task Task, make func(Task) error) error {
	before, err := in.stat()
	if err != nil {
		return err
	}
	task.Options.Overwrite = o.InPlace || o.Overwrite != Never
	if o.Preserve {
		task.Options.ModTime = before.ModTime()
	}
	task.Options.BeforeRename = func(f *os.File) error { return o.beforeRename(f, it, in, to, before) }
	err = make(task)
	damaged := errors.Is(err, imageio.ErrFormat) || errors.Is(err, imageio.ErrUnsupported) || errors.Is(err, imageio.ErrLimit)
	if damaged && in.changed(before) { // what was read may have been half of it
		return ErrChanged
	}
	return err
}

// open opens the folder that an output goes to, and makes it if it is below o.Folder. Links below o.Folder are followed only
// if they stay inside it.
func (o Output) open(it Item, in *source) (*disk.Folder, error) {
	switch {
	case o.InPlace && in.folder != nil:
		return in.folder.Sub(".")
	case o.InPlace || o.Folder == "":
		return disk.OpenForWriting(filepath.Dir(it.Out))
	}
	root, err := disk.Open(o.Folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	rel, err := filepath.Rel(o.Folder, filepath.Dir(it.Out))
	if err != nil {
		return nil, err
	}
	if err := root.Make(rel); err != nil {
		return nil, err
	}
	return root.Below(rel)
}

// beforeRename looks whether the input is still what was read, as late as possible.
func (o Output) beforeRename(f *os.File, it Item, in *source, to *disk.Folder, before fs.FileInfo) error {
	if err := o.attributes(f, in, before); err != nil {
		return err
	}
	if in.changed(before) {
		return ErrChanged
	}
	if !o.InPlace || !o.Backup {
		return nil
	}
	if err := backup(to, filepath.Base(it.Out)); err != nil {
		return err
	}
	return to.Sync() // else the rename may reach the disk before the backup's name
}

// attributes gives the new file what it is to take over from the input, besides the time.
func (o Output) attributes(f *os.File, in *source, before fs.FileInfo) error {
	switch {
	case o.InPlace:
		from, err := in.openFile()
		if err != nil {
			return err
		}
		defer from.Close()
		return disk.CopyAttributes(f, from)
	case o.Preserve:
		if err := f.Chmod(before.Mode().Perm()); err != nil {
			return err
		}
		return f.Sync()
	}
	return nil
}

// renamed puts the name that the user knows into an error about the output.
func renamed(err error, to *disk.Folder, path string) error {
	var p *fs.PathError
	if errors.As(err, &p) && p.Path == filepath.Join(to.Path(), filepath.Base(path)) {
		return &fs.PathError{Op: p.Op, Path: path, Err: p.Err}
	}
	return err
}
