//go:build unix

package disk

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

func TestIsTemp(t *testing.T) {
	for name, want := range map[string]bool{
		".blorc-0123456789abcdef.tmp":        true,
		"/a/b/.blorc-ffffffffffffffff.tmp":   true,
		".blorc-0123456789abcdeg.tmp":        false,
		".blorc-123.tmp":                     false,
		".blorc-.tmp":                        false,
		".blorc-my notes.tmp":                false,
		"blorc-0123456789abcdef.tmp":         false,
		".blorc-0123456789abcdef.tmp.png":    false,
		".blorc-0123456789abcdef.tmp/a.png":  false,
		"x.blorc-0123456789abcdef.tmp":       false,
		".blorc-0123456789abcdef0123456.tmp": false,
	} {
		if got := IsTemp(name); got != want {
			t.Errorf("IsTemp(%q) = %v", name, got)
		}
	}
}

// What createTemp makes is what IsTemp knows.
func TestCreateTempIsTemp(t *testing.T) {
	dir := t.TempDir()
	f, name, err := open(t, dir).createTemp(0o666)
	must.Do(t, err)
	f.Close()
	if !IsTemp(name) || f.Name() != filepath.Join(dir, name) {
		t.Errorf("created %s", f.Name())
	}
}

// Nobody may open a temporary file who may not open the file that it becomes, not even for an instant.
func TestCreateTempPermissions(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	for _, perm := range []fs.FileMode{0o600, 0o640, 0o666} {
		f, name, err := open(t, t.TempDir()).createTemp(perm)
		must.Do(t, err)
		if info, err := f.Stat(); err != nil || info.Mode().Perm() != perm {
			t.Errorf("%s has %v, want %v, %v", name, info.Mode().Perm(), perm, err)
		}
		f.Close()
	}
}

// late is names in a folder where somebody makes each file just before it is opened, until none is left to make.
type late struct {
	names
	left int
}

func (l *late) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	if l.left > 0 {
		l.left--
		file, err := l.names.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			return nil, err
		}
		file.WriteString("another's")
		file.Close()
	}
	return l.names.OpenFile(name, flag, perm)
}

// A temporary file never is a file that was there before.
func TestCreateTempIsNew(t *testing.T) {
	f := open(t, t.TempDir())
	f.names = &late{f.names, 3}
	file, name, err := f.createTemp(0o666)
	must.Do(t, err)
	defer file.Close()
	entries := must.Get(f.ReadDir())(t)
	for _, e := range entries {
		if text, _ := os.ReadFile(filepath.Join(f.path, e.Name())); string(text) != "another's" && e.Name() != name {
			t.Errorf("%s holds %q", e.Name(), text)
		}
	}
	if info, err := file.Stat(); len(entries) != 4 || err != nil || info.Size() > 0 {
		t.Errorf("%d files, %v, %v", len(entries), info, err)
	}
}

func TestSweepTemp(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-2 * time.Hour)
	make := func(name string, at time.Time) {
		writeFile(t, filepath.Join(dir, name), nil)
		must.Do(t, os.Chtimes(filepath.Join(dir, name), at, at))
	}
	stale, fresh, future := ".blorc-00000000000000aa.tmp", ".blorc-00000000000000bb.tmp", ".blorc-00000000000000cc.tmp"
	make(stale, old)
	make(fresh, time.Now())
	make(future, time.Now().Add(time.Hour))
	make("a.png", old)
	make(".blorc-notes.tmp", old)
	must.Do(t, os.Mkdir(filepath.Join(dir, ".blorc-00000000000000dd.tmp"), 0o777))
	if n, err := SweepTemp(dir, time.Hour); n != 1 || err != nil {
		t.Errorf("removed %d, %v", n, err)
	}
	entries := must.Get(os.ReadDir(dir))(t)
	for _, e := range entries {
		if e.Name() == stale {
			t.Error("the stale file is still there")
		}
	}
	if len(entries) != 5 {
		t.Errorf("%d entries are left of 5", len(entries))
	}
	if _, err := SweepTemp(filepath.Join(dir, "none"), 0); !os.IsNotExist(err) {
		t.Errorf("a missing folder: %v", err)
	}
}

// A folder is asked itself, by a file that nobody else may read, and nothing is left there.
func TestProbes(t *testing.T) {
	dir := t.TempDir()
	defer syscall.Umask(syscall.Umask(0))
	probed := 0
	defer Intercept(func(step Step, path string) error {
		probed++
		if info, err := os.Lstat(path); step != ToRemove || err != nil || info.Mode() != 0o600 {
			t.Errorf("%s of %v, %v", step, info, err)
		}
		return nil
	})()
	folds, err := FoldsCase(dir), Writable(dir)
	if err != nil || probed != 2 {
		t.Errorf("%d files, %v", probed, err)
	}
	holds(t, dir, nil)
	writeFile(t, filepath.Join(dir, "a"), nil)
	if _, err := os.Lstat(filepath.Join(dir, "A")); folds != (err == nil) {
		t.Errorf("%v, but %v", folds, err)
	}
	none := filepath.Join(dir, "none")
	if FoldsCase(none) {
		t.Error("a folder that is not there")
	}
	must.Fail(t, "a folder that is not there", Writable(none), fs.ErrNotExist)
}
