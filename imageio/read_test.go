//go:build unix

package imageio

import (
	"errors"
	"io/fs"
	"math"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/blorc-denoise/blorc-denoise/internal/disk/disktest"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// TestReadRefusesWhatIsNoFile checks that only regular files are read, and that a FIFO without a writer does not block.
func TestReadRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	fifo, socket := filepath.Join(dir, "fifo.png"), filepath.Join(dir, "s.png")
	must.Do(t, syscall.Mkfifo(fifo, 0o666))
	l, err := net.Listen("unix", socket)
	if err != nil {
		disktest.Lacks(t, err)
	}
	defer l.Close()
	link := filepath.Join(dir, "link.png")
	must.Do(t, os.Symlink(fifo, link))
	opened := make(chan error, 1) // as if it took the place of a file that was looked at
	go func() {
		f, err := openNow(fifo)
		if err == nil {
			err = f.Close()
		}
		opened <- err
	}()
	select {
	case err := <-opened:
		must.Do(t, err)
	case <-time.After(20 * time.Second):
		t.Fatal("opening a FIFO waits for its writer")
	}
	for path, want := range map[string]string{
		dir: "is a directory", fifo: "not a regular file", socket: "not a regular file",
		"/dev/zero": "not a regular file", link: "not a regular file",
	} {
		done := make(chan error, 1)
		go func() { _, err := Read(path, ReadOptions{}); done <- err }()
		select {
		case err := <-done:
			if !errors.Is(err, ErrUnsupported) || err.Error() != want {
				t.Errorf("%s: %v", path, err)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: still waiting", path)
		}
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	img := noise(9, 8, 3, true, Depth16, 5)
	// The content decides the format, not the name.
	path := writeFile(t, filepath.Join(dir, "a.jpg"), encoded(t, img, WriteOptions{Format: PNG}))
	got, err := Read(path, ReadOptions{})
	if err != nil || got.Format != PNG || !same(got, img) {
		t.Errorf("reading a PNG called .jpg: %v", err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(path, link); err == nil {
		if _, err := Read(link, ReadOptions{}); err != nil {
			t.Errorf("through a symlink: %v", err)
		}
	}
	var pathError *fs.PathError
	if _, err := Read(filepath.Join(dir, "none.png"), ReadOptions{}); !errors.As(err, &pathError) ||
		!errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	for name, c := range map[string]struct {
		data string
		want string
	}{
		"empty.png": {"", "format: empty file (0 bytes)"},
		"short.png": {"\x89PN", "format: not a PNG, JPEG, TIFF, WebP, BMP or PNM file"},
		"large.txt": {strings.Repeat("text", 1000), "format: not a PNG, JPEG, TIFF, WebP, BMP or PNM file"},
	} {
		_, err := Read(writeFile(t, filepath.Join(dir, name), []byte(c.data)), ReadOptions{})
		if err == nil || kindName(err)+": "+err.Error() != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func TestReadLimitsBytes(t *testing.T) {
	data := encoded(t, noise(9, 8, 1, false, Depth8, 5), WriteOptions{Format: PNG})
	path := writeFile(t, filepath.Join(t.TempDir(), "a.png"), data)
	if _, err := Read(path, ReadOptions{MaxBytes: int64(len(data))}); err != nil {
		t.Errorf("a file of just the limit: %v", err)
	}
	must.Fail(t, "a file of a byte more", must.Err(Read(path, ReadOptions{MaxBytes: int64(len(data)) - 1})), ErrLimit)
	if _, err := Read(path, ReadOptions{MaxBytes: math.MaxInt64}); err != nil {
		t.Errorf("without a limit: %v", err)
	}
	tiff := encoded(t, noise(9, 8, 1, false, Depth8, 5), WriteOptions{Format: TIFF})
	must.Fail(t, "a TIFF file of a byte more",
		must.Err(Read(writeFile(t, path, tiff), ReadOptions{MaxBytes: int64(len(tiff)) - 1})), ErrLimit)
	must.Fail(t, "a file that shrinks", must.Err(readAll(strings.NewReader("short"), 11, 10)), ErrLimit)
	endless := strings.NewReader(strings.Repeat("x", 1<<20))
	if _, err := readAll(endless, 1, 10); !errors.Is(err, ErrLimit) || endless.Len() < 1<<19 {
		t.Errorf("%v after all but %d bytes", err, endless.Len())
	}
	// A file that grows while it is read.
	must.Fail(t, "a file that grows over the limit",
		must.Err(readAll(strings.NewReader(string(data)), 1, int64(len(data))-1)), ErrLimit)
	if got, err := readAll(strings.NewReader(string(data)), 1, int64(len(data))); err != nil ||
		string(got) != string(data) {
		t.Errorf("a file that grows: %d bytes of %d, %v", len(got), len(data), err)
	}
}

// TestReadInRoot checks that a path in an open folder leads to nothing outside, and that errors have the whole path.
func TestReadInRoot(t *testing.T) {
	dir := t.TempDir()
	file := encoded(t, noise(9, 8, 1, false, Depth8, 5), WriteOptions{Format: PNG})
	must.Do(t, os.Mkdir(filepath.Join(dir, "in"), 0o777))
	writeFile(t, filepath.Join(dir, "in", "a.png"), file)
	writeFile(t, filepath.Join(dir, "out.png"), file)
	must.Do(t, os.Symlink("../out.png", filepath.Join(dir, "in", "link.png")))
	root := must.Get(os.OpenRoot(filepath.Join(dir, "in")))(t)
	defer root.Close()
	must.Get(Read("a.png", ReadOptions{Root: root}))(t)
	for _, name := range []string{"link.png", "none.png"} {
		var failed *fs.PathError
		if _, err := Read(name, ReadOptions{Root: root}); !errors.As(err, &failed) ||
			failed.Path != filepath.Join(dir, "in", name) || strings.HasSuffix(failed.Op, "at") && failed.Op != "stat" {
			t.Errorf("%s: %v", name, err)
		}
	}
	must.Fail(t, "a folder", must.Err(Read(".", ReadOptions{Root: root})), ErrUnsupported)
}

// TestReadSparse checks that a large file that is not an image is refused without reading it.
func TestReadSparse(t *testing.T) {
	path := writeFile(t, filepath.Join(t.TempDir(), "sparse.png"), nil)
	if err := os.Truncate(path, DefaultMaxBytes); err != nil {
		disktest.Lacks(t, err)
	}
	var err error
	if n := allocated(func() { _, err = Read(path, ReadOptions{}) }); !errors.Is(err, ErrFormat) || n > 1<<20 {
		t.Errorf("%v after %d bytes", err, n)
	}
}
