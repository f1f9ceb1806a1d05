package imageio

import (
	"bytes"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ppm returns a scene with noise as a binary PPM or PGM file.
func ppm(w, h, channels int) []byte {
	rng := noise(w, h, 1, false, Depth8, 9).Planes[0]
	src := scene(w, h)
	kind := map[int]string{1: "P5", 3: "P6"}[channels]
	b := fmt.Appendf(nil, "%s\n%d %d\n255\n", kind, w, h)
	for i := range w * h {
		for c := range channels {
			b = append(b, byte(quantise((3*unit8(src.Pix[4*i+c])+rng[i])/4, 255)))
		}
	}
	return b
}

// readPPM returns the samples of a PPM or PGM file of w x h pixels.
func readPPM(t *testing.T, data []byte, w, h, channels int) []byte {
	t.Helper()
	n := w * h * channels
	if len(data) < n || !bytes.HasPrefix(data, []byte(map[int]string{1: "P5", 3: "P6"}[channels])) {
		t.Fatalf("%d bytes for %d x %d pixels of %d channels", len(data), w, h, channels)
	}
	return data[len(data)-n:]
}

// TestLibjpegAgrees checks that JPEG files of cjpeg decode to exactly the samples that djpeg of libjpeg-turbo returns.
func TestLibjpegAgrees(t *testing.T) {
	dir := t.TempDir()
	samplings := []string{"1x1", "2x1", "1x2", "2x2", "4x1", "4x2", "1x4", "3x1", "2x2,2x1,1x2", "2x2,1x1,2x2", "2x2,1x2,1x1", "4x1,2x1,2x1", "1x1,2x2,1x1"}
	sizes := [][2]int{{1, 1}, {2, 3}, {3, 2}, {4, 5}, {5, 4}, {6, 7}, {8, 8}, {15, 16}, {16, 15}, {17, 33}, {31, 18}, {45, 37}, {64, 49}, {67, 130}}
	check := func(w, h, channels int, args ...string) {
		t.Helper()
		in := writeFile(t, filepath.Join(dir, "in.ppm"), ppm(w, h, channels))
		path := filepath.Join(dir, "a.jpg")
		run(t, "cjpeg", append(append([]string{"-outfile", path}, args...), in)...)
		compareWithDjpeg(t, path)
	}
	for _, s := range samplings {
		for i, size := range sizes {
			quality := []string{"10", "50", "75", "92", "100"}[i%5]
			check(size[0], size[1], 3, "-quality", quality, "-sample", s)
			check(size[0], size[1], 3, "-quality", quality, "-sample", s, "-progressive", "-restart", "1")
			check(size[0], size[1], 3, "-quality", quality, "-sample", s, "-optimize", "-restart", "3B")
		}
	}
	for _, size := range sizes {
		check(size[0], size[1], 1, "-grayscale")
		check(size[0], size[1], 1, "-grayscale", "-progressive", "-restart", "2B")
		check(size[0], size[1], 3, "-rgb", "-quality", "60")
	}
}

// compareWithDjpeg compares all samples of a file that is not CMYK.
func compareWithDjpeg(t *testing.T, path string) {
	t.Helper()
	img, err := Read(path, ReadOptions{})
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	out := filepath.Join(t.TempDir(), "out.ppm")
	run(t, "djpeg", "-pnm", "-outfile", out, path)
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	n := len(img.Planes)
	for i, v := range readPPM(t, data, img.Width, img.Height, n) {
		if got := quantise(img.Planes[i%n][i/n], 255); got != uint16(v) {
			t.Errorf("%s, %d x %d: pixel %d, channel %d is %d, want %d", path, img.Width, img.Height, i/n, i%n, got, v)
			return
		}
	}
}

// TestLibjpegAgreesOnCorpus reads the JPEG files that come with Go.
func TestLibjpegAgreesOnCorpus(t *testing.T) {
	files := 0
	for _, dir := range corpusDirs(t) {
		list, err := filepath.Glob(filepath.Join(dir, "testdata", "*.jp*g"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range list {
			if strings.Contains(path, "truncated") {
				continue // lacks scans, which djpeg makes up for by smoothing
			}
			if img, err := Read(path, ReadOptions{}); err == nil && len(img.Planes) < 4 {
				compareWithDjpeg(t, path)
				files++
			}
		}
	}
	if files < 20 {
		t.Errorf("only %d files", files)
	}
}

// TestDjpegReadsOurs checks that djpeg decodes our own files to the samples that we decode them to.
func TestDjpegReadsOurs(t *testing.T) {
	dir := t.TempDir()
	src := planesOf(t, image.Image(scene(61, 47)), false, false, PNG)
	for _, s := range []Subsampling{Subsampling444, Subsampling422, Subsampling420} {
		compareWithDjpeg(t, writeFile(t, filepath.Join(dir, "a.jpg"), encoded(t, src, WriteOptions{Format: JPEG, Subsampling: s})))
	}
}
