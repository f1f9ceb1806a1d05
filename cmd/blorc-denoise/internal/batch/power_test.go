//go:build unix

package batch

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/disk/powertest"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// A loss of power at any instant leaves whole files only, the old or the new one under each name, and the input. What
// was ended is done by the next run, and what was done stays and is not done again.
func TestLossOfPower(t *testing.T) {
	for what, c := range map[string]struct {
		before, after string
		do            func(t *testing.T, dir string)
	}{
		"an output": {"a.png=old", "a.png=old out/a.png=old+", makes(Output{}, "out/a.png")},
		"below a folder": {"a.png=old out/c.png=c", "a.png=old out/b/a.png=old+ out/c.png=c",
			makes(Output{Folder: "out"}, "out/b/a.png")},
		"over another": {"a.png=old b.png=b", "a.png=old b.png=old+", makes(Output{Overwrite: Always}, "b.png")},
		"in place": {"a.png=old", "a.png=old+ a.png.orig=old",
			makes(Output{InPlace: true, Backup: true}, "a.png")},
		"without backup": {"a.png=old cache/x=x", "a.png=old+ cache/x=x", makes(Output{InPlace: true}, "a.png")},
		"restored":       {"a.png=old+ a.png.orig=old", "a-denoised.png=old+ a.png=old", restores},
	} {
		t.Run(what, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "dir")
			before, after := filesOf(c.before), filesOf(c.after)
			for name, text := range before {
				path := filepath.Join(dir, filepath.FromSlash(name))
				must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
				writeText(t, path, text)
			}
			losses := powertest.Losses(t, dir, func() { c.do(t, dir) })
			for _, l := range losses {
				l.Fill(t, dir)
				left := filesIn(t, dir)
				for name, text := range left {
					if text != before[name] && text != after[name] || text == "" {
						t.Errorf("%s holds %q", name, text)
					}
				}
				if !has(left, "old") && (has(after, "old") || left["a.png"] == "") {
					t.Error("the input is lost")
				}
				if l.Next == "" && !maps.Equal(left, after) {
					t.Error("something is not on the disk at the end")
				}
				c.do(t, dir)
				if again := filesIn(t, dir); !maps.Equal(again, after) {
					t.Errorf("after the next run: %q", again)
				}
				if t.Failed() {
					t.Fatalf("before %q: %q", l.Next, left)
				}
			}
		})
	}
}

// makes returns a run that makes an output of a.png, with the history of the folder.
func makes(o Output, name string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		o := o
		if o.History = OpenHistory(filepath.Join(dir, "cache")); o.Folder != "" {
			o.Folder = filepath.Join(dir, o.Folder)
		}
		it := item(t, filepath.Join(dir, "a.png"), filepath.Join(dir, filepath.FromSlash(name)))
		if due, _ := o.Due(it); due {
			must.Get(o.Make(it, imageio.WriteOptions{}, again))(t)
		}
	}
}

// restores is a run that restores a.png.
func restores(t *testing.T, dir string) {
	if path := filepath.Join(dir, "a.png"); HasBackup(path) {
		must.Get(RestoreOptions{}.Restore(Input{Path: path}))(t)
	}
}

func has(files map[string]string, text string) bool {
	return slices.Contains(slices.Collect(maps.Values(files)), text)
}

// filesOf reads "name=text name=text".
func filesOf(list string) map[string]string {
	files := map[string]string{}
	for word := range strings.FieldsSeq(list) {
		name, text, _ := strings.Cut(word, "=")
		files[name] = text
	}
	return files
}

// filesIn returns the texts of the files in a folder and below, without the history.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	must.Do(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && filepath.Ext(path) != ".jsonl" {
			files[filepath.ToSlash(must.Get(filepath.Rel(dir, path))(t))] = content(t, path)
		}
		return err
	}))
	return files
}
