//go:build unix

package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

func open(t *testing.T, path string) *Folder {
	t.Helper()
	f := must.Get(Open(path))(t)
	t.Cleanup(func() { f.Close() })
	return f
}

func writeFile(t *testing.T, path string, data []byte) string {
	t.Helper()
	must.Do(t, os.WriteFile(path, data, 0o666))
	return path
}

func content(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// holds checks all that is in the folder: names and contents.

func holds(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	for _, e := range entries {
		got, _ := os.ReadFile(filepath.Join(dir, e.Name()))
		if w, ok := want[e.Name()]; !ok || string(got) != w {
			t.Errorf("%s holds %q, want %q (%v)", e.Name(), got, w, ok)
		}
	}
	if len(entries) != len(want) {
		t.Errorf("%d entries, want %d", len(entries), len(want))
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	for _, overwrite := range []bool{false, true} {
		must.Do(t, Write(path, WriteOptions{Overwrite: overwrite}, content(fmt.Sprint(overwrite))))
		holds(t, dir, map[string]string{"a": fmt.Sprint(overwrite)})
	}
	err := Write(path, WriteOptions{}, func(io.Writer) error { t.Error("the writer is called in vain"); return nil })
	var pathError *fs.PathError
	if !errors.Is(err, fs.ErrExist) || !errors.As(err, &pathError) || pathError.Path != path {
		t.Errorf("over an existing file: %v", err)
	}
	holds(t, dir, map[string]string{"a": "true"})
}

// A writer that fails after n bytes, or panics, leaves everything as it was.

func TestFailingWriter(t *testing.T) {
	dir := t.TempDir()
	old := writeFile(t, filepath.Join(dir, "old"), []byte("before"))
	failure := errors.New("no more")
	for _, n := range []int{0, 1, 1 << 20} {
		for _, path := range []string{old, filepath.Join(dir, "new")} {
			err := Write(path, WriteOptions{Overwrite: true}, func(w io.Writer) error {
				w.Write(make([]byte, n))
				return failure
			})
			if err != failure {
				t.Errorf("%v, want the writer's own error", err)
			}
			func() {
				defer func() {
					if recover() == nil {
						t.Error("the panic is lost")
					}
				}()
				Write(path, WriteOptions{Overwrite: true}, func(w io.Writer) error {
					w.Write(make([]byte, n))
					panic(failure)
				})
			}()
			holds(t, dir, map[string]string{"old": "before"})
		}
	}
}

// A folder that cannot be flushed: the new file is there, whole, and the error says just that.

func TestFolderNotFlushed(t *testing.T) {
	dir := t.TempDir()
	path := writeFile(t, filepath.Join(dir, "a"), []byte("old"))
	defer Intercept(func(step Step, path string) error {
		if step == ToSyncFolder {
			return &fs.PathError{Op: "sync", Path: path, Err: syscall.EIO}
		}
		return nil
	})()
	err := Write(path, WriteOptions{Overwrite: true}, content("new"))
	var pathError *fs.PathError
	if !errors.Is(err, ErrNotFlushed) || !errors.Is(err, syscall.EIO) || !errors.As(err, &pathError) ||
		bytes.ContainsRune([]byte(err.Error()), '\n') {
		t.Errorf("%v", err)
	}
	holds(t, dir, map[string]string{"a": "new"})
}

// A full disk: the error names the file that was asked for, and nothing is left.

func TestWriteTargets(t *testing.T) {
	dir := t.TempDir()
	victim := writeFile(t, filepath.Join(dir, "victim"), []byte("untouched"))
	link, dangling, sub, fifo := filepath.Join(dir, "link"), filepath.Join(dir, "dangling"), filepath.Join(dir, "sub"),
		filepath.Join(dir, "fifo")
	for _, err := range []error{os.Symlink(victim, link), os.Symlink("nowhere", dangling), os.Mkdir(sub, 0o777),
		syscall.Mkfifo(fifo, 0o666)} {
		must.Do(t, err)
	}
	for _, path := range []string{link, dangling, sub, fifo, victim} {
		if err := Write(path, WriteOptions{}, content("new")); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s without overwrite: %v", path, err)
		}
	}
	special := []string{sub, fifo}
	// A device of its own, for one of the system would be lost if the test fails.
	if device := filepath.Join(dir, "device"); syscall.Mknod(device, syscall.S_IFCHR|0o666, 1<<8|3) == nil {
		special = append(special, device)
	}
	for _, path := range special {
		must.Fail(t, path, Write(path, WriteOptions{Overwrite: true}, content("new")), ErrNotRegular)
	}
	if err := CanWrite(sub, true); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("a folder: %v", err)
	}
	for _, path := range []string{link, dangling} {
		must.Do(t, Write(path, WriteOptions{Overwrite: true}, content("new")))
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			t.Errorf("%s is not a file of its own: %v", path, err)
		}
	}
	if got, _ := os.ReadFile(victim); string(got) != "untouched" {
		t.Errorf("the link was followed: %q", got)
	}
	err := Write(filepath.Join(dir, "none", "a"), WriteOptions{Overwrite: true}, content("new"))
	var pathError *fs.PathError
	if !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &pathError) || filepath.Base(pathError.Path) != "a" {
		t.Errorf("in a missing folder: %v", err)
	}
}

func TestPermissions(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	mask := syscall.Umask(0o027)
	defer syscall.Umask(mask)
	perm := func() fs.FileMode {
		info := must.Get(os.Stat(path))(t)
		return info.Mode().Perm()
	}
	if err := Write(path, WriteOptions{}, content("1")); err != nil || perm() != 0o640 {
		t.Errorf("a new file: %v, %v", perm(), err)
	}
	for _, p := range []fs.FileMode{0o600, 0o666} {
		must.Do(t, os.Chmod(path, p))
		if err := Write(path, WriteOptions{Overwrite: true}, content("2")); err != nil || perm() != p {
			t.Errorf("a replaced file of %v: %v, %v", p, perm(), err)
		}
	}
}

// Of many writers to a free name exactly one gets it, and what it wrote stays.

func TestNoOverwriteRace(t *testing.T) {
	for range 20 {
		dir := t.TempDir()
		path := filepath.Join(dir, "a")
		var winners atomic.Int32
		var won atomic.Value
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				s := fmt.Sprint("writer ", i)
				switch err := Write(path, WriteOptions{}, content(s)); {
				case err == nil:
					winners.Add(1)
					won.Store(s)
				case !errors.Is(err, fs.ErrExist):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if winners.Load() != 1 {
			t.Fatalf("%d writers got the name", winners.Load())
		}
		holds(t, dir, map[string]string{"a": won.Load().(string)})
	}
}

func TestTakeNameWithoutLinks(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	writeFile(t, filepath.Join(dir, "temp"), []byte("new"))
	if err := f.takeReserved("temp", "a"); err != nil {
		t.Error(err)
	}
	holds(t, dir, map[string]string{"a": "new"})
	writeFile(t, filepath.Join(dir, "temp"), []byte("newer"))
	must.Fail(t, "over an existing file", f.takeReserved("temp", "a"), fs.ErrExist)
	holds(t, dir, map[string]string{"a": "new", "temp": "newer"})
	must.Fail(t, "of nothing", f.takeReserved("none", "b"), fs.ErrNotExist)
	holds(t, dir, map[string]string{"a": "new", "temp": "newer"})
}

// Readers see a whole file at any time.

func TestReadersSeeWholeFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	versions := [2]string{string(bytes.Repeat([]byte("x"), 100_000)), string(bytes.Repeat([]byte("y"), 200_000))}
	must.Do(t, Write(path, WriteOptions{Overwrite: true}, content(versions[0])))
	stop, done := make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != versions[0] && string(got) != versions[1] {
				t.Errorf("%d bytes, %v", len(got), err)
				return
			}
		}
	}()
	for i := range 50 {
		if err := Write(path, WriteOptions{Overwrite: true}, content(versions[i%2])); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	<-done
}
