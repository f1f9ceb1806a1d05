package batch

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blorc-denoise/blorc-denoise/internal/disk/disktest"
)

// tree makes files with their names as content; a name that ends in a slash is a folder.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		path := filepath.Join(root, filepath.FromSlash(name))
		var err error
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o777)
		} else if err = os.MkdirAll(filepath.Dir(path), 0o777); err == nil {
			err = os.WriteFile(path, []byte(name), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func touch(t *testing.T, path string, at time.Time) {
	t.Helper()
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func symlink(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		disktest.Lacks(t, err)
	}
}

func rels(f *Found) []string {
	var all []string
	for _, in := range f.Inputs {
		all = append(all, filepath.ToSlash(in.Rel))
	}
	return all
}

func TestFind(t *testing.T) {
	t.Chdir(tree(t, "a.png", "b.txt", "d/c.TIFF", "d/.e.png", "d/f.png~", "d/g/h.jpeg", "d/g/.i/j.png", "d/k.png/l.jpg",
		"x[1].png",
		"@list", "names", "empty/"))
	writeText(t, "names", "\ufeffd/c.TIFF\r\n\nb.txt\n../a.png\nd/c.TIFF")
	tests := []struct {
		words     string
		recursive bool
		want      string
		refused   int
	}{
		{"a.png", false, "a.png", 0},
		{"a.png ./a.png a.png", false, "a.png", 0},
		{"b.txt", false, "b.txt", 0},             // named, so taken
		{"missing.png", false, "missing.png", 0}, // for the reader to refuse
		{"d", false, "c.TIFF", 0},
		{"d/", true, "c.TIFF g/h.jpeg k.png/l.jpg", 0},
		{".", false, "a.png x[1].png", 0},
		{"d/g/..", false, "c.TIFF", 0},
		{"empty", true, "", 0},
		{"x[1].png", false, "x[1].png", 0},
		{"*.png", false, "a.png x[1].png", 0},
		{"d/**", false, "c.TIFF g/h.jpeg k.png/l.jpg", 0},
		{"**/*.{jpeg,jpg}", false, "d/g/h.jpeg d/k.png/l.jpg", 0},
		// folders that match are searched, as if the shell had named them
		{"d/*", false, "c.TIFF g/h.jpeg k.png/l.jpg", 0},
		{"*.gif", false, "", 1},
		{"a[", false, "", 1},
		{"d/../*.png", false, "a.png x[1].png", 0},
		{"@names", false, "d/c.TIFF b.txt a.png", 0},
		{"./@list", false, "@list", 0},
	}
	for _, test := range tests {
		f, err := Find(context.Background(), strings.Fields(test.words), FindOptions{Recursive: test.recursive})
		if err != nil {
			t.Errorf("%s: %v", test.words, err)
			continue
		}
		got, want := rels(f), strings.Fields(test.want)
		if !slices.Equal(got, want) || len(f.Refused) != test.refused {
			t.Errorf("%s: %q, want %q, %d refused %v", test.words, got, want, len(f.Refused), f.Refused)
		}
	}
	if _, err := Find(context.Background(), []string{"@missing"}, FindOptions{}); err == nil {
		t.Error("a list that is missing")
	}
	f, err := Find(context.Background(), []string{"@-"}, FindOptions{Stdin: strings.NewReader("a.png\nd/c.TIFF\n")})
	if err != nil || !slices.Equal(rels(f), []string{"a.png", "d/c.TIFF"}) {
		t.Errorf("list from stdin: %v, %v", f, err)
	}
}

// A pipe may never end. Who interrupts the program does not wait for it.
func TestFindStopsWaitingForAList(t *testing.T) {
	names, never := io.Pipe()
	defer never.Close()
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(10*time.Millisecond, cancel)
	if f, err := Find(ctx, []string{"@-"}, FindOptions{Stdin: names}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v", f, err)
	}
}

// Of results beside their sources none is taken, and what is passed over is counted by its kind.
func TestFindPassesOver(t *testing.T) {
	t.Chdir(tree(t, "a.png", "a-denoised.png", "a-denoised-denoised.png", "b-denoised.png", "c.JPG", "c-denoised.tif",
		"d/c-denoised.tif", "-denoised.png",
		"x.CR2", "y.cr2", "README", ".hidden.cr2", "z.cr2.part", "d/x.mp4", "e.mp4/f.txt"))
	find := func(word string) *Found {
		t.Helper()
		f, err := Find(context.Background(), []string{word},
			FindOptions{Recursive: true, Suffixes: []string{"-denoised"}})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	f := find(".")
	if got, want := rels(f), []string{"-denoised.png", "a.png", "b-denoised.png", "c.JPG",
		"d/c-denoised.tif"}; !slices.Equal(got, want) || f.Results != 3 {
		t.Errorf("%q, want %q, %d results", got, want, f.Results)
	}
	if want := map[string]int{".cr2": 2, "": 1, ".mp4": 1, ".txt": 1}; !maps.Equal(f.Passed, want) {
		t.Errorf("passed over %v, want %v", f.Passed, want)
	}
	if f := find("*-denoised.tif"); !slices.Equal(rels(f), []string{"c-denoised.tif"}) || f.Results != 0 {
		t.Errorf("results that are asked for: %q", rels(f))
	}
	if f := find("a-denoised.png"); len(f.Inputs) != 1 {
		t.Error("a result that is named is not taken")
	}
	if f := find("**"); f.Passed[".cr2"] != 2 || f.Passed[".mp4"] != 1 || f.Results != 3 {
		t.Errorf("a pattern: %+v", f)
	}
}

func TestFindStopsWithTheContext(t *testing.T) {
	t.Chdir(tree(t, "d/a.png"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Find(ctx, []string{"d"}, FindOptions{}); err != context.Canceled {
		t.Error(err)
	}
}

// Links that are met in folders and by patterns are counted, and not followed. One that is named is.
func TestFindFollowsNoLink(t *testing.T) {
	t.Chdir(tree(t, "in/a.png", "elsewhere/b.png"))
	for link, to := range map[string]string{"in/b.png": "../elsewhere/b.png", "in/c.png": "a.png",
		"in/d.png": "nowhere", "in/e": "../elsewhere"} {
		symlink(t, to, link)
	}
	for _, word := range []string{"in", "in/*.png"} {
		f, err := Find(t.Context(), []string{word}, FindOptions{Recursive: true})
		if err != nil || len(f.Inputs) != 1 || f.Links != 3 {
			t.Errorf("%s: %+v, %v", word, f, err)
		}
	}
	f, err := Find(t.Context(), []string{"in/b.png"}, FindOptions{})
	if err != nil || len(f.Inputs) != 1 {
		t.Errorf("named: %+v, %v", f, err)
	}
}
