package batch

import (
	"bytes"
	"os"
	"path/filepath"
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
