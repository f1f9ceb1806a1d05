//go:build unix

package batch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// F36: an input that changes during the work leaves no output of an older version, and an output that existed stays
// until a better one has its name.
func TestFaultF36NoOutputOfAnOlderVersion(t *testing.T) {
	for _, existed := range []bool{false, true} {
		for _, overwrite := range []Overwrite{Never, Older, Always} {
			for _, failing := range []bool{false, true} {
				if existed && overwrite == Never {
					continue // it is not due
				}
				dir := tree(t, "a.png", "out/")
				path, out, n := filepath.Join(dir, "a.png"), filepath.Join(dir, "out", "a.png"), 0
				if existed {
					os.WriteFile(out, []byte("good"), 0o666)
				}
				o := Output{Folder: filepath.Join(dir, "out"), Overwrite: overwrite}
				_, err := o.Make(item(t, path, out), imageio.WriteOptions{}, func(to Task) error {
					if n++; failing && n > 1 { // the second version is damaged
						return imageio.ErrFormat
					}
					os.WriteFile(path, make([]byte, 100+n), 0o666)
					err := write("result")(to)
					if text, e := os.ReadFile(out); existed && string(text) != "good" || !existed && e == nil {
						t.Errorf("%s, try %d: the output is %q", overwrite, n, text)
					}
					return err
				})
				if want := map[bool]error{false: ErrChanged, true: imageio.ErrFormat}[failing]; !errors.Is(err, want) {
					t.Errorf("%s: %v", overwrite, err)
				}
				if existed {
					only(t, filepath.Join(dir, "out"), "a.png")
					if content(t, out) != "good" {
						t.Errorf("%s: the good output is lost", overwrite)
					}
				} else {
					only(t, filepath.Join(dir, "out"))
				}
			}
		}
	}
}

// swap puts a link in the place of a folder.
func swap(t *testing.T, folder, to string) {
	t.Helper()
	if err := os.Rename(folder, folder+"-away"); err != nil {
		t.Fatal(err)
	}
	symlink(t, to, folder)
}

// F34: a folder below the output folder becomes a link while its file is worked on.
func TestFaultF34OutputFolderBecomesALink(t *testing.T) {
	for _, overwrite := range []Overwrite{Never, Always} {
		dir := tree(t, "in/d/a.png", "out/d/", "outside/")
		o := Output{Folder: filepath.Join(dir, "out"), Overwrite: overwrite, Preserve: true}
		it := item(t, filepath.Join(dir, "in", "d", "a.png"), filepath.Join(dir, "out", "d", "a.png"))
		_, err := o.Make(it, imageio.WriteOptions{}, func(to Task) error {
			swap(t, filepath.Join(dir, "out", "d"), filepath.Join(dir, "outside"))
			return write("new")(to)
		})
		if err != nil {
			t.Error(err)
		}
		only(t, filepath.Join(dir, "outside"))
		only(t, filepath.Join(dir, "out", "d-away"), "a.png")
		if _, err := o.Make(it, imageio.WriteOptions{}, write("new")); err == nil {
			t.Error("written through a link")
		}
		only(t, filepath.Join(dir, "outside"))
	}
}

// F25: nobody waits for the other end of a FIFO that takes the place of an input.
func TestFaultF25InputBecomesAFIFO(t *testing.T) {
	dir := tree(t, "a.png", "out/")
	path := filepath.Join(dir, "a.png")
	it, done := item(t, path, filepath.Join(dir, "out", "a.png")), make(chan error, 1)
	go func() {
		_, err := Output{Folder: filepath.Join(dir, "out")}.Make(it, imageio.WriteOptions{}, func(to Task) error {
			if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
				return fs.ErrInvalid // as a reader of images would
			}
			return errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o666), write("new")(to))
		})
		done <- err
	}()
	select {
	case err := <-done:
		must.Fail(t, "the second try", err, fs.ErrInvalid)
	case <-time.After(20 * time.Second):
		t.Fatal("still waiting")
	}
}

// F33: a folder below a folder that was searched becomes a link before its file is read, or while it is worked on.
// Nothing outside is read or replaced.
func TestFaultF33InputFolderBecomesALink(t *testing.T) {
	for _, inPlace := range []bool{false, true} {
		for _, before := range []bool{false, true} {
			dir := tree(t, "in/d/a.png", "out/", "outside/a.png")
			path := filepath.Join(dir, "in", "d", "a.png")
			o, out := Output{Folder: filepath.Join(dir, "out")}, filepath.Join(dir, "out", "a.png")
			if inPlace {
				o, out = Output{InPlace: true, Backup: true}, path
			}
			it := item(t, path, out)
			it.Root = filepath.Join(dir, "in")
			toLink := func() { swap(t, filepath.Join(dir, "in", "d"), filepath.Join(dir, "outside")) }
			if before {
				toLink()
			}
			_, err := o.Make(it, imageio.WriteOptions{}, func(to Task) error {
				if !before {
					toLink()
				}
				f, err := to.InRoot.Open(to.In)
				if err != nil {
					return err
				}
				f.Close()
				return write("new")(to)
			})
			if before != (err != nil) {
				t.Errorf("in place %v, before the work %v: %v", inPlace, before, err)
			}
			only(t, filepath.Join(dir, "outside"), "a.png")
			if content(t, filepath.Join(dir, "outside", "a.png")) != "outside/a.png" {
				t.Error("replaced outside")
			}
		}
	}
}
