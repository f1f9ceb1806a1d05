package batch

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// replaced makes files that were replaced by "new", and returns the history of that.
func replaced(t *testing.T, paths ...string) *History {
	t.Helper()
	h := OpenHistory(filepath.Join(t.TempDir(), "cache"))
	o := Output{InPlace: true, Backup: true, Overwrite: Never, History: h}
	for _, path := range paths {
		produce(t, o, item(t, path, path), "new")
	}
	return h
}

// What was replaced through a link is found by the name of the link.
func TestFindBackupsThroughALink(t *testing.T) {
	t.Chdir(tree(t, "d/a.png", "d/b.png"))
	replaced(t, "d/a.png")
	for _, name := range []string{"a", "b"} {
		symlink(t, "d/"+name+".png", name+".png")
	}
	found, err := FindBackups(t.Context(), []string{"a.png", "d/a.png"}, false)
	if err != nil || len(found.Refused) > 0 || len(found.Inputs) != 1 ||
		found.Inputs[0].Path != filepath.FromSlash("d/a.png") {
		t.Errorf("%v, %+v", err, found)
	}
	if found, err = FindBackups(t.Context(), []string{"b.png"}, false); err != nil || len(found.Refused) != 1 {
		t.Errorf("no backup: %v, %+v", err, found)
	}
}

func TestRestore(t *testing.T) {
	t.Chdir(tree(t, "a.png", "edited.png", "gone.png", "d/deep.png", "same.png", "other.txt.orig", ".hidden.png.orig"))
	h := replaced(t, "a.png", "edited.png", "gone.png", "d/deep.png", "same.png")
	for name, text := range map[string]string{"edited.png": "retouched", "same.png": "same.png"} {
		writeText(t, name, text)
	}
	os.Remove("gone.png")
	all, err := FindBackups(context.Background(), []string{".", "a.png", "a.png.orig"}, true)
	if err != nil || len(all.Refused) > 0 {
		t.Fatal(err, all)
	}
	var paths []string
	for _, in := range all.Inputs {
		paths = append(paths, in.Path)
	}
	if want := []string{"a.png", "d/deep.png", "edited.png", "gone.png", "same.png"}; !slices.Equal(clean(paths),
		want) {
		t.Errorf("%q, want %q", paths, want)
	}
	want := map[string]string{"edited.png": "edited-denoised.png"}
	for _, dry := range []bool{true, false} {
		for _, in := range all.Inputs {
			kept, err := RestoreOptions{DryRun: dry, History: h}.Restore(in)
			if err != nil || kept != want[filepath.Clean(in.Path)] {
				t.Errorf("%s: %v, kept as %q", in.Path, err, kept)
			}
		}
		if dry {
			only(t, ".", "a.png", "a.png.orig", "edited.png", "edited.png.orig", "gone.png.orig", "d", "same.png",
				"same.png.orig", "other.txt.orig", ".hidden.png.orig")
		}
	}
	only(t, ".", "a.png", "edited.png", "edited-denoised.png", "gone.png", "d", "same.png", "other.txt.orig",
		".hidden.png.orig")
	only(t, "d", "deep.png")
	for path, text := range map[string]string{"a.png": "a.png", "edited.png": "edited.png", "gone.png": "gone.png",
		"d/deep.png": "d/deep.png", "same.png": "same.png",
		"edited-denoised.png": "retouched"} {
		if got := content(t, path); got != text {
			t.Errorf("%s: %q", path, got)
		}
	}
}

// An empty file only reserves the name of a backup, where a run was ended and there are no hard links. The file is not
// taken for replaced, and restore does not put the empty one in its place.
func TestEmptyBackup(t *testing.T) {
	t.Chdir(tree(t, "a.png", "b.png"))
	writeText(t, "a.png.orig", "")
	writeText(t, "b.png.orig", "")
	o := Output{InPlace: true, Backup: true}
	if due, why := o.Due(item(t, "a.png", "a.png")); !due {
		t.Error(why)
	}
	produce(t, o, item(t, "a.png", "a.png"), "new")
	must.Get(RestoreOptions{}.Restore(Input{Path: "b.png"}))(t)
	if content(t, "a.png") != "new" || content(t, "a.png.orig") != "a.png" || content(t, "b.png") != "b.png" {
		t.Error("contents")
	}
	only(t, ".", "a.png", "a.png.orig", "b.png")
}

func clean(paths []string) []string {
	var all []string
	for _, p := range paths {
		all = append(all, filepath.ToSlash(filepath.Clean(p)))
	}
	return all
}

// Without a history, and with Keep, nothing that is replaced goes. Names that are taken are not.
func TestRestoreKeeps(t *testing.T) {
	t.Chdir(tree(t, "a.png", "a-denoised.png", "b.png"))
	h := replaced(t, "a.png", "b.png")
	if kept, err := (RestoreOptions{}).Restore(Input{Path: "a.png"}); err != nil || kept == "a-denoised.png" ||
		content(t, kept) != "new" || content(t, "a-denoised.png") != "a-denoised.png" {
		t.Errorf("kept as %q, %v", kept, err)
	}
	if kept, err := (RestoreOptions{Keep: true, History: h}).Restore(Input{Path: "b.png"}); err != nil ||
		content(t, kept) != "new" || content(t, "b.png") != "b.png" {
		t.Errorf("kept as %q, %v", kept, err)
	}
	found, err := FindBackups(context.Background(), []string{"b.png", "missing"}, false)
	if err != nil || len(found.Refused) != 2 || !errors.Is(found.Refused[0].Err, fs.ErrNotExist) {
		t.Errorf("%+v, %v", found, err)
	}
	if err := os.Mkdir("c.png", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("c.png.orig", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := (RestoreOptions{}).Restore(Input{Path: "c.png"}); !errors.Is(err, disk.ErrNotRegular) {
		t.Errorf("a folder in its place: %v", err)
	}
}

// A name that somebody takes while a file comes back stays his, and the error tells what became of the backup.
func TestRestoreWhereTheNameIsTaken(t *testing.T) {
	t.Chdir(tree(t, "a.png"))
	o := RestoreOptions{History: replaced(t, "a.png")}
	must.Do(t, os.Remove("a.png"))
	stop := disk.Intercept(func(step disk.Step, at string) error {
		if step == disk.ToLink && filepath.Base(at) == "a.png" {
			return os.WriteFile("a.png", []byte("another's"), 0o666)
		}
		return nil
	})
	_, err := o.Restore(Input{Path: "a.png"})
	stop()
	if !errors.Is(err, fs.ErrExist) || content(t, "a.png") != "another's" || content(t, "a-2.png") != "a.png" {
		t.Error(err)
	}
}
