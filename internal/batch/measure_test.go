package batch

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

func encoded(t testing.TB, f imageio.Format, w, h int) []byte {
	t.Helper()
	img := &imageio.Image{Width: w, Height: h, Planes: [][]float32{make([]float32, w*h)}, Depth: imageio.Depth8, Format: f}
	var b bytes.Buffer
	if err := imageio.Encode(&b, img, imageio.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestMeasure(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []imageio.Format{imageio.PNG, imageio.JPEG, imageio.TIFF} {
		data := encoded(t, f, 37, 21)
		path := filepath.Join(dir, f.String())
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		s := Measure(item(t, path, ""))
		if s != (Size{37, 21, int64(len(data))}) || s.Pixels() != 37*21 {
			t.Errorf("%v: %+v", f, s)
		}
	}
	if s := Measure(Item{}); s != (Size{}) {
		t.Errorf("nothing: %+v", s)
	}
	if s := Measure(item(t, dir, "")); s != (Size{}) {
		t.Errorf("a folder: %+v", s)
	}
	if (Size{Width: 1 << 40, Height: 1 << 40}).Pixels() != 0 || (Size{Bytes: 1e6}).Memory() < 24e6 {
		t.Error("sizes that are no sizes")
	}
}

// TestHeaderOfJPEG: what is behind the frame is not read, whatever it is.
func TestHeaderOfJPEG(t *testing.T) {
	frame := "\xff\xc2\x00\x0b\x08\x00\x15\x00\x25\x01\x01\x11\x00"
	for _, c := range []struct {
		head string
		w, h int64
	}{{frame, 37, 21}, {"\xff\xe1\x00\x04ab\xff" + frame, 37, 21}, {"\xff\xda\x00\x02" + frame, 0, 0}, {"\x00\x00" + frame, 0, 0},
		{"\xff\xe1\x00\x01" + frame, 0, 0}, {strings.Repeat("\xff", 1<<10) + frame[1:], 37, 21}, {frame[:7], 0, 0}, {"\xff\xc4\x00\x02", 0, 0}} {
		data := "\xff\xd8" + c.head
		if len(c.head) >= len(frame) {
			data += strings.Repeat("\x00", 1<<20)
		}
		r := strings.NewReader(data)
		w, h := jpegHeader(r)
		if w != c.w || h != c.h {
			t.Errorf("%q: %d x %d", c.head[:min(len(c.head), 20)], w, h)
		}
		if read := len(data) - r.Len(); read > 64<<10 {
			t.Errorf("%q: %d bytes were read", c.head[:min(len(c.head), 20)], read)
		}
	}
}

func FuzzHeader(f *testing.F) {
	for _, format := range []imageio.Format{imageio.PNG, imageio.JPEG, imageio.TIFF} {
		f.Add(encoded(f, format, 5, 3))
	}
	f.Add([]byte("MM\x00*\x00\x00\x00\x08\x00\x02\x01\x00\x00\x03\x00\x00\x00\x01\x00\x07\x00\x00\x01\x01\x00\x03\x00\x00\x00\x01\x00\x09\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		w, h := header(bytes.NewReader(data))
		if s := (Size{w, h, int64(len(data))}); s.Memory() <= 0 {
			t.Errorf("%+v takes %d bytes", s, s.Memory())
		}
	})
}

func TestParseMemory(t *testing.T) {
	for text, want := range map[string]int64{"1": 1, "500M": 500 << 20, "1.5g": 3 << 29, "2GiB": 2 << 30, " 3 kb": -1, "3kb": 3 << 10,
		"": -1, "M": -1, "0": -1, "-1G": -1, "1e30": -1, "nan": -1, "1P": -1, "1MM": -1, "inf": -1} {
		got, err := ParseMemory(text)
		if want < 0 {
			if err == nil {
				t.Errorf("%q: %d", text, got)
			}
		} else if got != want || err != nil {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	if DefaultMemory() < 1<<20 {
		t.Error(DefaultMemory())
	}
}
