package denoise

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	goimage "image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
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
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.tif"), filepath.Join(dir, "out.tif")
	list := []*imageio.Image{pageOf(40, 30, 1, 10), pageOf(33, 41, 3, 30), pageOf(24, 24, 1, 20)}
	if err := imageio.WritePages(in, len(list), imageio.WriteOptions{},
		func(i int) (*imageio.Image, error) { return list[i], nil }); err != nil {
		t.Fatal(err)
	}
	found, err := File(context.Background(), in, out, FileOptions{Options: options(t)})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Each) != len(list) {
		t.Fatalf("the noise of %d pages of %d", len(found.Each), len(list))
	}
	r, err := imageio.Open(out, imageio.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Pages() != len(list) {
		t.Fatalf("%d pages of %d", r.Pages(), len(list))
	}
	for i, page := range list {
		alone, single := filepath.Join(dir, "alone.tif"), filepath.Join(dir, "single.tif")
		overwrite := imageio.WriteOptions{Overwrite: true}
		if err := imageio.Write(alone, page, overwrite); err != nil {
			t.Fatal(err)
		}
		own, err := File(context.Background(), alone, single, FileOptions{Options: options(t), Write: overwrite})
		if err != nil {
			t.Fatal(err)
		}
		if told := found.Each[i]; told.Noise != own.Noise || told.Sigma != own.Sigma || own.Each != nil {
			t.Errorf("page %d: %v in the stack, %v alone", i+1, told, own)
		}
		want, err := imageio.Read(single, imageio.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Page(i)
		if err != nil {
			t.Fatal(err)
		}
		for c := range want.Planes {
			for j, v := range want.Planes[c] {
				if got.Planes[c][j] != v {
					t.Fatalf("page %d, plane %d, sample %d: %g, alone %g", i, c, j, got.Planes[c][j], v)
				}
			}
		}
	}
	png := filepath.Join(dir, "out.png")
	if _, err := File(context.Background(), in, png,
		FileOptions{Options: options(t), Write: imageio.WriteOptions{Format: imageio.PNG}}); !errors.Is(err,
		imageio.ErrUnsupported) {
		t.Errorf("three pages as PNG: %v", err)
	}
	if _, err := os.Stat(png); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a PNG of three pages: %v", err)
	}
}

// An error names the page that it is about.
func TestFileNamesThePage(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.tif"), filepath.Join(dir, "out.tif")
	list := []*imageio.Image{pageOf(40, 30, 1, 10), pageOf(24, 24, 1, 10)}
	if err := imageio.WritePages(in, len(list), imageio.WriteOptions{},
		func(i int) (*imageio.Image, error) { return list[i], nil }); err != nil {
		t.Fatal(err)
	}
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
	if err := imageio.Write(in, img, imageio.WriteOptions{Format: imageio.JPEG}); err != nil {
		t.Fatal(err)
	}
	if _, err := File(context.Background(), in, out, FileOptions{Options: options(t)}); err != nil {
		t.Fatal(err)
	}
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
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.tif"), filepath.Join(dir, "out.tif")
	page := pageOf(96, 80, 3, 20)
	if err := imageio.WritePages(in, 2, imageio.WriteOptions{},
		func(int) (*imageio.Image, error) { return page, nil }); err != nil {
		t.Fatal(err)
	}
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
	if _, err := File(context.Background(), in, out, o); err != nil {
		t.Fatal(err)
	}
	if last < 0.9 || reports < 10 {
		t.Errorf("%d reports, the last of %g", reports, last)
	}
}

// The offset of a PNG file is that of the crop.
func TestFileTellsThePlaceOfACrop(t *testing.T) {
	var file, out bytes.Buffer
	if err := png.Encode(&file, goimage.NewGray(goimage.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	offset := func(x, y byte) []byte {
		body := []byte{'o', 'F', 'F', 's', 0, 0, 0, x, 0, 0, 0, y, 0}
		c := append([]byte{0, 0, 0, 9}, body...)
		return binary.BigEndian.AppendUint32(c, crc32.ChecksumIEEE(body))
	}
	const head = 8 + 25 // signature and IHDR
	data := slices.Insert(file.Bytes(), head, offset(100, 50)...)
	o := FileOptions{Options: Options{Sigma: 10, Quality: Fast, Crop: goimage.Rect(7, 5, 27, 25)}}
	if _, err := Stream(t.Context(), &out, bytes.NewBuffer(data), o); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(out.Bytes(), offset(107, 55)) {
		t.Error("the offset is not that of the crop")
	}
}

// A missing name of the output is told before any work.
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
		if _, err := Analyse(t.Context(), img, o); !errors.Is(err, ErrArgument) {
			t.Errorf("%g: %v", white, err)
		}
	}
}
