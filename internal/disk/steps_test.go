//go:build unix

package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// steps collects what is done below a folder. Temporary files are called temp.
func steps(t *testing.T, dir string, do func()) (list []string) {
	t.Helper()
	defer Intercept(func(step Step, path string) error {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			if IsTemp(rel) {
				rel = "temp"
			}
			list = append(list, fmt.Sprint(step, " ", rel))
		}
		return nil
	})()
	do()
	return list
}

// A file is on the disk before it has its name, and the name before Write returns.
func TestWriteOrder(t *testing.T) {
	for _, overwrite := range []bool{false, true} {
		dir := t.TempDir()
		got := steps(t, dir, func() {
			if err := Write(filepath.Join(dir, "a"), WriteOptions{Overwrite: overwrite}, content("a")); err != nil {
				t.Error(err)
			}
		})
		want := []string{"sync file temp", "link a", "sync folder ."}
		if overwrite {
			want[1] = "rename a"
		}
		if !slices.Equal(got, want) {
			t.Errorf("overwrite %v: %q, want %q", overwrite, got, want)
		}
	}
}

// A lock is taken by one alone, until he closes the file.
func TestTryLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	first := must.Get(os.Create(path))(t)
	second := must.Get(os.Open(path))(t)
	defer second.Close()
	if ok, err := TryLock(first); !ok || err != nil {
		t.Errorf("a free lock: %v, %v", ok, err)
	}
	if ok, err := TryLock(second); ok || err != nil {
		t.Errorf("a lock that is taken: %v, %v", ok, err)
	}
	first.Close()
	if ok, err := TryLock(second); !ok || err != nil {
		t.Errorf("a lock that is free again: %v, %v", ok, err)
	}
	must.Fail(t, "a closed file", must.Err(TryLock(first)), syscall.EBADF)
}

// What flushes a file or a folder asks the system: it fails with a file that is closed.
func TestFlushAsksTheSystem(t *testing.T) {
	f := must.Get(os.Create(filepath.Join(t.TempDir(), "a")))(t)
	f.Close()
	must.Fail(t, "a file", Flush(f), fs.ErrClosed)
	must.Fail(t, "a folder", syncOpened(f, nil), fs.ErrClosed)
	folder := open(t, t.TempDir())
	folder.Close()
	must.Fail(t, "a closed folder", folder.Sync(), fs.ErrClosed)
	must.Fail(t, "a missing folder", syncFolder(filepath.Join(t.TempDir(), "none")), fs.ErrNotExist)
}

// The name of a new folder is flushed before anything is written into it.
func TestMakeFlushes(t *testing.T) {
	dir := t.TempDir()
	got := steps(t, dir, func() {
		if err := errors.Join(Make(filepath.Join(dir, "a", "b")), open(t, dir).Make("c/d")); err != nil {
			t.Error(err)
		}
	})
	if want := []string{"sync folder .", "sync folder a", "sync folder .", "sync folder c"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The attributes of a copy are flushed.
func TestAttributesAreFlushed(t *testing.T) {
	dir := t.TempDir()
	from, err1 := os.Create(filepath.Join(dir, "from"))
	to, err2 := os.Create(filepath.Join(dir, "to"))
	must.Do(t, errors.Join(err1, err2))
	defer from.Close()
	defer to.Close()
	got := steps(t, dir, func() {
		if err := CopyAttributes(to, from); err != nil {
			t.Error(err)
		}
	})
	if want := []string{"sync file to"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// What is put in the place of a folder or a file between the look at it and its opening is not opened, and not waited
// for.
func TestSwappedBeforeOpening(t *testing.T) {
	outside := t.TempDir()
	writeFile(t, filepath.Join(outside, "x"), []byte("outside"))
	for name, swap := range map[string]func(path string) error{
		"link out":     func(path string) error { return os.Symlink(outside, path) },
		"link inside":  func(path string) error { return os.Symlink("other", path) },
		"another file": func(path string) error { return os.WriteFile(path, []byte("other"), 0o666) },
		"a folder":     func(path string) error { return os.Mkdir(path, 0o777) },
		"a FIFO":       func(path string) error { return syscall.Mkfifo(path, 0o666) },
	} {
		for _, isFolder := range []bool{false, true} {
			dir := t.TempDir()
			path := filepath.Join(dir, "a")
			mkdir(t, filepath.Join(dir, "other"))
			if isFolder {
				mkdir(t, path)
			} else {
				writeFile(t, path, []byte("a"))
			}
			stop := Intercept(func(step Step, at string) error {
				if step == ToOpen && at == path {
					return errors.Join(os.Rename(path, path+".old"), swap(path))
				}
				return nil
			})
			f := open(t, dir)
			if isFolder {
				sub, err := f.Sub("a")
				if !errors.Is(err, ErrLink) {
					t.Errorf("folder, %s: %v", name, err)
				}
				if sub != nil {
					sub.Close()
				}
			} else {
				file, err := f.Open("a")
				if !errors.Is(err, ErrLink) {
					t.Errorf("file, %s: %v", name, err)
				}
				if file != nil {
					file.Close()
				}
			}
			stop()
		}
	}
}

// A file system without hard links, and one without an exchange of names: nothing is lost, and nothing is replaced.
func TestWithoutLinksAndExchange(t *testing.T) {
	dir := t.TempDir()
	mkdir(t, filepath.Join(dir, "to"))
	defer Intercept(func(step Step, path string) error {
		if step == ToLink || step == ToExchange {
			return &fs.PathError{Op: string(step), Path: path, Err: syscall.EPERM}
		}
		return nil
	})()
	f, to := open(t, dir), open(t, filepath.Join(dir, "to"))
	if err := f.Write("a", WriteOptions{}, content("a")); err != nil {
		t.Error(err)
	}
	must.Fail(t, "over a file", f.Write("a", WriteOptions{}, content("b")), fs.ErrExist)
	if err := f.Write("b", WriteOptions{}, content("b")); err != nil {
		t.Error(err)
	}
	must.Fail(t, "exchange", f.Exchange("a", "b"), syscall.EPERM)
	for i, want := range []string{"a", "a-2"} {
		if i == 1 {
			writeFile(t, filepath.Join(dir, "a"), []byte("second"))
		}
		if got, err := f.Move("a", to, "a"); got != want || err != nil {
			t.Errorf("moved as %q, %v", got, err)
		}
	}
	if got, err := f.Move("b", f, "c"); got != "c" || err != nil {
		t.Errorf("moved as %q, %v", got, err)
	}
	holds(t, dir, map[string]string{"c": "b", "to": ""})
	holds(t, filepath.Join(dir, "to"), map[string]string{"a": "a", "a-2": "second"})
}

// A disk that fills in each step of a write: the old file is whole, and nothing else is left.
func TestFullInEachStep(t *testing.T) {
	for _, bad := range []Step{ToSyncFile, ToLink, ToRename} {
		for _, overwrite := range []bool{false, true} {
			dir := t.TempDir()
			want := map[string]string{}
			if overwrite {
				writeFile(t, filepath.Join(dir, "a"), []byte("old"))
				want["a"] = "old"
			}
			stop := Intercept(func(step Step, path string) error {
				if step == bad {
					return &fs.PathError{Op: string(step), Path: path, Err: syscall.ENOSPC}
				}
				return nil
			})
			err := Write(filepath.Join(dir, "a"), WriteOptions{Overwrite: overwrite}, content("new"))
			stop()
			switch passed := bad == ToLink || bad == ToRename && !overwrite; { // a rename stands in for a link
			case passed && err != nil:
				t.Errorf("%s, overwrite %v: %v", bad, overwrite, err)
			case passed:
				want["a"] = "new"
			case !IsFull(err) || strings.Contains(err.Error(), tempPrefix):
				t.Errorf("%s, overwrite %v: %v", bad, overwrite, err)
			}
			holds(t, dir, want)
		}
	}
}
