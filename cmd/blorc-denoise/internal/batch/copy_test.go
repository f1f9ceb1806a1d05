package batch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// A copy has the bytes of its input and keeps its extension.
func TestCopy(t *testing.T) {
	t.Chdir(tree(t, "in/sub/a.tif", "b.png", "b-denoised.png"))
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	touch(t, "in/sub/a.tif", old)
	it := item(t, "in/sub/a.tif", "out/sub/a.png")
	it.Root, it.Rel = "in", filepath.FromSlash("sub/a.tif")
	it, ok := Naming{Folder: "out", Format: imageio.PNG}.Unconverted(it)
	if !ok || filepath.ToSlash(it.Out) != "out/sub/a.tif" {
		t.Fatalf("%q, %v", it.Out, ok)
	}
	if err := os.Mkdir("out", 0o777); err != nil {
		t.Fatal(err)
	}
	flushed := 0
	stop := disk.Intercept(func(step disk.Step, at string) error {
		if step == disk.ToSyncFile {
			flushed++
		}
		return nil
	})
	m, err := Output{Folder: "out", Overwrite: Never, Preserve: true}.Copy(it)
	stop()
	if flushed != 2 {
		t.Errorf("flushed %d times, of once with its bytes and once with its permissions", flushed)
	}
	if err != nil || m.In.SHA256 != m.Out.SHA256 || content(t, it.Out) != "in/sub/a.tif" ||
		m.Out.Time != old.UnixNano() {
		t.Errorf("%+v, %v", m, err)
	}
	beside, ok := Naming{Suffix: DefaultSuffix}.Unconverted(item(t, "b.png", "b-denoised.tif"))
	if !ok || beside.Out != "b-denoised.png" {
		t.Errorf("%q, %v", beside.Out, ok)
	}
	if _, err := (Output{Overwrite: Never}).Copy(beside); !errors.Is(err, fs.ErrExist) ||
		content(t, "b-denoised.png") != "b-denoised.png" {
		t.Errorf("a name that is taken: %v", err)
	}
	if _, ok := (Naming{File: "x.png"}).Unconverted(it); ok {
		t.Error("a name that was given")
	}
	if _, err := (Output{Overwrite: Never}).Copy(Item{Input{Path: "in"}, "folder.tif"}); err == nil {
		t.Error("a folder is copied")
	}
}
