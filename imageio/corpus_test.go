package imageio

import (
	"bytes"
	"image"
	"image/color"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// TestFaultF1Corpus reads the images that come with Go and with x/image. Each must be refused or read with the pixels
// of the decoders there.
func TestFaultF1Corpus(t *testing.T) {
	read, refused := 0, 0
	for _, dir := range corpusDirs(t) {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if _, ok := OutputFormatOf(path); err != nil || !ok {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			img, err := refusedOrWhole(data, ReadOptions{})
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
			if img == nil {
				refused++
				t.Log(path, outcome(data, ReadOptions{}))
				return nil
			}
			read++
			if len(img.Planes) == 4 {
				return nil // inks: the image interface would make them light
			}
			src, _, err := image.Decode(bytes.NewReader(data))
			if err != nil {
				t.Errorf("%s: the stock decoder refuses: %v", path, err)
				return nil
			}
			if img.Format == JPEG {
				compareComponents(t, path, data, src)
			} else {
				comparePixels(t, path, img, src)
			}
			return nil
		})
		must.Do(t, err)
	}
	t.Logf("%d read, %d refused", read, refused)
	if read < 50 {
		t.Errorf("only %d files are read", read)
	}
}

func corpusDirs(t *testing.T) []string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skipf("no toolchain to ask: %v", err)
	}
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/image").Output()
	if err != nil {
		t.Skipf("no module folder: %v", err)
	}
	dirs := []string{filepath.Join(strings.TrimSpace(string(root)), "src", "image"), strings.TrimSpace(string(module))}
	for _, d := range dirs {
		if _, err := os.Stat(d); err != nil {
			t.Skipf("no images: %v", err)
		}
	}
	return dirs
}

// compareComponents compares the samples of each component with those of the standard library, whose inverse DCT
// differs by one level at most.
func compareComponents(t *testing.T, path string, data []byte, src image.Image) {
	t.Helper()
	h := scanJPEG(data)
	must.Do(t, h.check(ReadOptions{}, int64(len(data))))
	d := must.Get(decodeScans(data, h, jpegOptions{}))(t)
	for i := range d.components {
		c := &d.components[i]
		var pix []byte
		stride, step := 0, 1
		switch s := src.(type) {
		case *image.YCbCr:
			pix, stride = [][]byte{s.Y, s.Cb, s.Cr}[i], []int{s.YStride, s.CStride, s.CStride}[i]
		case *image.Gray:
			pix, stride = s.Pix, s.Stride
		case *image.RGBA:
			pix, stride, step = s.Pix[i:], s.Stride, 4
			if c.right > 1 {
				continue
			}
		}
		for y := range c.height {
			for x, v := range c.line(y) {
				if w := pix[y*stride+x*step]; max(v, w)-min(v, w) > 1 {
					t.Errorf("%s: component %d, sample (%d, %d) is %d, want %d", path, i, x, y, v, w)
					return
				}
			}
		}
	}
}

// comparePixels compares with src through the image interface, not through the bytes that this package reads. It
// compares opaque pixels only, because the interface loses colours under alpha.
func comparePixels(t *testing.T, path string, img *Image, src image.Image) {
	t.Helper()
	b := src.Bounds()
	if b.Dx() != img.Width || b.Dy() != img.Height {
		t.Errorf("%s: %d x %d pixels, want %v", path, img.Width, img.Height, b)
		return
	}
	top := img.Depth.Max()
	if img.Depth < Depth8 {
		top = 65535
	}
	for i := range img.Width * img.Height {
		want := color.NRGBA64Model.Convert(src.At(b.Min.X+i%img.Width, b.Min.Y+i/img.Width)).(color.NRGBA64)
		if want.A != 0xffff {
			continue
		}
		last := len(img.Planes) - 1
		for c, v := range []uint16{want.R, want.G, want.B} {
			got := quantise(img.Planes[min(c, last)][i], top)
			if img.Depth == Depth8 {
				v >>= 8
			}
			if got != v {
				t.Errorf("%s: pixel %d, channel %d: %d, want %d", path, i, c, got, v)
				return
			}
		}
	}
}
