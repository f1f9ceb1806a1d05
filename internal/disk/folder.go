package disk

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// ErrLink means that a part of a name is a link, or became one, where links are not followed.
var ErrLink = errors.New("is a link, and links are not followed here")

// names are the operations on the names in a folder. *os.Root has them, and so has plain.
type names interface {
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
	Lstat(name string) (fs.FileInfo, error)
	Mkdir(name string, perm fs.FileMode) error
	Link(old, name string) error
	Rename(old, name string) error
	Remove(name string) error
	Chtimes(name string, access, change time.Time) error
	Close() error
}

// Folder is an open folder. It stays the same folder if its name is given to another one later. Names passed to its
// methods are relative to it; errors hold the whole path. It must be closed.
type Folder struct {
	names names
	root  *os.Root // nil if the folder may not be read, see OpenForWriting
	path  string   // as it was given, for messages
}

// Open opens a folder. Links in the path are followed: whoever names a folder trusts the way there.
func Open(path string) (*Folder, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return FromRoot(root), nil
}

// FromRoot makes a Folder of an open root, which Close closes.
func FromRoot(root *os.Root) *Folder { return &Folder{root, root, root.Name()} }

// OpenForWriting opens a folder to write files into. A folder may be open to writing but closed to reading; such a
// folder is reached by its path each time.
func OpenForWriting(path string) (*Folder, error) {
	f, err := Open(path)
	if os.IsPermission(err) {
		if info, statErr := os.Stat(path); statErr == nil && info.IsDir() {
			return &Folder{names: plain(path), path: path}, nil
		}
	}
	return f, err
}

// Close closes the folder.
func (f *Folder) Close() error { return f.names.Close() }

// Path returns the path that the folder was opened by.
func (f *Folder) Path() string { return f.path }

// Root returns the open root, which Close closes.
func (f *Folder) Root() *os.Root { return f.root }

// Sub opens the folder of that name, with slashes, any number of levels down. No part of the name may be a link
// (ErrLink), not even to a place inside f, nor "..". The name "." opens f again.
func (f *Folder) Sub(name string) (*Folder, error) {
	here, err := f.enter(".")
	if err != nil {
		return nil, err
	}
	for part := range strings.SplitSeq(filepath.ToSlash(name), "/") {
		if part == "" || part == "." {
			continue
		}
		next, err := here.enter(part)
		here.Close()
		if err != nil {
			return nil, err
		}
		here = next
	}
	return here, nil
}

// enter opens a folder by a name without separators. The name is looked at before it is opened, and what was opened is
// compared with what was seen: a link put there in between leads to another folder.
func (f *Folder) enter(name string) (*Folder, error) {
	full := filepath.Join(f.path, name)
	fail := func(err error) error { return &fs.PathError{Op: "open", Path: full, Err: err} }
	switch {
	case f.root == nil:
		return nil, fail(fs.ErrPermission)
	case name == "..":
		return nil, fail(syscall.ENOTDIR)
	}
	seen, err := f.root.Lstat(name)
	switch {
	case err != nil:
		return nil, f.named(err, name)
	case seen.Mode()&fs.ModeSymlink != 0:
		return nil, fail(ErrLink)
	case !seen.IsDir():
		return nil, fail(syscall.ENOTDIR)
	}
	if err := f.before(ToOpen, name); err != nil {
		return nil, err
	}
	root, err := f.root.OpenRoot(name + string(filepath.Separator) + ".") // the dot keeps it from waiting for a FIFO
	if err != nil {
		return nil, f.unlessSwapped(err, name, seen)
	}
	if opened, err := root.Stat("."); err != nil || !os.SameFile(seen, opened) {
		root.Close()
		return nil, fail(ErrLink)
	}
	return &Folder{root, root, full}, nil
}

// unlessSwapped is the error of opening what was seen before, or ErrLink if that is there no more: a link that leads
// out of the folder has an error without a kind.
func (f *Folder) unlessSwapped(err error, name string, seen fs.FileInfo) error {
	if now, lookErr := f.names.Lstat(name); lookErr != nil || !os.SameFile(now, seen) ||
		errors.Is(err, syscall.ENOTDIR) || strings.Contains(err.Error(), "escapes") {
		return &fs.PathError{Op: "open", Path: filepath.Join(f.path, name), Err: ErrLink}
	}
	return f.named(err, name)
}

// Below opens the folder of that name below f. Links are followed if they stay inside f.
func (f *Folder) Below(name string) (*Folder, error) {
	if f.root == nil {
		return nil, &fs.PathError{Op: "open", Path: filepath.Join(f.path, name), Err: fs.ErrPermission}
	}
	root, err := f.root.OpenRoot(filepath.FromSlash(name))
	if err != nil {
		return nil, f.named(err, name)
	}
	return &Folder{root, root, filepath.Join(f.path, name)}, nil
}

// Is says whether f is the folder that a path leads to now.
func (f *Folder) Is(other *Folder) bool {
	return f.Same(".", other, ".")
}

// Lstat looks at a name without following it.
func (f *Folder) Lstat(name string) (fs.FileInfo, error) {
	info, err := f.names.Lstat(filepath.FromSlash(name))
	return info, f.named(err, name)
}

// Remove removes a file or an empty folder.
func (f *Folder) Remove(name string) error {
	if err := f.before(ToRemove, name); err != nil {
		return err
	}
	return f.named(f.names.Remove(name), name)
}

// Link gives a file a second name. An existing name is fs.ErrExist.
func (f *Folder) Link(old, name string) error {
	if err := f.before(ToLink, name); err != nil {
		return err
	}
	return f.named(f.names.Link(old, name), name)
}

// Rename renames a file and replaces what has the new name.
func (f *Folder) Rename(old, name string) error {
	if err := f.before(ToRename, name); err != nil {
		return err
	}
	return f.named(f.names.Rename(old, name), name)
}

// Exchange swaps the files of two names, so that neither name is absent at any instant. Where the system or the file
// system cannot, the error is not nil and nothing has changed.
func (f *Folder) Exchange(a, b string) error {
	if err := f.before(ToExchange, a); err != nil {
		return err
	}
	d, err := f.names.OpenFile(".", os.O_RDONLY, 0)
	if err != nil {
		return f.named(err, ".")
	}
	defer d.Close()
	return f.named(os.NewSyscallError("exchange", exchange(d, a, b)), a)
}

// Sync flushes the names in the folder, so that they survive a loss of power, where the file system can.
func (f *Folder) Sync() error {
	if err := f.before(ToSyncFolder, "."); err != nil {
		return err
	}
	return f.sync()
}

// ReadDir lists the folder, sorted by name. What comes with an error is a part of it. Info of the entries must not be
// used, since it goes by the path; use Lstat.
func (f *Folder) ReadDir() ([]fs.DirEntry, error) {
	d, err := f.names.OpenFile(".", os.O_RDONLY, 0)
	if err != nil {
		return nil, f.named(err, ".")
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, f.named(err, ".")
}

// Open opens a regular file for reading, without following a link and without waiting for the other end of a FIFO. A
// name that is a link, or was one while it was opened, is ErrLink; anything else that is no regular file is
// ErrNotRegular.
func (f *Folder) Open(name string) (*os.File, error) { return f.open(name, os.O_RDONLY|openFlags) }

func (f *Folder) open(name string, flag int) (*os.File, error) {
	fail := func(err error) error { return &fs.PathError{Op: "open", Path: filepath.Join(f.path, name), Err: err} }
	seen, err := f.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case seen.Mode()&fs.ModeSymlink != 0:
		return nil, fail(ErrLink)
	case !seen.Mode().IsRegular():
		return nil, fail(notRegular(seen))
	}
	if err := f.before(ToOpen, name); err != nil {
		return nil, err
	}
	file, err := f.names.OpenFile(name, flag, 0)
	if err != nil {
		return nil, f.unlessSwapped(err, name, seen)
	}
	if opened, err := file.Stat(); err != nil || !os.SameFile(seen, opened) {
		file.Close()
		return nil, fail(ErrLink)
	}
	return file, nil
}

// OpenToChange opens an existing regular file for reading and writing. It returns the errors of Open.
func (f *Folder) OpenToChange(name string) (*os.File, error) {
	return f.open(name, os.O_RDWR|openFlags)
}

// OpenOrCreate opens a file of the program's own for reading and writing, and makes it if it is not there. Nothing but
// a regular file of that very name is opened.
func (f *Folder) OpenOrCreate(name string) (*os.File, error) {
	for range 100 { // the file may come or go between the two calls
		file, err := f.names.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666) // never follows a link
		if !errors.Is(err, fs.ErrExist) {
			return file, f.named(err, name)
		}
		file, err = f.OpenToChange(name)
		if !errors.Is(err, fs.ErrNotExist) {
			return file, err
		}
	}
	return nil, &fs.PathError{Op: "open", Path: filepath.Join(f.path, name), Err: fs.ErrNotExist}
}

// Make makes a folder below f, with slashes in its name, and those above it that are missing. The names of new folders
// are flushed: what is written into a folder is only as safe as the name of the folder. Links that stay inside f are
// followed.
func (f *Folder) Make(name string) error {
	mkdir := func(name string) error { return f.named(f.names.Mkdir(name, 0o777), name) }
	return makeFolder(filepath.FromSlash(name), mkdir, func(name string) error {
		up, err := f.Below(name)
		if err != nil {
			return err
		}
		defer up.Close()
		return up.Sync()
	})
}

// Make makes a folder, and those above it that are missing, and flushes their names.
func Make(path string) error {
	return makeFolder(path, func(name string) error { return os.Mkdir(name, 0o777) }, flushFolder)
}

// flushFolder is Folder.Sync by a path.
func flushFolder(path string) error {
	if err := Before(ToSyncFolder, path); err != nil {
		return err
	}
	return syncFolder(path)
}

// WithParent calls write after it has made the folder of the file at path, and those above it that are missing. If
// write fails, the folders that were made are removed again, unless something is in them.
func WithParent(path string, write func() error) error {
	dir := filepath.Dir(path)
	missing := Missing(dir)
	var err error
	if len(missing) > 0 {
		err = Make(dir)
	}
	if err == nil {
		err = write()
	}
	if err != nil {
		RemoveEmpty(missing)
	}
	return err
}

// Missing returns those of the folders, and of the folders above them, that are not there. Each comes before those
// above it.
func Missing(dirs ...string) (missing []string) {
	for _, dir := range dirs {
		for dir = filepath.Clean(dir); ; dir = filepath.Dir(dir) {
			if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
				break
			}
			missing = append(missing, dir)
		}
	}
	slices.SortFunc(missing, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(missing)
}

// RemoveEmpty removes those of the folders that are there and empty, in their order.
func RemoveEmpty(dirs []string) {
	for _, dir := range dirs {
		if info, err := os.Lstat(dir); err == nil && info.IsDir() {
			os.Remove(dir)
		}
	}
}

func makeFolder(name string, mkdir, sync func(string) error) error {
	up := filepath.Dir(name)
	err := mkdir(name)
	if errors.Is(err, fs.ErrNotExist) && up != name {
		if err := makeFolder(up, mkdir, sync); err != nil {
			return err
		}
		err = mkdir(name)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil // if it is no folder, what is to be written into it will tell
	}
	if err != nil {
		return err
	}
	return sync(up)
}

// named puts the whole path into an error, and the plain name of the operation.
func (f *Folder) named(err error, name string) error {
	path := filepath.Join(f.path, filepath.FromSlash(name))
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &p):
		return &fs.PathError{Op: strings.TrimSuffix(p.Op, "at"), Path: path, Err: p.Err}
	case errors.As(err, &l):
		return &fs.PathError{Op: strings.TrimSuffix(l.Op, "at"), Path: path, Err: l.Err}
	}
	return err
}
