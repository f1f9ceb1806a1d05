//go:build unix

package imageio

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/disk/disktest"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

func holds(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	for _, e := range entries {
		got, _ := os.ReadFile(filepath.Join(dir, e.Name()))
		if w, ok := want[e.Name()]; !ok || string(got) != w {
			t.Errorf("%s holds %q, want %q (%v)", e.Name(), got, w, ok)
		}
	}
	if len(entries) != len(want) {
		t.Errorf("%d entries, want %d", len(entries), len(want))
	}
}

func TestFullDisk(t *testing.T) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		disktest.Lacks(t, err)
	}
	small := limit
	small.Cur = 1 << 16
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		disktest.Lacks(t, err)
	}
	defer syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
	dir := t.TempDir()
	path := filepath.Join(dir, "a.tif")
	err := Write(path, noise(300, 300, 1, false, Depth16, 1), WriteOptions{})
	var pathError *fs.PathError
	if !errors.As(err, &pathError) || pathError.Path != path || !errors.Is(err, syscall.EFBIG) {
		t.Errorf("%v", err)
	}
	holds(t, dir, nil)
}

func TestWriteCreatesNothingWhenRefused(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.jpg")
	if err := Write(path, noise(4, 4, 1, true, Depth8, 1), WriteOptions{Format: JPEG}); !errors.Is(err,
		ErrUnsupported) {
		t.Error(err)
	}
	holds(t, dir, nil)
	img := noise(4, 4, 1, true, Depth8, 1)
	must.Do(t, Write(path, img, WriteOptions{}))
	must.Fail(t, "over an existing file", Write(path, img, WriteOptions{}), fs.ErrExist)
	if got, err := Read(path, ReadOptions{}); err != nil || !same(got, img) {
		t.Errorf("reading back: %v", err)
	}
}
