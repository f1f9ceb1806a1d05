package denoise

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	goimage "image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

func pageOf(w, h, planes int, sigma float64) *imageio.Image {
	_, noisy := noisyScene(w, h, sigma)
	img := &imageio.Image{Width: w, Height: h, Depth: imageio.Depth16, Format: imageio.TIFF}
	for i := range planes {
		img.Planes = append(img.Planes, append([]float32(nil), noisy[i%len(noisy)]...))
	}
	return img
}

// Each page of a stack is denoised as it would be alone, none is dropped, and their order is kept.
func TestFilePages(t *testing.T) {
	list := []*imageio.Image{pageOf(40, 30, 1, 10), pageOf(33, 41, 3, 30), pageOf(24, 24, 1, 20)}
	in, out := tiffIn(t, list...)
	found := must.Get(File(context.Background(), in, out, FileOptions{Options: options(t)}))(t)
	if len(found.Each) != len(list) {
		t.Fatalf("the noise of %d pages of %d", len(found.Each), len(list))
	}
	pages := pagesOf(t, must.Get(os.ReadFile(out))(t))
	if len(pages) != len(list) {
		t.Fatalf("%d pages of %d", len(pages), len(list))
	}
	for i, page := range list {
		alone, single := tiffIn(t, page)
		own := must.Get(File(t.Context(), alone, single, FileOptions{Options: options(t)}))(t)
		if told := found.Each[i]; told.Noise != own.Noise || told.Sigma != own.Sigma || own.Each != nil {
			t.Errorf("page %d: %v in the stack, %v alone", i+1, told, own)
		}
		want := must.Get(imageio.Read(single, imageio.ReadOptions{}))(t)
		samePlanes(t, fmt.Sprintf("page %d", i), pages[i].Planes, want.Planes)
	}
	png := filepath.Join(filepath.Dir(in), "out.png")
	must.Fail(t, "three pages as PNG", must.Err(File(context.Background(), in, png,
		FileOptions{Options: options(t), Write: imageio.WriteOptions{Format: imageio.PNG}})), imageio.ErrUnsupported)
	must.Fail(t, "a PNG of three pages", must.Err(os.Stat(png)), os.ErrNotExist)
}

// An error names the page that it is about.
func TestFileNamesThePage(t *testing.T) {
	in, out := tiffIn(t, pageOf(40, 30, 1, 10), pageOf(24, 24, 1, 10))
	o := FileOptions{Options: options(t)}
	o.Crop = goimage.Rect(0, 0, 40, 30)
	_, err := File(t.Context(), in, out, o)
	if want := "page 2: the crop 0,0,40,30 is not inside the image of 24 x 24 pixels"; !errors.Is(err, ErrArgument) ||
		err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Each ink of a CMYK file is denoised, and it comes back as CMYK.
func TestFileCMYK(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.jpg"), filepath.Join(dir, "out.jpg")
	img := pageOf(40, 30, 4, 25)
	must.Do(t, imageio.Write(in, img, imageio.WriteOptions{Format: imageio.JPEG}))
	must.Get(File(context.Background(), in, out, FileOptions{Options: options(t)}))(t)
	before, err1 := imageio.Read(in, imageio.ReadOptions{})
	after, err2 := imageio.Read(out, imageio.ReadOptions{})
	if err1 != nil || err2 != nil || len(after.Planes) != 4 {
		t.Fatal(err1, err2)
	}
	for i := range after.Planes {
		if rough(after.Planes[i], 40) > 0.7*rough(before.Planes[i], 40) {
			t.Errorf("ink %d is as noisy as it was", i)
		}
	}
}

// rough is the mean square of differences of neighbours.
func rough(p []float32, w int) (sum float64) {
	for i := range p {
		if i%w > 0 {
			d := float64(p[i] - p[i-1])
			sum += d * d
		}
	}
	return sum
}

// Progress rises over all pages.
func TestFileTellsProgress(t *testing.T) {
	page := pageOf(96, 80, 3, 20)
	in, out := tiffIn(t, page, page)
	last, reports := 0.0, 0
	o := FileOptions{Options: options(t)}
	o.Sigma, o.Workers = 20, 2
	o.Progress = func(share float64) {
		if share <= last || share > 1 {
			t.Errorf("%g after %g", share, last)
		}
		last = share
		reports++
	}
	must.Get(File(context.Background(), in, out, o))(t)
	if last < 0.9 || reports < 10 {
		t.Errorf("%d reports, the last of %g", reports, last)
	}
}

// The offset of a PNG file is that of the crop.
func TestFileTellsThePlaceOfACrop(t *testing.T) {
	var file, out bytes.Buffer
	must.Do(t, png.Encode(&file, goimage.NewGray(goimage.Rect(0, 0, 40, 30))))
	offset := func(x, y byte) []byte {
		body := []byte{'o', 'F', 'F', 's', 0, 0, 0, x, 0, 0, 0, y, 0}
		c := append([]byte{0, 0, 0, 9}, body...)
		return binary.BigEndian.AppendUint32(c, crc32.ChecksumIEEE(body))
	}
	const head = 8 + 25 // signature and IHDR
	data := slices.Insert(file.Bytes(), head, offset(100, 50)...)
	o := FileOptions{Options: Options{Sigma: 10, Quality: Fast, Crop: goimage.Rect(7, 5, 27, 25)}}
	must.Get(Stream(t.Context(), &out, bytes.NewBuffer(data), o))(t)
	if !bytes.Contains(out.Bytes(), offset(107, 55)) {
		t.Error("the offset is not that of the crop")
	}
}

// A missing name of the output is told before any work.
// An output that is named like another format is told of, unless the format was chosen.
func TestFileTellsOfAnotherName(t *testing.T) {
	folder := t.TempDir()
	img := &imageio.Image{Width: 16, Height: 16, Planes: [][]float32{squares(16, 16)}, Depth: imageio.Depth8}
	in := filepath.Join(folder, "in.tif")
	if err := imageio.Write(in, img, imageio.WriteOptions{Format: imageio.TIFF}); err != nil {
		t.Fatal(err)
	}
	const want = "[out.png is a TIFF file, as the input is: WriteOptions.Format chooses another format]"
	for _, c := range []struct {
		name   string
		format imageio.Format
		want   string
	}{{"out.png", 0, want}, {"b/out.png", imageio.PNG, "[]"}, {"out.tiff", 0, "[]"}, {"out", 0, "[]"}} {
		o := FileOptions{Options: Options{Sigma: 10, Quality: Fast}, Write: imageio.WriteOptions{Format: c.format}}
		out := filepath.Join(folder, c.name)
		if err := os.MkdirAll(filepath.Dir(out), 0o777); err != nil {
			t.Fatal(err)
		}
		if r, err := File(t.Context(), in, out, o); err != nil || fmt.Sprint(r.Warnings) != c.want {
			t.Errorf("%s: %q, %v", c.name, r.Warnings, err)
		}
	}
}

func TestFileNeedsAnOutput(t *testing.T) {
	if _, err := File(t.Context(), "no such file", "", FileOptions{}); !errors.Is(err, ErrArgument) {
		t.Error(err)
	}
	if _, err := File(t.Context(), "", "", FileOptions{Data: []byte{}}); !errors.Is(err, ErrArgument) {
		t.Error(err)
	}
}

// A white that is no level is refused everywhere.
func TestWhiteIsChecked(t *testing.T) {
	img := pageOf(24, 24, 1, 10)
	for _, white := range []float64{-1, math.Inf(1), math.NaN()} {
		o := FileOptions{}
		o.Read.White = white
		must.Fail(t, white, must.Err(Analyse(t.Context(), img, o)), ErrArgument)
	}
}
