package batch

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

func item(t *testing.T, path, out string) Item {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return Item{Input{Path: path, Rel: filepath.Base(path), Info: info}, out}
}

func write(text string) func(Task) error {
	return func(to Task) error {
		return to.write(func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

// only checks what a folder holds.
func only(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, _ := os.ReadDir(dir)
	got := map[string]bool{}
	for _, e := range entries {
		got[e.Name()] = true
	}
	for _, w := range want {
		if !got[w] {
			t.Errorf("%s is missing", w)
		}
		delete(got, w)
	}
	for name := range got {
		t.Errorf("%s is left", name)
	}
}

func TestDue(t *testing.T) {
	t.Chdir(tree(t, "a.png", "out/a.png"))
	it := item(t, "a.png", "out/a.png")
	older, newer := it.Info.ModTime().Add(-time.Second), it.Info.ModTime().Add(time.Second)
	for _, test := range []struct {
		o    Overwrite
		time time.Time
		due  bool
	}{{Never, older, false}, {Older, older, true}, {Older, it.Info.ModTime(), false}, {Older, newer, false},
		{Always, newer, true}} {
		touch(t, "out/a.png", test.time)
		if due, _ := (Output{Overwrite: test.o}).Due(it); due != test.due {
			t.Errorf("%s: due %v", test.o, due)
		}
	}
	os.Remove("out/a.png")
	for _, o := range []Overwrite{Never, Older, Always} {
		if due, _ := (Output{Overwrite: o}).Due(it); !due {
			t.Errorf("%s: a missing output is not due", o)
		}
	}
}

// Without backups, the history tells what was done. Who changes the picture, or asks for it, gets it done again.
func TestInPlaceWithoutBackupIsDoneOnce(t *testing.T) {
	t.Chdir(tree(t, "a.png", "b.png"))
	cache := t.TempDir()
	o := Output{InPlace: true, Overwrite: Never, History: OpenHistory(cache)}
	it := item(t, "a.png", "a.png")
	if due, _ := o.Due(it); !due {
		t.Error("not due at first")
	}
	produce(t, o, it, "new")
	due := func(want bool) {
		t.Helper()
		o.History = OpenHistory(cache) // as in another process
		if got, why := o.Due(item(t, "a.png", "a.png")); got != want {
			t.Errorf("due %v, %q", got, why)
		}
	}
	due(false)
	o.Backup = true
	due(false)
	o.Backup, o.Overwrite = false, Always
	due(true)
	o.Overwrite = Never
	old := time.Now().Add(-time.Hour)
	os.Chtimes("a.png", old, old)
	due(false)
	os.WriteFile("a.png", []byte("now"), 0o666)
	due(true)

	// What was made of another file may be denoised once more.
	o.History = OpenHistory(cache)
	other := item(t, "b.png", "a.png")
	produce(t, Output{Overwrite: Always, History: o.History}, other, "of b")
	due(true)
}

func TestInPlaceKeepsABackup(t *testing.T) {
	dir := tree(t, "a.png")
	path := filepath.Join(dir, "a.png")
	o := Output{InPlace: true, Backup: true, Preserve: true}
	past := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	os.Chtimes(path, past, past)
	it := item(t, path, path)
	if due, _ := o.Due(it); !due {
		t.Error("not due at first")
	}
	failure := errors.New("no")
	if _, err := o.Make(it, imageio.WriteOptions{}, func(Task) error { return failure }); err != failure {
		t.Error(err)
	}
	only(t, dir, "a.png")
	if _, err := o.Make(it, imageio.WriteOptions{}, write("new")); err != nil {
		t.Fatal(err)
	}
	only(t, dir, "a.png", "a.png.orig")
	if content(t, path) != "new" || content(t, path+".orig") != "a.png" {
		t.Error("contents")
	}
	if info, _ := os.Stat(path); !info.ModTime().Equal(past) {
		t.Errorf("time %v", info.ModTime())
	}
	if due, _ := o.Due(it); due {
		t.Error("due again")
	}
	if _, err := o.Make(it, imageio.WriteOptions{}, write("newer")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a backup: %v", err)
	}
	if content(t, path) != "new" || content(t, path+".orig") != "a.png" {
		t.Error("contents after a second time")
	}
	only(t, dir, "a.png", "a.png.orig")
}

// F25: the input is replaced, rewritten or deleted while it is worked on.
func TestFaultF25ChangesMeanwhile(t *testing.T) {
	swaps := map[string]func(string) error{
		"replaced": func(path string) error {
			os.WriteFile(path+".2", []byte("other"), 0o666)
			return os.Rename(path+".2", path)
		},
		"rewritten": func(path string) error { return os.WriteFile(path, []byte("another"), 0o666) },
		"touched":   func(path string) error { return os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)) },
		"deleted":   os.Remove,
	}
	for name, swap := range swaps {
		for _, inPlace := range []bool{false, true} {
			for _, always := range []bool{false, true} {
				dir := tree(t, "a.png", "out/")
				path, out := filepath.Join(dir, "a.png"), filepath.Join(dir, "out", "a.png")
				if inPlace {
					out = path
				}
				it, calls := item(t, path, out), 0
				_, err := Output{InPlace: inPlace, Overwrite: Never}.Make(it, imageio.WriteOptions{},
					func(to Task) error {
						text, err := os.ReadFile(path)
						if err != nil {
							return err
						}
						if calls++; calls == 1 || always {
							if err := swap(path); err != nil {
								return err
							}
						}
						return write("of " + string(text))(to)
					})
				text, _ := os.ReadFile(path)
				switch {
				case name == "touched" && always && inPlace: // the third time it is as it was
				case name == "deleted" && !inPlace:
					if err != nil || content(t, out) != "of a.png" {
						t.Errorf("deleted: %v", err)
					}
				case name == "deleted":
				case always && name != "touched":
					if !errors.Is(err, ErrChanged) && err != nil {
						t.Errorf("%s always, in place %v: %v", name, inPlace, err)
					}
				case err != nil || !inPlace && content(t, out) != "of "+string(text) || inPlace &&
					string(text)[:3] != "of ":
					t.Errorf("%s, in place %v: %v, %q", name, inPlace, err, text)
				}
				for _, d := range []string{dir, filepath.Join(dir, "out")} {
					if n, _ := disk.SweepTemp(d, 0); n > 0 {
						t.Errorf("%s: %d temporary files left", name, n)
					}
				}
			}
		}
	}
}

// The folder of the only output is made, and is gone again if there is no output.
func TestMakesTheFolderOfAFile(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.png")
	writeText(t, in, "noisy")
	it := item(t, in, filepath.Join(dir, "a", "b", "out.png"))
	damaged := func(Task) error { return imageio.ErrFormat }
	if _, err := (Output{}).Make(it, imageio.WriteOptions{}, damaged); !errors.Is(err, imageio.ErrFormat) {
		t.Error(err)
	}
	only(t, dir, "in.png")
	missing := it
	missing.Path = filepath.Join(dir, "none.png")
	if _, err := (Output{}).Make(missing, imageio.WriteOptions{}, write("clean")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	only(t, dir, "in.png")
	if _, err := (Output{}).Make(it, imageio.WriteOptions{}, write("clean")); err != nil {
		t.Error(err)
	}
	if got := content(t, it.Out); got != "clean" {
		t.Errorf("the output holds %q", got)
	}
}

// In place, no folder is made: one that was renamed meanwhile does not come back.
func TestInPlaceMakesNoFolder(t *testing.T) {
	dir := tree(t, "a.png")
	it := item(t, filepath.Join(dir, "a.png"), filepath.Join(dir, "gone", "a.png"))
	_, err := Output{InPlace: true}.Make(it, imageio.WriteOptions{}, func(Task) error {
		t.Error("there is a folder to write into")
		return nil
	})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	only(t, dir, "a.png")
}

// An input that never stands still has no output.
func TestRestlessInput(t *testing.T) {
	dir := tree(t, "a.png", "out/")
	path, out, n := filepath.Join(dir, "a.png"), filepath.Join(dir, "out", "a.png"), 0
	for _, to := range []string{out, path} {
		_, err := Output{InPlace: to == path, Overwrite: Never}.Make(item(t, path, to), imageio.WriteOptions{},
			func(to Task) error {
				n++
				if err := os.WriteFile(path, make([]byte, 100+n), 0o666); err != nil {
					return err
				}
				return write("result")(to)
			})
		if !errors.Is(err, ErrChanged) {
			t.Error(err)
		}
	}
	if n != 2*tries || len(content(t, path)) != 100+n {
		t.Errorf("%d tries, input of %d bytes", n, len(content(t, path)))
	}
	only(t, filepath.Join(dir, "out"))
	only(t, dir, "a.png", "out")
}

// An input that changes while its digest is made is read again.
func TestInputChangesAtTheEnd(t *testing.T) {
	dir := tree(t, "in/a.png", "out/")
	path, out := filepath.Join(dir, "in", "a.png"), filepath.Join(dir, "out", "a.png")
	it := item(t, path, out)
	it.Root = filepath.Join(dir, "in")
	n := 0
	stop := disk.Intercept(func(step disk.Step, at string) error {
		if step == disk.ToOpen && at == path && n == 1 {
			return os.WriteFile(path, []byte("another one"), 0o666)
		}
		return nil
	})
	_, err := Output{Folder: filepath.Join(dir, "out")}.Make(it, imageio.WriteOptions{}, func(to Task) error {
		n++
		text, err := os.ReadFile(path)
		return errors.Join(err, write(string(text))(to))
	})
	stop()
	if err != nil || n != 2 || content(t, out) != "another one" {
		t.Errorf("%d tries, %v, %q", n, err, content(t, out))
	}
}

// A path is written to where there is no open folder.
func TestWriteToAPath(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.png")
	if err := write("new")(Task{Out: out}); err != nil || content(t, out) != "new" {
		t.Error(err)
	}
}

// An error about a name in the folder of an output names the path that the user knows.
func TestErrorsHaveThePathOfTheUser(t *testing.T) {
	dir := t.TempDir()
	folder := must.Get(disk.Open(dir))(t)
	defer folder.Close()
	for name, want := range map[string]string{"a.png": "out/a.png", "b.png": filepath.Join(dir, "b.png")} {
		var p *fs.PathError
		err := renamed(&fs.PathError{Op: "open", Path: filepath.Join(dir, name), Err: fs.ErrExist}, folder, "a.png",
			"out/a.png")
		if !errors.As(err, &p) || p.Path != want || !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Temporary files are swept where the outputs go, beside the inputs or below a folder.
func TestSweep(t *testing.T) {
	const temp = ".blorc-00000000000000aa.tmp"
	dir := tree(t, "in/"+temp, "out/sub/"+temp, "outside/"+temp)
	symlink(t, "../outside", filepath.Join(dir, "out", "link"))
	for _, c := range []struct {
		folder, dir string
		want        int
	}{{"", "in", 1}, {"out", "out/sub", 1}, {"out", "out/link", 0}} {
		o := Output{}
		if c.folder != "" {
			o.Folder = filepath.Join(dir, c.folder)
		}
		n, err := o.Sweep(filepath.Join(dir, filepath.FromSlash(c.dir)), 0)
		if n != c.want || (err != nil) != (n == 0) {
			t.Errorf("%+v: %d swept, %v", c, n, err)
		}
	}
}

// F17: no output leaves its folder by a link in it.
func TestFaultF17LinksInTheOutput(t *testing.T) {
	dir := tree(t, "in/a.png", "outside/", "out/inner/")
	t.Chdir(dir)
	for link, to := range map[string]string{"out/up": "../outside", "out/abs": filepath.Join(dir, "outside"),
		"out/here": "inner", "out/none": "nowhere"} {
		symlink(t, to, link)
	}
	o := Output{Folder: "out"}
	for sub, good := range map[string]bool{"up": false, "up/x": false, "abs": false, "none": false, "here": true,
		"here/x": true, "inner": true, "new/y": true, "": true} {
		out := filepath.Join("out", sub, "a.png")
		_, err := o.Make(item(t, "in/a.png", out), imageio.WriteOptions{}, write("new"))
		if (err == nil) != good {
			t.Errorf("%q: %v", sub, err)
		}
		if _, e := os.Stat(out); (e == nil) != good {
			t.Errorf("%q: %v", sub, e)
		}
	}
	only(t, "outside")
}

// An input that was read while it was half written is read again when it is whole.
func TestHalfWrittenInput(t *testing.T) {
	dir := tree(t, "a.png", "out/")
	path, out, n := filepath.Join(dir, "a.png"), filepath.Join(dir, "out", "a.png"), 0
	_, err := Output{Folder: filepath.Join(dir, "out")}.Make(item(t, path, out), imageio.WriteOptions{},
		func(to Task) error {
			if n++; n == 1 {
				os.WriteFile(path, []byte("all of it"), 0o666)
				return imageio.ErrFormat
			}
			return write("clean")(to)
		})
	if err != nil || n != 2 || content(t, out) != "clean" {
		t.Errorf("%v after %d tries", err, n)
	}
}
