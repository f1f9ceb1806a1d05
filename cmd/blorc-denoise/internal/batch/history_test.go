package batch

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// historyFile returns the only file of a history.
func historyFile(t *testing.T, cache string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(cache, "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	return files[0]
}

// produce makes an output of a text, and remembers it.
func produce(t *testing.T, o Output, it Item, text string) {
	t.Helper()
	m, err := o.Make(it, imageio.WriteOptions{}, write(text))
	if err == nil {
		err = o.Remember(it, m)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestChanged(t *testing.T) {
	t.Chdir(tree(t, "in/a.png", "out/"))
	it, cache := item(t, "in/a.png", "out/a.png"), filepath.Join(t.TempDir(), "cache")
	make := func(options, text string) Output {
		t.Helper()
		o := Output{Folder: "out", Overwrite: Changed, History: OpenHistory(cache), Options: options}
		produce(t, o, it, text)
		return o
	}
	due := func(o Output, want bool, why string) {
		t.Helper()
		o.History = OpenHistory(cache) // as in another process
		it := item(t, it.Path, it.Out)
		if got, text := o.Due(it); got != want || !strings.Contains(text, why) {
			t.Errorf("due %v, %q; want %v, %q", got, text, want, why)
		}
	}
	writeText(t, "out/a.png", "of somebody")
	due(Output{Overwrite: Changed, Options: "1"}, true, "") // not known
	o := make("1", "done")
	due(o, false, "up to date")
	due(Output{Overwrite: Changed, Options: "2"}, true, "")
	due(Output{Overwrite: Never, Options: "2"}, false, "exists")

	// Touched, copied to another place, and changed.
	old := time.Now().Add(-time.Hour)
	touch(t, "in/a.png", old)
	due(o, false, "up to date")
	if err := os.Rename("in", "in2"); err != nil {
		t.Fatal(err)
	}
	it.Path = "in2/a.png"
	due(o, false, "up to date")
	writeText(t, "in2/a.png", "in/b.png")
	due(o, true, "")
	o = make("1", "done again")
	due(o, false, "up to date")

	// An output that somebody has changed is kept, one that was only touched is known.
	touch(t, "out/a.png", old)
	due(o, false, "up to date")
	writeText(t, "out/a.png", "retouched")
	due(o, false, "was changed after it was made")
	due(Output{Overwrite: Changed, Options: "2"}, false, "was changed after it was made")
	os.Remove("out/a.png")
	due(o, true, "")
}

// Damaged and cut lines are forgotten, and the others are not. A file of many lines about few outputs becomes short.
func TestHistoryFile(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	out := filepath.Join(dir, "a.png")
	add := func(h *History, name string, size int64) {
		t.Helper()
		if err := h.Add(filepath.Join(dir, name), Entry{Out: Version{Size: size}}); err != nil {
			t.Fatal(err)
		}
	}
	h := OpenHistory(cache)
	add(h, "a.png", 1)
	add(h, "b\n.png", 2)
	file := historyFile(t, cache)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(append([]byte("{]\n\n\x00\n"+strings.Repeat("x", 3*maxEntry)+"\n"),
		text...), `{"name":"a.png","out":{"si`...), 0o666); err != nil {
		t.Fatal(err)
	}
	h = OpenHistory(cache)
	if e, ok := h.Find(out); !ok || e.Out.Size != 1 {
		t.Errorf("%+v, %v", e, ok)
	}
	if e, ok := h.Find(filepath.Join(dir, "b\n.png")); !ok || e.Out.Size != 2 {
		t.Errorf("%+v, %v", e, ok)
	}
	for i := range 3 * spareMargin {
		add(h, "a.png", int64(i))
	}
	if text, err = os.ReadFile(file); err != nil || bytes.Count(text, []byte("\n")) > 2*spareMargin {
		t.Errorf("%d lines (%v)", bytes.Count(text, []byte("\n")), err)
	}
	if e, ok := OpenHistory(cache).Find(out); !ok || e.Out.Size != 3*spareMargin-1 {
		t.Errorf("%+v, %v", e, ok)
	}
	if _, ok := (*History)(nil).Find(out); ok || (&History{}).Add(out, Entry{}) != nil {
		t.Error("a history that remembers nothing")
	}
}

// A link in place of a file is not followed.
func TestHistoryFollowsNoLink(t *testing.T) {
	dir, cache, other := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "other")
	out := filepath.Join(dir, "a.png")
	if err := OpenHistory(cache).Add(out, Entry{}); err != nil {
		t.Fatal(err)
	}
	file := historyFile(t, cache)
	if err := os.Rename(file, other); err != nil {
		t.Fatal(err)
	}
	before := content(t, other)
	inside := filepath.Join(cache, "inside")
	writeText(t, inside, before)
	for _, to := range []string{other, inside, "inside"} {
		os.Remove(file)
		symlink(t, to, file)
		if _, ok := OpenHistory(cache).Find(out); ok {
			t.Errorf("%s is read through a link", to)
		}
		if err := OpenHistory(cache).Add(out, Entry{}); err == nil || content(t, other) != before ||
			content(t, inside) != before {
			t.Errorf("%s is written through a link (%v)", to, err)
		}
	}
}

// Whatever is added last is found, in this process and in another.
func TestHistoryIsAMap(t *testing.T) {
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		cache, want := filepath.Join(dir, fmt.Sprint(n)), map[string]int64{}
		h := OpenHistory(cache)
		for range rapid.IntRange(1, 30).Draw(t, "adds") {
			if rapid.IntRange(0, 5).Draw(t, "reopen") == 0 {
				h = OpenHistory(cache)
			}
			name, size := rapid.SampledFrom([]string{"a.png", "b.png", "x/a.png"}).Draw(t, "name"),
				rapid.Int64().Draw(t, "size")
			if err := h.Add(filepath.Join(dir, name), Entry{Out: Version{Size: size}}); err != nil {
				t.Fatal(err)
			}
			want[name] = size
		}
		for _, h := range []*History{h, OpenHistory(cache)} {
			for name, size := range want {
				if e, ok := h.Find(filepath.Join(dir, name)); !ok || e.Out.Size != size {
					t.Fatalf("%s: %+v, %v", name, e, ok)
				}
			}
		}
	})
}

func FuzzHistory(f *testing.F) {
	f.Add([]byte("{\"name\":\"a.png\"}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		h := folderHistory{dir: t.TempDir(), name: "h", entries: map[string]Entry{}}
		if err := os.WriteFile(filepath.Join(h.dir, h.name), text, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := h.readOn(); err != nil {
			t.Error(err)
		}
	})
}

// Names that are not UTF-8 are remembered as others are. On macOS and Windows there are none.
func TestHistoryOfAnyName(t *testing.T) {
	dir := t.TempDir()
	name, path := "b\xff.png", "/in/\xfe/b\xff.png"
	if err := OpenHistory(dir).Add("out/"+name, Entry{Path: path, Options: "1"}); err != nil {
		t.Fatal(err)
	}
	if err := OpenHistory(dir).Add("out/b\ufffd.png", Entry{Options: "2"}); err != nil {
		t.Fatal(err)
	}
	h := OpenHistory(dir)
	if e, ok := h.Find("out/" + name); !ok || e.Name != name || e.Path != path || e.Options != "1" {
		t.Errorf("%+v, %v", e, ok)
	}
	f, err := h.folder("out/" + name)
	if err == nil {
		err = f.rewrite()
	}
	if e, ok := OpenHistory(dir).Find("out/" + name); !ok || e.Path != path || err != nil {
		t.Errorf("after writing it again: %+v, %v, %v", e, ok, err)
	}
}

// A line that a power cut tore takes no other with it.
func TestHistoryAfterATornLine(t *testing.T) {
	dir := t.TempDir()
	add := func(name string) {
		t.Helper()
		if err := OpenHistory(dir).Add("out/"+name, Entry{Options: "1"}); err != nil {
			t.Fatal(err)
		}
	}
	add("a.png")
	add("b.png")
	file := historyFile(t, dir)
	info, err := os.Stat(file)
	if err == nil {
		err = os.Truncate(file, info.Size()-20)
	}
	if err != nil {
		t.Fatal(err)
	}
	add("c.png")
	h := OpenHistory(dir)
	for name, want := range map[string]bool{"a.png": true, "b.png": false, "c.png": true} {
		if _, ok := h.Find("out/" + name); ok != want {
			t.Errorf("%s is remembered: %v", name, ok)
		}
	}
}
