package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// Move gives a file another name in a folder, which may be another one than its own. Nothing is replaced: if the name
// is taken, the file gets a number before its extension. It returns the name that the file has got. That name is on the
// disk before the old one goes; that the old one has gone is not flushed.
func (f *Folder) Move(name string, to *Folder, as string) (string, error) {
	for n := 1; ; n++ {
		free := numbered(as, n)
		err := f.moveTo(name, to, free)
		if !errors.Is(err, fs.ErrExist) {
			return free, err
		}
		if f.Same(name, to, free) { // linked by a process that was killed before the old name was gone
			return free, f.leave(name, to)
		}
	}
}

// leave removes a name of a file that has another one in a folder by now.
func (f *Folder) leave(name string, to *Folder) error {
	if err := to.Sync(); err != nil {
		return err
	}
	return f.Remove(name)
}

// Free returns the name that Move would give to a file.
func (f *Folder) Free(as string) string {
	for n := 1; ; n++ {
		free := numbered(as, n)
		if _, err := f.Lstat(free); err != nil {
			return free
		}
	}
}

// numbered returns the n-th name to try, from 1.
func numbered(name string, n int) string {
	if n == 1 {
		return name
	}
	ext := path.Ext(name)
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), n, ext)
}

// Same says whether two names in folders stand for one file.
func (f *Folder) Same(name string, to *Folder, other string) bool {
	a, err1 := f.Lstat(name)
	b, err2 := to.Lstat(other)
	return err1 == nil && err2 == nil && os.SameFile(a, b)
}

// moveTo moves to a name that must be free.
func (f *Folder) moveTo(name string, to *Folder, free string) error {
	err := to.before(ToLink, free)
	if err == nil {
		err = link(f, name, to, free)
	}
	if err == nil {
		return f.leave(name, to)
	}
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, missing := f.Lstat(name); missing != nil {
		return missing
	}
	if f.Is(to) {
		return f.named(f.takeReserved(name, free), free)
	}
	if err := f.copyTo(name, to, free); err != nil {
		return err
	}
	return f.Remove(name)
}

// copyTo copies to a name that must be free, for folders on different volumes and file systems without hard links.
func (f *Folder) copyTo(name string, to *Folder, free string) error {
	in, err := f.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	o := WriteOptions{ModTime: info.ModTime()}
	o.BeforeRename = func(out *os.File) error { return CopyAttributes(out, in) }
	return to.Write(free, o, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
}
