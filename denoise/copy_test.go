package denoise

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// unreadableTIFF returns a TIFF file whose compression (JPEG 2000) is not supported.
func unreadableTIFF(t *testing.T) []byte {
	t.Helper()
	data := tiffOf(t, pageOf(40, 30, 1, 10))
	binary.LittleEndian.PutUint16(compressionTag(data, 0), 34712)
	return data
}

// Without CopyUnsupported a file of another kind is refused; with it, its bytes are copied, but not into another
// format.
func TestUnsupportedFilesAreCopied(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	in, out := filepath.Join(dir, "in.tif"), filepath.Join(dir, "out.tif")
	data := unreadableTIFF(t)
	must.Do(t, os.WriteFile(in, data, 0o666))
	if _, err := File(ctx, in, out, FileOptions{}); !errors.Is(err, imageio.ErrUnsupported) {
		t.Fatalf("refused: %v", err)
	}
	o := FileOptions{CopyUnsupported: true}
	r, err := File(ctx, in, out, o)
	if err != nil || r.Copied != 1 || r.Noise != None || !strings.Contains(r.CopyReason, "compression") {
		t.Errorf("%+v, %v", r, err)
	}
	if got, err := os.ReadFile(out); err != nil || !bytes.Equal(got, data) {
		t.Errorf("not the same bytes (%v)", err)
	}
	must.Fail(t, "a file that exists", must.Err(File(ctx, in, out, o)), os.ErrExist)
	var b bytes.Buffer
	if r, err := Stream(ctx, &b, bytes.NewBuffer(data), o); err != nil || r.Copied != 1 ||
		!bytes.Equal(b.Bytes(), data) {
		t.Errorf("as a stream: %+v, %v", r, err)
	}
	root := must.Get(os.OpenRoot(dir))(t)
	defer root.Close()
	o.Read.Root, o.Write.Root = root, root
	if r, err := File(ctx, "in.tif", "again.tif", o); err != nil || r.Copied != 1 {
		t.Errorf("below an open folder: %+v, %v", r, err)
	}
	o = FileOptions{CopyUnsupported: true, Write: imageio.WriteOptions{Format: imageio.PNG}}
	png := filepath.Join(dir, "out.png")
	must.Fail(t, "as PNG", must.Err(File(ctx, in, png, o)), imageio.ErrUnsupported)
	must.Fail(t, "no picture", must.Err(File(ctx, "", filepath.Join(dir, "x"),
		FileOptions{Data: []byte("no picture"), CopyUnsupported: true})), imageio.ErrFormat)
}

// A page that cannot be read is copied, and the others are denoised.
func TestUnsupportedPagesAreCopied(t *testing.T) {
	pages := []*imageio.Image{pageOf(40, 30, 1, 20), pageOf(32, 24, 1, 20), pageOf(48, 16, 1, 20)}
	ctx, data := t.Context(), tiffOf(t, pages...)
	in, out := tiffIn(t, pages...)
	dir, tag := filepath.Dir(in), compressionTag(data, 1)
	binary.LittleEndian.PutUint16(tag, 34712)
	must.Do(t, os.WriteFile(in, data, 0o666))
	o := FileOptions{Options: options(t), CopyUnsupported: true}
	r, err := File(ctx, in, out, o)
	if err != nil || r.Pages != 3 || r.Copied != 1 || !strings.HasPrefix(r.CopyReason, "page 2: ") || r.Noise == None {
		t.Fatalf("%+v, %v", r, err)
	}
	fromBytes := filepath.Join(dir, "bytes.tif")
	read := o
	read.Data = data
	if r, err := File(ctx, "", fromBytes, read); err != nil || r.Copied != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	got, err1 := os.ReadFile(out)
	again, err2 := os.ReadFile(fromBytes)
	if err := errors.Join(err1, err2); err != nil || !bytes.Equal(got, again) {
		t.Errorf("not the same bytes from a file and from memory (%v)", err)
	}
	var stream bytes.Buffer
	if r, err := Stream(ctx, &stream, bytes.NewBuffer(data), o); err != nil || r.Pages != 3 || r.Copied != 1 ||
		!bytes.Equal(stream.Bytes(), got) {
		t.Errorf("not the same bytes as a stream: %+v, %v", r, err)
	}
	tag = compressionTag(got, 2) // it stands behind the others
	if v := binary.LittleEndian.Uint16(tag); v != 34712 {
		t.Fatalf("compression %d", v)
	}
	binary.LittleEndian.PutUint16(tag, 1)
	back := pagesOf(t, got)
	if len(back) != 3 {
		t.Fatalf("%d pages", len(back))
	}
	for i, p := range pages {
		img := back[i]
		if img.Width != p.Width {
			t.Fatalf("page %d: %d columns", i, img.Width)
		}
		if kept := rough(img.Planes[0], p.Width) > 0.9*rough(p.Planes[0], p.Width); kept != (i == 1) {
			t.Errorf("page %d is as it was: %v", i, kept)
		}
	}
	o.Write.Format = imageio.PNG
	must.Fail(t, "as PNG", must.Err(File(ctx, in, filepath.Join(dir, "out.png"), o)), imageio.ErrUnsupported)
	stream.Reset()
	if _, err := Stream(ctx, &stream, bytes.NewBuffer(data), o); !errors.Is(err, imageio.ErrUnsupported) ||
		stream.Len() > 0 {
		t.Errorf("a stream as PNG: %v, %d bytes", err, stream.Len())
	}
}

// compressionTag returns the value of the compression of the n-th directory in a file.
func compressionTag(data []byte, n int) []byte {
	order := binary.LittleEndian
	tag := order.AppendUint32(order.AppendUint16(order.AppendUint16(nil, 259), 3), 1) // a SHORT, one of it
	for ; ; n-- {
		data = data[bytes.Index(data, tag)+len(tag):]
		if n == 0 {
			return data
		}
	}
}

// Look sees each page before and after.
func TestLook(t *testing.T) {
	page := pageOf(40, 30, 1, 20)
	in, out := tiffIn(t, page, page)
	var seen []float64
	r, err := File(context.Background(), in, out, FileOptions{Options: options(t),
		Look: func(i int, img *imageio.Image, denoised bool) {
			if want := len(seen)/2 == i && len(seen)%2 == 1 == denoised; !want {
				t.Errorf("look %d: page %d, denoised %v", len(seen), i, denoised)
			}
			seen = append(seen, rough(img.Planes[0], 40))
		}})
	if err != nil || r.Pages != 2 || r.Copied != 0 || len(seen) != 4 || seen[1] >= seen[0] || seen[3] >= seen[2] {
		t.Errorf("%+v, %v, %v", r, err, seen)
	}
}
