package denoise

import (
	"bytes"
	"context"
	goimage "image"
	"os"
	"path/filepath"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// drawnJPEG is a file without noise.
func drawnJPEG(t *testing.T) []byte {
	t.Helper()
	const w, h = 96, 80
	img := &imageio.Image{Width: w, Height: h, Depth: imageio.Depth8}
	for c := range 3 {
		p := make([]float32, w*h)
		for i := range p {
			if i%w/20%2 == c%2 {
				p[i] = 0.8
			}
		}
		img.Planes = append(img.Planes, p)
	}
	var b bytes.Buffer
	must.Do(t, imageio.Encode(&b, img, imageio.WriteOptions{Format: imageio.JPEG, Quality: 85,
		Subsampling: imageio.Subsampling420}))
	return b.Bytes()
}

// A JPEG file of which nothing changes loses nothing.
func TestUnchangedJPEGKeepsItsBytes(t *testing.T) {
	data := drawnJPEG(t)
	for name, c := range map[string]struct {
		o    FileOptions
		same bool
	}{
		"none given": {FileOptions{Options: Options{Noise: None}}, true},
		"none found": {FileOptions{}, true},
		"all kept":   {FileOptions{Options: Options{Sigma: 20, Keep: 1}}, true},
		"as JPEG": {FileOptions{Options: Options{Noise: None}, Write: imageio.WriteOptions{Format: imageio.JPEG}},
			true},
		"denoised": {FileOptions{Options: Options{Sigma: 20, Quality: Fast}}, false},
		"as PNG": {FileOptions{Options: Options{Noise: None}, Write: imageio.WriteOptions{Format: imageio.PNG}},
			false},
		"quality": {FileOptions{Options: Options{Noise: None}, Write: imageio.WriteOptions{Quality: 85}}, false},
		"subsampling": {FileOptions{Options: Options{Noise: None},
			Write: imageio.WriteOptions{Subsampling: imageio.Subsampling444}}, false},
		"without data": {FileOptions{Options: Options{Noise: None}, Write: imageio.WriteOptions{Strip: true}}, false},
		"with a note": {FileOptions{Options: Options{Noise: None}, Write: imageio.WriteOptions{Note: "a program"}},
			false},
		"part of it": {FileOptions{Options: Options{Noise: None, Crop: goimage.Rect(0, 0, 40, 30)}}, false},
	} {
		folder := t.TempDir()
		in, out, again := filepath.Join(folder, "in.jpg"), filepath.Join(folder, "out.jpg"),
			filepath.Join(folder, "again.jpg")
		must.Do(t, os.WriteFile(in, data, 0o666))
		ctx := context.Background()
		r, err := File(ctx, in, out, c.o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if c.same && r.Model != "" {
			t.Fatalf("%s: %v found in a drawing", name, r)
		}
		read := c.o
		read.Data = data
		if _, err := File(ctx, "", again, read); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var piped bytes.Buffer
		if _, err := Stream(ctx, &piped, bytes.NewBuffer(data), c.o); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, path := range []string{out, again} {
			got := must.Get(os.ReadFile(path))(t)
			if !bytes.Equal(got, piped.Bytes()) {
				t.Errorf("%s: a file and a stream of it differ", name)
			}
			if bytes.Equal(got, data) != c.same {
				t.Errorf("%s: same bytes: %v, want %v", name, !c.same, c.same)
			}
		}
	}
}

// A damaged file is written again, so that other programs can read it.
func TestDamagedJPEGIsWrittenAgain(t *testing.T) {
	data := drawnJPEG(t)
	cut := data[:len(data)*3/4]
	o := FileOptions{Options: Options{Noise: None}, Read: imageio.ReadOptions{KeepDamaged: true}}
	var out bytes.Buffer
	must.Get(Stream(context.Background(), &out, bytes.NewBuffer(cut), o))(t)
	if bytes.Equal(out.Bytes(), cut) {
		t.Error("the damaged file was copied")
	}
}
