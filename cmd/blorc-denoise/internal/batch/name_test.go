package batch

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
	"github.com/blorc-denoise/blorc-denoise/internal/disk/disktest"
)

func names(t *testing.T, n Naming, recursive bool, words ...string) ([]Item, error) {
	t.Helper()
	f, err := Find(context.Background(), words, FindOptions{Recursive: recursive})
	if err != nil {
		t.Fatal(err)
	}
	return n.Name(f)
}

func TestNames(t *testing.T) {
	t.Chdir(tree(t, "a.png", "d/b.tiff", "d/e/c", "d/f.tar.JPG", "d/a-denoised.png"))
	tests := []struct {
		naming Naming
		word   string
		want   string
	}{
		{Naming{Suffix: "-denoised"}, "a.png", "a-denoised.png"},
		{Naming{Suffix: "-x"}, "./d/b.tiff", "./d/b-x.tiff"},
		{Naming{Suffix: "-x"}, "d/cells.ome.tif", "d/cells-x.ome.tif"},
		{Naming{Suffix: "-x", Format: imageio.PNG}, "d/cells.OME.TIFF", "d/cells-x.png"},
		{Naming{Suffix: "-x"}, "d/cells.STK", "d/cells-x.tif"},
		{Naming{Folder: "out"}, "d/b.tiff", "out/b.tiff"},
		{Naming{Folder: "out", Format: imageio.TIFF}, "d/b.tiff", "out/b.tiff"},
		{Naming{Folder: "out", Format: imageio.PNG}, "d/b.tiff", "out/b.png"},
		{Naming{Folder: "out", Format: imageio.JPEG, Suffix: "_"}, "d/f.tar.JPG", "out/f.tar_.JPG"},
		{Naming{Folder: "out", Format: imageio.PNG}, "d/e/c", "out/c.png"},
		{Naming{File: "x.png"}, "a.png", "x.png"},
		{Naming{InPlace: true}, "d/b.tiff", "d/b.tiff"},
	}
	for _, test := range tests {
		items, err := names(t, test.naming, false, test.word)
		if err != nil || len(items) != 1 || filepath.ToSlash(items[0].Out) != test.want {
			t.Errorf("%s with %+v: %v, %v; want %s", test.word, test.naming, items, err, test.want)
		}
	}
}

// F16: two inputs, one output.
func TestFaultF16Collisions(t *testing.T) {
	t.Chdir(tree(t, "in/a.png", "in/a.tif", "in/b.png", "more/b.png", "b.jpg"))
	tests := []struct {
		naming Naming
		words  string
		bad    bool
	}{
		{Naming{Folder: "out"}, "in", false},
		{Naming{Folder: "out", Format: imageio.PNG}, "in", false},
		{Naming{Folder: "out"}, "in more", true},
		{Naming{Folder: "out"}, "in/b.png more/b.png", true},
		{Naming{Folder: "out"}, "in/b.png b.jpg", false},
		{Naming{Folder: "out", Format: imageio.TIFF}, "in/b.png b.jpg", false},
		{Naming{Folder: "out", Format: imageio.TIFF}, "in/b.png more/b.png", true},
		{Naming{Suffix: "-x"}, "in/b.png more/b.png", false},
		{Naming{Suffix: "-x", Format: imageio.PNG}, "in/a.png in/a.tif", false},
		{Naming{Folder: "more"}, "in/b.png more/b.png", true},
		{Naming{Folder: "."}, "more/b.png", false},
		{Naming{Folder: "."}, "b.jpg", true},
	}
	for _, test := range tests {
		_, err := names(t, test.naming, false, strings.Fields(test.words)...)
		if errors.Is(err, ErrConflict) != test.bad || err != nil && !test.bad {
			t.Errorf("%s with %+v: %v", test.words, test.naming, err)
		}
	}
}

// Names that differ in their extensions only stay apart when all become files of one format, in every order.
func TestNamesThatDifferInExtension(t *testing.T) {
	t.Chdir(tree(t, "in/IMG.JPG", "in/IMG.jpeg", "in/a.png", "in/a.tif", "in/b.OME.tif", "in/b.jpg", "in/c.tif",
		"in/D.jpg", "in/d.jpeg"))
	want := map[string]string{"IMG.JPG": "IMG.JPG-x.png", "IMG.jpeg": "IMG.jpeg-x.png", "a.png": "a-x.png",
		"a.tif": "a.tif-x.png", "b.OME.tif": "b.OME.tif-x.png", "b.jpg": "b.jpg-x.png", "c.tif": "c-x.png",
		"D.jpg": "D.jpg-x.png", "d.jpeg": "d.jpeg-x.png"}
	files := slices.Collect(maps.Keys(want)) // in any order
	for i, name := range files {
		files[i] = filepath.Join("in", name)
	}
	beside := Naming{Suffix: "-x", Format: imageio.PNG}
	for _, n := range []Naming{beside, {Folder: "out", Suffix: "-x", Format: imageio.PNG}} {
		items, err := names(t, n, false, files...)
		if err != nil || len(items) != len(files) {
			t.Fatalf("%v, %v", items, err)
		}
		for _, it := range items {
			if got := filepath.Base(it.Out); got != want[filepath.Base(it.Path)] {
				t.Errorf("%s becomes %s", it.Path, got)
			}
		}
	}
}

// F15: the output folder is within the input folder, or an output is an input, by whatever name.
func TestFaultF15Layouts(t *testing.T) {
	root := tree(t, "in/a.png", "in/sub/b.png", "in-2/c.png", "out/")
	t.Chdir(root)
	for name, to := range map[string]string{"link": "in", "deep": "in/sub", "out/a.png": "../in/a.png"} {
		symlink(t, to, name)
	}
	os.Mkdir("hard", 0o777)
	if err := os.Link("in/a.png", "hard/b.png"); err != nil {
		disktest.Lacks(t, err)
	}
	layouts := []struct{ in, out string }{
		{"in", "in"}, {"in", "in/"}, {"in", "in/sub"}, {"in", "in/not/yet"}, {"in", "link"}, {"in", "link/new"},
		{"link", "in/new"},
		{"in", "deep"}, {"in", "deep/new"}, {"in", filepath.Join(root, "in", "new")}, {".", "new"},
		{"in", "in-2/../in/new"},
		{"in", "out"},            // out/a.png is in/a.png
		{"in/sub/b.png", "hard"}, // hard/b.png is in/a.png, but that is no input
		{"in/a.png", "in"},
	}
	for _, l := range layouts {
		for _, recursive := range []bool{false, true} {
			_, err := names(t, Naming{Folder: l.out}, recursive, l.in)
			if good := l.out == "hard"; errors.Is(err, ErrConflict) == good {
				t.Errorf("%s to %s, recursive %v: %v", l.in, l.out, recursive, err)
			}
			if err != nil && (!strings.Contains(err.Error(), l.in) || !strings.Contains(err.Error(), l.out)) {
				t.Errorf("%s to %s: %v does not name both", l.in, l.out, err)
			}
		}
	}
	if _, err := names(t, Naming{Folder: "hard"}, true, "in/a.png", "in/sub/b.png"); !errors.Is(err, ErrConflict) {
		t.Errorf("an output that is an input by a hard link: %v", err)
	}
	for _, good := range []string{"in-2", "in2", "other/in", ".."} {
		if _, err := names(t, Naming{Folder: good}, true, "in/sub"); err != nil {
			t.Errorf("in/sub to %s: %v", good, err)
		}
	}
	for want, n := range map[string]Naming{"the folder in needs an output folder, such as -o cleaned/": {},
		"the output of the folder in is the file x.png": {File: "x.png"}} {
		if _, err := names(t, n, true, "in"); !errors.Is(err, ErrConflict) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := names(t, Naming{Folder: "in"}, false, "in/a.png"); err == nil ||
		err.Error() != "the output in/a.png of in/a.png would replace the input" {
		t.Error(err)
	}
	if out, err := (Naming{Folder: "out"}).output(Input{Path: "..", Rel: ".."}, false); !errors.Is(err, ErrConflict) {
		t.Errorf("an output %s: %v", out, err)
	}
}

func TestWhatAnEarlierCallMadeIsLeftOut(t *testing.T) {
	t.Chdir(tree(t, "a.png", "a-x.png", "b-x.png"))
	items, err := names(t, Naming{Suffix: "-x"}, false, "a.png", "a-x.png", "b-x.png")
	if err != nil || len(items) != 2 || items[0].Path != "a.png" || items[1].Path != "b-x.png" {
		t.Errorf("%v, %v", items, err)
	}
}

func TestInPlaceTwoNamesOfOneFile(t *testing.T) {
	t.Chdir(tree(t, "a.png"))
	symlink(t, "a.png", "b.png")
	if _, err := names(t, Naming{InPlace: true}, false, "a.png", "b.png"); !errors.Is(err, ErrConflict) {
		t.Error(err)
	}
}

// Where case does not matter, names that differ only in it are one output; elsewhere they are two.
func TestNamesThatDifferInCase(t *testing.T) {
	defer func() { foldsCase = ignoresCase }()
	t.Chdir(tree(t, "in/a.png", "in/A.PNG", "in/b.png", "OUT/"))
	for _, folds := range []bool{false, true} {
		foldsCase = func(string) bool { return folds }
		_, err := names(t, Naming{Folder: "out"}, false, "in")
		if folds != errors.Is(err, ErrConflict) {
			t.Errorf("folds %v: %v", folds, err)
		}
		if folds && (!strings.Contains(err.Error(), "in/a.png") || !strings.Contains(err.Error(), "in/A.PNG")) {
			t.Errorf("the message does not name both: %v", err)
		}
	}
	if ignoresCase("new/deep") != disk.FoldsCase(".") {
		t.Error("the system is asked wrongly")
	}
	only(t, ".", "in", "OUT")
}
