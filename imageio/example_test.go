package imageio_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// ramp returns a gray image of 4 x 2 pixels.
func ramp() *imageio.Image {
	return &imageio.Image{
		Width: 4, Height: 2, Depth: imageio.Depth16, Format: imageio.PNG,
		Planes: [][]float32{{0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 1}},
	}
}

func ExampleEncode() {
	var b bytes.Buffer
	if err := imageio.Encode(&b, ramp(), imageio.WriteOptions{Format: imageio.TIFF}); err != nil {
		fmt.Println(err)
	}
	img, err := imageio.Decode(b.Bytes(), imageio.ReadOptions{})
	fmt.Println(img.Width, img.Height, len(img.Planes), img.Depth, img.Format, err)
	// Output: 4 2 1 16-bit TIFF <nil>
}

func ExampleDecode() {
	_, err := imageio.Decode([]byte("some text"), imageio.ReadOptions{})
	fmt.Println(err, errors.Is(err, imageio.ErrFormat))
	// Output: not a PNG, JPEG, TIFF, WebP, BMP or PNM file true
}

func ExampleRead() {
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "ramp.png")
	if err := imageio.Write(path, ramp(), imageio.WriteOptions{}); err != nil {
		fmt.Println(err)
	}
	img, err := imageio.Read(path, imageio.ReadOptions{})
	fmt.Println(img.Format, img.Depth, err)
	_, err = imageio.Read(path, imageio.ReadOptions{MaxPixels: 7})
	fmt.Println(err)
	// Output:
	// PNG 16-bit <nil>
	// 4 x 2 pixels, limit is 7
}

func ExampleWrite() {
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "ramp.jpg")
	o := imageio.WriteOptions{Format: imageio.JPEG}
	fmt.Println(imageio.Write(path, ramp(), o))
	fmt.Println(errors.Is(imageio.Write(path, ramp(), o), fs.ErrExist))
	// Output:
	// <nil>
	// true
}

func ExampleOutputFormatOf() {
	fmt.Println(imageio.OutputFormatOf("photo.JPG"))
	// Output: JPEG true
}

func ExampleWriteFileAtomic() {
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "report.txt")
	err := imageio.WriteFileAtomic(path, true, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, "all of it or nothing")
		return err
	})
	text, _ := os.ReadFile(path)
	fmt.Print(string(text), err)
	// Output:
	// all of it or nothing
	// <nil>
}

func ExampleWritePages() {
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "stack.tif")
	// The function is called for each page when the page before has been written.
	err := imageio.WritePages(path, 3, imageio.WriteOptions{Format: imageio.TIFF},
		func(int) (*imageio.Image, error) { return ramp(), nil })
	fmt.Println(err)

	r, err := imageio.Open(path, imageio.ReadOptions{})
	fmt.Println(err)
	defer r.Close()
	for i := range r.Pages() {
		img, err := r.Page(i)
		fmt.Println(i, img.Width, img.Height, err)
	}
	// Output:
	// <nil>
	// <nil>
	// 0 4 2 <nil>
	// 1 4 2 <nil>
	// 2 4 2 <nil>
}

func ExampleNewReader() {
	var b bytes.Buffer
	imageio.Encode(&b, ramp(), imageio.WriteOptions{})
	r, err := imageio.NewReader(b.Bytes(), imageio.ReadOptions{})
	fmt.Println(r.Info().Format, r.Info().Width, r.Info().Height, r.Pages(), err)
	// Output: PNG 4 2 1 <nil>
}

func ExampleReadInfo() {
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "ramp.png")
	if err := imageio.Write(path, ramp(), imageio.WriteOptions{}); err != nil {
		fmt.Println(err)
	}
	info, err := imageio.ReadInfo(path, imageio.ReadOptions{})
	fmt.Println(info.Format, info.Width, info.Height, info.Channels, info.Depth, info.Pages, err)
	// Output: PNG 4 2 1 16-bit 1 <nil>
}

func ExampleMetadata() {
	var b bytes.Buffer
	imageio.Encode(&b, ramp(), imageio.WriteOptions{Format: imageio.JPEG, Quality: 85})
	img, err := imageio.Decode(b.Bytes(), imageio.ReadOptions{})
	profile, _ := img.Meta.ICC()
	fmt.Println(img.Meta.Quality(), profile == nil, img.Meta.EXIF() == nil, err)
	// Output: 85 true true <nil>
}

func ExampleWriteOptions_Check() {
	fmt.Println(imageio.WriteOptions{Format: imageio.PNG}.Check(ramp(), 2))
	// Output: PNG cannot hold 2 pages, but TIFF can
}
