package batch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

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
	// Changed replaces those that Output.History does not know, or that were made with other options or of another
	// input.
	Changed Overwrite = "changed"
)

// Output says how outputs are put in place.
type Output struct {
	Folder    string // all outputs are below it if it is not empty
	Overwrite Overwrite
	InPlace   bool
	Backup    bool // the input that is replaced is kept as BackupName(input)
	Preserve  bool // outputs get the time and permissions of their inputs

	History *History // remembers how outputs were made; may be nil
	Options string   // a digest of what outputs depend on besides their inputs
}

// ErrChanged means that the input changed each time it was worked on.
var ErrChanged = errors.New("changes while it is read")

// Due says whether an output is still to be made; if not, why.
func (o Output) Due(it Item) (due bool, why string) {
	if o.InPlace {
		if o.Backup && doneAt(it.Out) {
			return false, BackupName(it.Out) + " exists"
		}
		if o.Overwrite != Always && o.replaced(it) {
			return false, "it was done before"
		}
		return true, ""
	}
	info, err := os.Lstat(it.Out)
	switch {
	case err != nil || info.IsDir() || o.Overwrite == Always: // for a folder in its place, Blocked gives the error
		return true, ""
	case o.Overwrite == Older && it.Info != nil && info.ModTime().Before(it.Info.ModTime()):
		return true, ""
	case o.Overwrite == Changed:
		return o.changed(it, info)
	}
	return false, it.Out + " exists"
}

// replaced says whether a file is what it was replaced by. Without backups, nothing but the history tells.
func (o Output) replaced(it Item) bool {
	e, ok := o.History.Find(it.Out)
	if !ok || !sameName(e.Path, it.Path) && !sameName(e.Path, it.Out) { // it may be the output of another input
		return false
	}
	info, err := os.Stat(it.Out)
	return err == nil && e.Out.Size == info.Size() && (e.Out.Stat(info) || hasDigest(it.Out, e.Out))
}

// sameName says whether a path leads to an absolute one, without a look at the disk.
func sameName(abs, path string) bool {
	p, err := filepath.Abs(path)
	return err == nil && p == abs
}

// Blocked returns an error if a folder is where an output is to be.
func (o Output) Blocked(it Item) error {
	if info, err := os.Lstat(it.Out); err != nil || !info.IsDir() {
		return nil
	}
	return &fs.PathError{Op: "create", Path: it.Out, Err: syscall.EISDIR}
}

// changed says whether an output that exists is to be made again with Changed. One that somebody has changed since is
// kept.
func (o Output) changed(it Item, info fs.FileInfo) (due bool, why string) {
	e, ok := o.History.Find(it.Out)
	if !ok {
		return true, ""
	}
	if !e.Out.Stat(info) && !hasDigest(it.Out, e.Out) {
		return false, it.Out + " was changed after it was made"
	}
	if e.Options != o.Options {
		return true, ""
	}
	if sameName(e.Path, it.Path) && it.Info != nil && e.In.Stat(it.Info) {
		return false, it.Out + " is up to date"
	}
	if hasDigest(it.Path, e.In) {
		return false, it.Out + " is up to date"
	}
	return true, ""
}

// hasDigest says whether a regular file has the bytes of a version.
func hasDigest(path string, v Version) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != v.Size {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	now, err := versionOf(f)
	return err == nil && now.SHA256 == v.SHA256
}

// Remember adds what was made to the history.
func (o Output) Remember(it Item, m Made) error {
	abs, err := filepath.Abs(it.Path)
	if err != nil {
		return err
	}
	return o.History.Add(it.Out, Entry{Out: m.Out, In: m.In, Path: abs, Options: o.Options,
		At: time.Now().UTC().Truncate(time.Second)})
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

// Make calls produce to write the output of an item and sees to what Output says. produce gets write with the place and
// the checks filled in; it must read Task.In and write Task.Out with Task.Options.
//
// The output gets its name only if the input is still what was read. If not, produce is called again, a few times.
// After an error the input is as it was, and so is an output that existed; there is no output of an older version of
// the input.
//
// Folders of the output that are missing are made.
func (o Output) Make(it Item, write imageio.WriteOptions, produce func(Task) error) (m Made, err error) {
	if err := o.Blocked(it); err != nil {
		return m, err
	}
	in, err := it.open()
	if err != nil {
		return m, err
	}
	defer in.close()
	if o.Folder != "" || o.InPlace {
		return o.make(it, in, write, produce)
	}
	err = disk.WithParent(it.Out, func() (err error) {
		m, err = o.make(it, in, write, produce)
		return err
	})
	return m, err
}

func (o Output) make(it Item, in *source, write imageio.WriteOptions, produce func(Task) error) (m Made, err error) {
	to, err := o.open(it, in)
	if err != nil {
		return m, err
	}
	defer to.Close()
	task := Task{In: in.name, InRoot: in.root(), Out: it.Out, Options: write}
	if to.Root() != nil {
		task.Out, task.Options.Root = filepath.Base(it.Out), to.Root()
	}
	for range tries {
		m, err = o.try(it, in, to, task, produce)
		if !errors.Is(err, ErrChanged) {
			return m, renamed(renamed(err, to, filepath.Base(it.Out), it.Out), in.folder, in.name, it.Path)
		}
	}
	return Made{}, fmt.Errorf("%w, tried %d times", ErrChanged, tries)
}

func (o Output) try(it Item, in *source, to *disk.Folder, task Task, produce func(Task) error) (m Made, err error) {
	before, err := in.stat()
	if err != nil {
		return m, err
	}
	if o.once() {
		claim, err := o.claim(it, in, before)
		if err != nil {
			return m, err
		}
		defer claim.Close() // with the old file, after the new one has its name
	}
	task.Options.Overwrite = o.InPlace || o.Overwrite != Never
	if o.Preserve {
		task.Options.ModTime = before.ModTime()
	}
	task.Options.BeforeRename = func(f *os.File) (err error) {
		m, err = o.beforeRename(f, it, in, to, before)
		return err
	}
	err = produce(task)
	damaged := errors.Is(err, imageio.ErrFormat) || errors.Is(err, imageio.ErrUnsupported) ||
		errors.Is(err, imageio.ErrLimit)
	if damaged && in.changed(before) { // what was read may have been half of it
		return Made{}, ErrChanged
	}
	if err != nil && !errors.Is(err, disk.ErrNotFlushed) {
		m = Made{}
	}
	return m, err
}

// open opens the folder that an output goes to, and makes it if it is below o.Folder. Links below o.Folder are followed
// only if they stay inside it.
func (o Output) open(it Item, in *source) (*disk.Folder, error) {
	switch {
	case o.InPlace && in.folder != nil:
		return in.folder.Sub(".")
	case o.InPlace || o.Folder == "":
		return disk.OpenForWriting(filepath.Dir(it.Out))
	}
	return below(o.Folder, filepath.Dir(it.Out), func(root *disk.Folder, rel string) (*disk.Folder, error) {
		if err := root.Make(rel); err != nil {
			return nil, err
		}
		return root.Below(rel)
	})
}

// below opens a folder below another one.
func below(root, path string, open func(root *disk.Folder, rel string) (*disk.Folder, error)) (*disk.Folder, error) {
	folder, err := disk.Open(root)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return nil, err
	}
	return open(folder, rel)
}

// Sweep removes temporary files of an age, which killed runs left in a folder of outputs, but not where a link in the
// output folder leads out of it.
func (o Output) Sweep(dir string, age time.Duration) (int, error) {
	if o.Folder == "" {
		return disk.SweepTemp(dir, age)
	}
	folder, err := below(o.Folder, dir, (*disk.Folder).Below)
	if err != nil {
		return 0, err
	}
	defer folder.Close()
	return folder.SweepTemp(age)
}

// beforeRename looks whether the input is still what was read, as late as possible.
func (o Output) beforeRename(f *os.File, it Item, in *source, to *disk.Folder, before fs.FileInfo) (m Made, err error) {
	if err := o.attributes(f, in, before); err != nil {
		return m, err
	}
	if in.changed(before) { // what it is now may not be fit to be opened
		return m, ErrChanged
	}
	m, err = made(f, in)
	if in.changed(before) {
		return m, ErrChanged
	}
	if err != nil || !o.InPlace {
		return m, err
	}
	if !o.Backup {
		if o.once() { // before the file has its name; whoever made it tries again, and tells
			_ = o.Remember(it, m)
			_ = o.History.flush(it.Out)
		}
		return m, nil
	}
	if err := backup(to, filepath.Base(it.Out)); err != nil {
		return m, err
	}
	return m, to.Sync() // else the rename may reach the disk before the backup's name
}

// made reads the finished output and its input.
func made(f *os.File, in *source) (m Made, err error) {
	if m.Out, err = versionOf(f); err != nil {
		return m, err
	}
	from, err := in.openFile()
	if errors.Is(err, fs.ErrNotExist) { // it was read as it was
		return m, nil
	}
	if err != nil {
		return m, err
	}
	defer from.Close()
	m.In, err = versionOf(from)
	return m, err
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
		return disk.Flush(f)
	}
	return nil
}

// renamed puts the path that the user knows into an error about a name in a folder.
func renamed(err error, folder *disk.Folder, name, path string) error {
	var p *fs.PathError
	if folder != nil && errors.As(err, &p) && p.Path == filepath.Join(folder.Path(), name) {
		return &fs.PathError{Op: p.Op, Path: path, Err: p.Err}
	}
	return err
}
