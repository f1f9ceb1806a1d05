//go:build unix

package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/blorc-denoise/blorc-denoise/internal/disk/disktest"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

func mkdir(t *testing.T, path string) {
	t.Helper()
	must.Do(t, os.MkdirAll(path, 0o777))
}

func symlink(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		disktest.Lacks(t, err)
	}
}

func TestSubFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	mkdir(t, filepath.Join(in, "a", "b"))
	mkdir(t, filepath.Join(dir, "outside", "b"))
	writeFile(t, filepath.Join(in, "file"), nil)
	symlink(t, "a", filepath.Join(in, "inside"))
	symlink(t, "../outside", filepath.Join(in, "outside"))
	symlink(t, filepath.Join(dir, "outside"), filepath.Join(in, "absolute"))
	symlink(t, "nowhere", filepath.Join(in, "dangling"))
	symlink(t, "../../outside", filepath.Join(in, "a", "deep"))
	must.Do(t, syscall.Mkfifo(filepath.Join(in, "fifo"), 0o666))
	f := open(t, in)
	for name, want := range map[string]error{
		".": nil, "a": nil, "a/b": nil, "./a//b/": nil,
		"inside": ErrLink, "inside/b": ErrLink, "outside": ErrLink, "outside/b": ErrLink, "absolute": ErrLink,
		"dangling": ErrLink, "a/deep/b": ErrLink,
		"..": syscall.ENOTDIR, "a/../../outside": syscall.ENOTDIR, "file": syscall.ENOTDIR, "fifo": syscall.ENOTDIR,
		"none": fs.ErrNotExist,
	} {
		sub, err := f.Sub(name)
		if !errors.Is(err, want) {
			t.Errorf("Sub(%q): %v, want %v", name, err, want)
		}
		var p *fs.PathError
		if err != nil && (!errors.As(err, &p) || !filepath.IsAbs(p.Path)) {
			t.Errorf("Sub(%q): the error %v has no whole path", name, err)
		}
		if sub != nil {
			sub.Close()
		}
	}
	for name, good := range map[string]bool{"a/b": true, "inside/b": true, "outside": false, "absolute": false,
		"a/deep/b": false} {
		sub, err := f.Below(name)
		if (err == nil) != good {
			t.Errorf("Below(%q): %v", name, err)
		}
		if sub != nil {
			sub.Close()
		}
	}
}

// A folder that is swapped for a link between a folder of the same name and one outside is never left by Sub.
func TestSubWhileFoldersAreSwapped(t *testing.T) {
	dir := t.TempDir()
	in, real, link := filepath.Join(dir, "in"), filepath.Join(dir, "real"), filepath.Join(dir, "link")
	mkdir(t, in)
	mkdir(t, filepath.Join(dir, "outside"))
	mkdir(t, filepath.Join(in, "d"))
	writeFile(t, filepath.Join(in, "d", "x"), []byte("inside"))
	writeFile(t, filepath.Join(dir, "outside", "x"), []byte("outside"))
	symlink(t, filepath.Join(dir, "outside"), link)
	stop, done := make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				os.Rename(filepath.Join(in, "d"), real)
				os.Rename(link, filepath.Join(in, "d"))
				os.Rename(filepath.Join(in, "d"), link)
				os.Rename(real, filepath.Join(in, "d"))
			}
		}
	}()
	defer func() { close(stop); <-done }()
	f, opened, refused := open(t, in), 0, 0
	for end := time.Now().Add(200 * time.Millisecond); time.Now().Before(end); {
		sub, err := f.Sub("d")
		if err != nil {
			if !errors.Is(err, ErrLink) && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			refused++
			continue
		}
		if info, err := sub.Lstat("x"); err == nil && info.Size() != 6 {
			t.Fatal("outside")
		}
		opened++
		sub.Close()
	}
	t.Logf("%d opened, %d refused", opened, refused)
}

func TestOpenTakesRegularFilesOnly(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	writeFile(t, filepath.Join(dir, "a"), []byte("text"))
	symlink(t, "a", filepath.Join(dir, "link"))
	symlink(t, "none", filepath.Join(dir, "dangling"))
	mkdir(t, filepath.Join(dir, "folder"))
	must.Do(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o666))
	for name, want := range map[string]error{"a": nil, "link": ErrLink, "dangling": ErrLink, "folder": ErrNotRegular,
		"fifo": ErrNotRegular} {
		for _, opener := range []func(string) (*os.File, error){f.Open, f.OpenOrCreate} {
			file, err := opener(name)
			must.Fail(t, name, err, want)
			if file != nil {
				file.Close()
			}
		}
	}
	if _, err := f.Open("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if got := steps(t, dir, func() { must.Get(f.OpenOrCreate("new"))(t).Close() }); len(got) > 0 {
		t.Errorf("%q: a file that was made is opened once more", got)
	}
	if _, err := os.Lstat(filepath.Join(dir, "none")); err == nil {
		t.Error("a dangling link was followed")
	}
}

func TestMake(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	for range 2 {
		must.Do(t, f.Make("a/b/c"))
		must.Do(t, Make(filepath.Join(dir, "d", "e")))
	}
	symlink(t, t.TempDir(), filepath.Join(dir, "out"))
	if f.Make("out/x") == nil {
		t.Error("made outside")
	}
	for _, name := range []string{"a/b/c", "d/e"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.IsDir() {
			t.Error(name, err)
		}
	}
}

func TestWithParent(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a", "b", "x")
	failed := errors.New("failed")
	err := WithParent(path, func() error {
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			t.Error(err)
		}
		return failed
	})
	if err != failed {
		t.Error(err)
	}
	holds(t, dir, nil)
	mkdir(t, filepath.Join(dir, "a"))
	if err := WithParent(path, func() error { return failed }); err != failed {
		t.Error(err)
	}
	holds(t, dir, map[string]string{"a": ""}) // it was there before
	WithParent(path, func() error {
		writeFile(t, path, []byte("left"))
		return failed
	})
	holds(t, filepath.Dir(path), map[string]string{"x": "left"})
	if err := WithParent(path, func() error { return nil }); err != nil {
		t.Error(err)
	}
	below := filepath.Join(path, "y", "z") // a file cannot be a folder
	if err := WithParent(below, func() error { return os.WriteFile(below, nil, 0o666) }); err == nil {
		t.Error("written below a file")
	}
}

func TestRemoveEmpty(t *testing.T) {
	dir := t.TempDir()
	at := func(names ...string) string { return filepath.Join(append([]string{dir}, names...)...) }
	mkdir(t, at("there"))
	missing := Missing(at("there"), at("a", "b"), at("a", "c")+string(filepath.Separator), at("a", "b"), at("f"))
	if here := Missing("", "."); len(here) > 0 {
		t.Errorf("%q are missing", here)
	}
	if want := []string{at("a", "b"), at("a", "c"), at("a"), at("f")}; !slices.Equal(missing, want) {
		t.Errorf("%q are missing, want %q", missing, want)
	}
	must.Do(t, errors.Join(Make(at("a", "b")), Make(at("a", "c"))))
	writeFile(t, at("a", "c", "x"), []byte("left"))
	writeFile(t, at("f"), []byte("a file"))
	RemoveEmpty(missing)
	holds(t, at("a"), map[string]string{"c": ""})
	holds(t, dir, map[string]string{"a": "", "f": "a file", "there": ""})
}

func TestMoveReplacesNothing(t *testing.T) {
	dir := t.TempDir()
	mkdir(t, filepath.Join(dir, "to"))
	from, to := open(t, dir), open(t, filepath.Join(dir, "to"))
	for i, want := range []string{"a.x", "a-2.x", "a-3.x"} {
		writeFile(t, filepath.Join(dir, "a.x"), []byte{byte(i)})
		got, err := from.Move("a.x", to, "a.x")
		if got != want || err != nil {
			t.Errorf("%s, %v", got, err)
		}
	}
	// A move that was killed after the link was made.
	writeFile(t, filepath.Join(dir, "b"), nil)
	if err := os.Link(filepath.Join(dir, "b"), filepath.Join(dir, "to", "b")); err != nil {
		disktest.Lacks(t, err)
	}
	if got, err := from.Move("b", to, "b"); got != "b" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	writeFile(t, filepath.Join(dir, "c"), []byte("c"))
	if err := from.copyTo("c", to, "c"); err != nil {
		t.Error(err)
	}
	must.Fail(t, "a copy over a file", from.copyTo("c", to, "c"), fs.ErrExist)
	if _, err := from.Move("none", to, "d"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	holds(t, filepath.Join(dir, "to"), map[string]string{"a.x": "\x00", "a-2.x": "\x01", "a-3.x": "\x02", "b": "",
		"c": "c"})
}

// Move flushes the new name before it removes the old one. It renames the file only if the disk makes no hard link.
func TestMoveOrder(t *testing.T) {
	dir := t.TempDir()
	mkdir(t, filepath.Join(dir, "to"))
	f, to := open(t, dir), open(t, filepath.Join(dir, "to"))
	writeFile(t, filepath.Join(dir, "to", "a"), nil)
	writeFile(t, filepath.Join(dir, "a"), nil)
	moved := steps(t, dir, func() { must.Get(f.Move("a", to, "a"))(t) })
	if want := []string{"link to/a", "link to/a-2", "sync folder to", "remove a"}; !slices.Equal(moved, want) {
		t.Errorf("%q, want %q", moved, want)
	}
	none := steps(t, dir, func() { must.Fail(t, "nothing", must.Err(f.Move("none", f, "b")), fs.ErrNotExist) })
	if want := []string{"link b"}; !slices.Equal(none, want) {
		t.Errorf("of nothing: %q, want %q", none, want)
	}
	writeFile(t, filepath.Join(dir, "c"), nil)
	var renamed []string
	defer Intercept(func(step Step, path string) error {
		renamed = append(renamed, fmt.Sprint(step, " ", filepath.Base(path)))
		if step == ToLink {
			return syscall.EPERM
		}
		return nil
	})()
	must.Get(f.Move("c", f, "d"))(t)
	if want := []string{"link d", "rename d"}; !slices.Equal(renamed, want) {
		t.Errorf("without links: %q, want %q", renamed, want)
	}
}

func TestBeforeRename(t *testing.T) {
	dir := t.TempDir()
	path, no := filepath.Join(dir, "a"), errors.New("no")
	var seen string
	o := WriteOptions{Overwrite: true, ModTime: time.Unix(1e9, 5000), BeforeRename: func(f *os.File) error {
		text, _ := os.ReadFile(f.Name())
		seen = string(text)
		return no
	}}
	writeFile(t, path, []byte("old"))
	if err := Write(path, o, content("new")); err != no || seen != "new" {
		t.Errorf("%v, with %q in the file", err, seen)
	}
	holds(t, dir, map[string]string{"a": "old"})
	o.BeforeRename = nil
	if err := Write(path, o, content("new")); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(path); err != nil || !info.ModTime().Equal(o.ModTime) {
		t.Errorf("time %v, %v", info.ModTime(), err)
	}
}

// A folder that may not be read is no way to those below it.
func TestNothingBelowAFolderThatCannotBeRead(t *testing.T) {
	f := &Folder{names: plain(t.TempDir())}
	must.Fail(t, "Sub", must.Err(f.Sub(".")), fs.ErrPermission)
	must.Fail(t, "Below", must.Err(f.Below(".")), fs.ErrPermission)
}

// A folder may be open to writing but closed to reading.
func TestWriteIntoAFolderThatCannotBeRead(t *testing.T) {
	if os.Getuid() == 0 {
		f := &Folder{names: plain(t.TempDir())} // the superuser may read all
		if err := f.Write("a", WriteOptions{}, content("a")); err != nil {
			t.Error(err)
		}
		return
	}
	dir := t.TempDir()
	defer os.Chmod(dir, 0o777)
	must.Do(t, os.Chmod(dir, 0o300))
	if err := Write(filepath.Join(dir, "a"), WriteOptions{}, content("a")); err != nil {
		t.Error(err)
	}
}

func TestSweepTempAllFollowsNoLink(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	const temp = ".blorc-00000000000000aa.tmp"
	mkdir(t, filepath.Join(dir, "a", "b"))
	symlink(t, outside, filepath.Join(dir, "link"))
	for _, d := range []string{outside, dir, filepath.Join(dir, "a", "b")} {
		writeFile(t, filepath.Join(d, temp), nil)
	}
	n := 0
	open(t, dir).SweepTempAll(0, func(_ string, removed int, err error) {
		if n += removed; err != nil {
			t.Error(err)
		}
	})
	if _, err := os.Stat(filepath.Join(outside, temp)); n != 2 || err != nil {
		t.Errorf("%d removed, outside: %v", n, err)
	}
}
