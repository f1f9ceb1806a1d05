// Package powertest plays losses of power: it tells tests what a file system may hold after each step of a program.
//
// What a file holds is on the disk once the file is flushed; until then all, a half or nothing of what is new is there.
// A change of names is on the disk once its folder is flushed; until then it is or is not, whatever came before it and
// after it. A rename within a folder is one change.
package powertest

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// Loss is what a loss of power may leave of a folder. Temporary files are left out: their names mean nothing.
type Loss struct {
	Next  string            // the step that was next, or "" where all were done
	Files map[string]string // what the files hold, by their names with slashes

	names  map[string]int // of files and folders
	inodes []inode
	files  string // a folder in which files have a name for good
}

// kept is a name of a file outside the folder.
func (l Loss) kept(i int) string { return filepath.Join(l.files, fmt.Sprint(i)) }

// Losses runs do and returns what losses of power may leave of a folder, before each step and at the end.
func Losses(t testing.TB, dir string, do func()) (all []Loss) {
	t.Helper()
	files := must.Get(os.MkdirTemp(filepath.Dir(dir), "files"))(t)
	r := &recorder{t: t, dir: dir, files: files, seen: map[string]bool{}}
	r.look()
	for i := range r.inodes {
		r.inodes[i].flushed = r.inodes[i].now
	}
	r.flushed, r.changes = r.names, nil
	stop := disk.Intercept(func(step disk.Step, at string) error {
		name, err := filepath.Rel(dir, at)
		if err != nil || !filepath.IsLocal(name) {
			return nil
		}
		r.look()
		name = filepath.ToSlash(name)
		all = append(all, r.losses(fmt.Sprint(step, " ", name))...)
		r.flush(step, name)
		return nil
	})
	defer stop()
	do()
	r.look()
	all = append(all, r.losses("")...)
	for name, i := range r.names {
		if kept := all[0].kept(i); !r.inodes[i].info.IsDir() && os.Link(filepath.Join(dir, name), kept) != nil {
			must.Do(t, must.Err(os.Stat(kept))) // it has been linked by another name
		}
	}
	return all
}

// Fill gives the folder what the loss has left. Files that were there at the end of the recording are the same ones
// again, and have their times.
func (l Loss) Fill(t testing.TB, dir string) {
	t.Helper()
	for _, e := range must.Get(os.ReadDir(dir))(t) {
		must.Do(t, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	for _, name := range slices.Sorted(maps.Keys(l.names)) {
		i, full := l.names[name], filepath.Join(dir, filepath.FromSlash(name))
		info, kept := l.inodes[i].info, l.kept(i)
		if info.IsDir() {
			must.Do(t, os.Mkdir(full, 0o777))
			continue
		}
		must.Do(t, os.WriteFile(kept, []byte(l.Files[name]), info.Mode().Perm()))
		must.Do(t, os.Chtimes(kept, info.ModTime(), info.ModTime()))
		must.Do(t, os.Link(kept, full))
	}
}

// recorder knows what has been written to a folder, and what of that is on the disk.
type recorder struct {
	t       testing.TB
	dir     string
	files   string // a folder for Fill
	inodes  []inode
	names   map[string]int   // of inodes, as the program sees them
	flushed map[string]int   // those on the disk
	changes []map[string]int // of names in a folder, which are on the disk or not
	seen    map[string]bool  // losses
}

// inode is a file or a folder.
type inode struct {
	info         fs.FileInfo
	now, flushed string // what it holds, and what of that is on the disk
}

const gone = -1 // in changes: the name has gone

// look notes what has changed since the last look.
func (r *recorder) look() {
	names := map[string]int{}
	must.Do(r.t, filepath.WalkDir(r.dir, func(full string, e fs.DirEntry, err error) error {
		if err != nil || full == r.dir {
			return err
		}
		i := r.inode(must.Get(os.Lstat(full))(r.t), names)
		names[filepath.ToSlash(must.Get(filepath.Rel(r.dir, full))(r.t))] = i
		if !e.IsDir() {
			r.inodes[i].now = string(must.Get(os.ReadFile(full))(r.t))
		}
		return nil
	}))
	changes := map[string]map[string]int{} // by folder
	change := func(name string, i int) {
		folder := path.Dir(name)
		if changes[folder] == nil {
			changes[folder] = map[string]int{}
		}
		changes[folder][name] = i
	}
	for name, i := range names {
		if old, ok := r.names[name]; !ok || old != i {
			change(name, i)
		}
	}
	for name := range r.names {
		if _, ok := names[name]; !ok {
			change(name, gone)
		}
	}
	r.names = names
	r.changes = append(r.changes, slices.Collect(maps.Values(changes))...)
}

// inode returns the number of a file that has a name or had one at the last look, or a new number.
func (r *recorder) inode(info fs.FileInfo, names map[string]int) int {
	for _, known := range []map[string]int{r.names, names} {
		for _, i := range known {
			if os.SameFile(r.inodes[i].info, info) {
				r.inodes[i].info = info
				return i
			}
		}
	}
	r.inodes = append(r.inodes, inode{info: info})
	return len(r.inodes) - 1
}

// flush notes that a file or the names in a folder are on the disk.
func (r *recorder) flush(step disk.Step, name string) {
	switch step {
	case disk.ToSyncFile:
		if i, ok := r.names[name]; ok {
			r.inodes[i].flushed = r.inodes[i].now
		}
	case disk.ToSyncFolder:
		r.changes = slices.DeleteFunc(r.changes, func(change map[string]int) bool {
			for at := range change {
				if path.Dir(at) != name {
					return false
				}
			}
			r.flushed = with(r.flushed, change)
			return true
		})
	}
}

// with returns names after a change.
func with(names, change map[string]int) map[string]int {
	names = maps.Clone(names)
	maps.Copy(names, change)
	maps.DeleteFunc(names, func(_ string, i int) bool { return i == gone })
	return names
}

// losses returns what a loss of power may leave now, without what an earlier one may have left.
func (r *recorder) losses(next string) (all []Loss) {
	if len(r.changes) > 10 {
		r.t.Errorf("%d changes of names are not flushed before %q", len(r.changes), next)
		return nil
	}
	for some := range 1 << len(r.changes) {
		names := r.flushed
		for i, change := range r.changes {
			if some>>i&1 == 1 {
				names = with(names, change)
			}
		}
		for part := range 3 {
			l := r.loss(names, part)
			l.Next = next
			if key := fmt.Sprint(l.names, l.Files, next == ""); !r.seen[key] {
				r.seen[key] = true
				all = append(all, l)
			}
		}
	}
	return all
}

// loss is a loss of power that leaves names, and nothing, one or two halves of what was not flushed.
func (r *recorder) loss(names map[string]int, halves int) Loss {
	l := Loss{Files: map[string]string{}, names: map[string]int{}, inodes: slices.Clone(r.inodes), files: r.files}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if _, ok := l.names[path.Dir(name)]; !ok && path.Dir(name) != "." { // its folder is not there
			continue
		}
		if disk.IsTemp(name) {
			continue
		}
		i := names[name]
		l.names[name] = i
		if r.inodes[i].info.IsDir() {
			continue
		}
		text, flushed := r.inodes[i].now, r.inodes[i].flushed
		switch {
		case text == flushed || halves == 2:
		case halves == 1:
			text = text[:(len(text)+min(len(text), len(flushed)))/2]
		default:
			text = flushed
		}
		l.Files[name] = text
	}
	return l
}
