package batch

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

func encoded(t testing.TB, f imageio.Format, w, h int) []byte {
	t.Helper()
	img := &imageio.Image{Width: w, Height: h, Planes: [][]float32{make([]float32, w*h)}, Depth: imageio.Depth8,
		Format: f}
	var b bytes.Buffer
	if err := imageio.Encode(&b, img, imageio.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// plain counts the bytes of the file and of its samples.
func plain(i imageio.Info, fileBytes int64) int64 { return fileBytes + 4*i.Samples }

func TestMeasure(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []imageio.Format{imageio.PNG, imageio.JPEG, imageio.TIFF} {
		data := encoded(t, f, 37, 21)
		path := filepath.Join(dir, f.String())
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		s := Measure(item(t, path, ""), imageio.ReadOptions{}, plain)
		if s.Width != 37 || s.Height != 21 || s.Bytes != int64(len(data)) || s.Pixels() != 37*21 || s.Memory < 37*21*4 {
			t.Errorf("%v: %+v", f, s)
		}
	}
	if s := Measure(Item{}, imageio.ReadOptions{}, plain); s != (Size{}) {
		t.Errorf("nothing: %+v", s)
	}
	if s := Measure(item(t, dir, ""), imageio.ReadOptions{}, plain); s != (Size{}) {
		t.Errorf("a folder: %+v", s)
	}
	for _, s := range []Size{{Width: 1 << 31, Height: 3}, {Width: 3, Height: 1 << 31}, {Width: -2, Height: -2}} {
		if n := s.Pixels(); n != 0 {
			t.Errorf("%d x %d: %d pixels", s.Width, s.Height, n)
		}
	}
}

// TestMeasureEstimate checks that Measure uses the estimate that it is given, and what Check says of it.
func TestMeasureEstimate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.png")
	data := encoded(t, imageio.PNG, 37, 21)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	s := Measure(item(t, path, ""), imageio.ReadOptions{}, func(i imageio.Info, n int64) int64 {
		if i.Channels != 1 || i.Depth != imageio.Depth8 || i.Pages != 1 || n != int64(len(data)) {
			t.Errorf("estimate of %+v, %d bytes", i, n)
		}
		return 5 << 30
	})
	if s.Memory != 5<<30 {
		t.Errorf("%d bytes", s.Memory)
	}
	if err := s.Check(5 << 30); err != nil {
		t.Error(err)
	}
	err := s.Check(1 << 30)
	if !errors.Is(err, imageio.ErrLimit) ||
		!strings.Contains(err.Error(), "37 x 21 pixels take about 5369 MB of memory, limit is 1074 MB") {
		t.Error(err)
	}
	if err := (Size{Memory: 5 << 30}).Check(1 << 30); err != nil {
		t.Errorf("a file of unknown size, which reading refuses with the reason: %v", err)
	}
	if s := Measure(item(t, path, ""), imageio.ReadOptions{MaxPixels: 5}, plain); s.Pixels() != 0 || s.Memory <= 0 {
		t.Errorf("a file over the limit: %+v", s)
	}
}

func TestParseNumber(t *testing.T) {
	for text, want := range map[string]int64{"1": 1, "500M": 500e6, "500Mi": 500 << 20, "1.5g": 1.5e9, "2GiB": 2 << 30,
		"2gib": 2 << 30, "3 kb": 3000, "3KB": 3000,
		"3Ki": 3 << 10, "1T": 1e12, " 7 ": 7, "12b": 12, "1e3": 1000, "0.5k": 500, "2 M": 2e6,
		"": -1, "M": -1, "0": -1, "0.5": -1, "-1G": -1, "1e30": -1, "nan": -1, "1P": -1, "1MM": -1, "inf": -1, "1i": -1,
		"1Mii": -1, "1M1": -1, "0x10": -1, "B": -1,
		"9223372036854775808": -1, "1BB": -1} {
		got, err := ParseNumber(text, "B")
		if want < 0 {
			if err == nil {
				t.Errorf("%q: %d", text, got)
			}
		} else if got != want || err != nil {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	if got, err := ParseNumber("24MP", "P"); err != nil || got != 24e6 {
		t.Errorf("24MP: %d, %v", got, err)
	}
	if DefaultMemory() < 1<<20 {
		t.Error(DefaultMemory())
	}
}

// The memory of the machine counts, or the limit of the control group (version 2 or 1) if it is lower.
func TestMemoryOfTheProcess(t *testing.T) {
	const machine, v2, v1 = "proc/meminfo", "sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"unknown":          {nil, 2 << 30},
		"machine":          {map[string]string{machine: "MemTotal:       16777216 kB\nMemFree: 1 kB\n"}, 8 << 30},
		"group, version 2": {map[string]string{machine: "MemTotal: 16777216 kB\n", v2: "1073741824\n"}, 512 << 20},
		"group, version 1": {map[string]string{machine: "MemTotal: 16777216 kB\n", v1: "1073741824\n"}, 512 << 20},
		"group, no limit":  {map[string]string{machine: "MemTotal: 1048576 kB\n", v2: "max\n"}, 512 << 20},
		"group, more":      {map[string]string{machine: "MemTotal: 1048576 kB\n", v1: "99999999999999\n"}, 512 << 20},
		"group, zero":      {map[string]string{machine: "MemTotal: 1048576 kB\n", v2: "0\n"}, 512 << 20},
	} {
		root := fstest.MapFS{}
		for path, text := range c.files {
			root[path] = &fstest.MapFile{Data: []byte(text)}
		}
		want := min(c.want, math.MaxInt/2) // half of 2 GB in a program of 32 bits
		if got := halfOfMemory(root); got != want {
			t.Errorf("%s: %d bytes, want %d", name, got, want)
		}
	}
}

// What the parser accepts is a positive number, and no text makes it panic.
func FuzzParseNumber(f *testing.F) {
	for _, text := range []string{"1", "2GiB", "1.5k", "i", "", "1e400", "0x1p3M"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if v, err := ParseNumber(text, "B"); err == nil && v < 1 || err != nil && v != 0 {
			t.Errorf("%q: %d, %v", text, v, err)
		}
	})
}
