package imageio

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
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
	samplings := []string{"1x1", "2x1", "1x2", "2x2", "4x1", "4x2", "1x4", "3x1", "2x2,2x1,1x2", "2x2,1x1,2x2",
		"2x2,1x2,1x1", "4x1,2x1,2x1", "1x1,2x2,1x1"}
	sizes := [][2]int{{1, 1}, {2, 3}, {3, 2}, {4, 5}, {5, 4}, {6, 7}, {8, 8}, {15, 16}, {16, 15}, {17, 33}, {31, 18},
		{45, 37}, {64, 49}, {67, 130}}
	check := func(w, h, channels int, args ...string) {
		t.Helper()
		in := writeFile(t, filepath.Join(dir, "in.ppm"), ppm(w, h, channels))
		path := filepath.Join(dir, "a.jpg")
		run(t, "cjpeg", append(append([]string{"-outfile", path}, args...), in)...)
		compareWithDjpeg(t, path)
	}
	codings := [][]string{{}, {"-progressive", "-restart", "1"}, {"-optimize", "-restart", "3B"}, {"-arithmetic"},
		{"-arithmetic", "-progressive", "-restart", "2B"}}
	for k, s := range samplings {
		for i, size := range sizes {
			quality := []string{"10", "50", "75", "92", "100"}[i%5]
			for c, coding := range codings {
				if all || (k+i+i/5+c)%3 == 0 {
					check(size[0], size[1], 3, append([]string{"-quality", quality, "-sample", s}, coding...)...)
				}
			}
		}
	}
	for _, size := range sizes {
		check(size[0], size[1], 1, "-grayscale")
		check(size[0], size[1], 1, "-grayscale", "-progressive", "-restart", "2B")
		check(size[0], size[1], 1, "-grayscale", "-progressive", "-arithmetic")
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
	compareWithPPM(t, path, img, out)
}

// compareWithPPM compares all samples with those of a PPM or PGM file.
func compareWithPPM(t *testing.T, path string, img *Image, out string) {
	t.Helper()
	data := must.Get(os.ReadFile(out))(t)
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
		list := must.Get(filepath.Glob(filepath.Join(dir, "testdata", "*.jp*g")))(t)
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
		compareWithDjpeg(t, writeFile(t, filepath.Join(dir, "a.jpg"),
			encoded(t, src, WriteOptions{Format: JPEG, Subsampling: s})))
	}
}

// TestDamagedJPEG damages files, some beyond their headers, and compares what is kept with what djpeg makes of them.
// Files of several scans are left out, because djpeg smooths what they lack.
func TestDamagedJPEG(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(17, 4))
	kinds := [][]string{{"-sample", "2x2"}, {"-sample", "1x1", "-restart", "1"},
		{"-sample", "2x1", "-restart", "3B", "-optimize"}, {"-grayscale", "-restart", "2B"},
		{"-sample", "2x2", "-arithmetic"}, {"-sample", "1x1", "-arithmetic", "-restart", "4B"}}
	read, warned := 0, 0
	for i := range 20 * len(kinds) {
		args := kinds[i%len(kinds)]
		in := writeFile(t, filepath.Join(dir, "in.ppm"), ppm(67, 50, 3))
		path := filepath.Join(dir, "a.jpg")
		run(t, "cjpeg", append(append([]string{"-outfile", path}, args...), in)...)
		data := must.Get(os.ReadFile(path))(t)
		from := bytes.Index(data, []byte{0xff, markerSOS}) + 14
		switch i / len(kinds) % 5 {
		case 0:
			data = data[:from+rng.IntN(len(data)-from)]
		case 1:
			data[from+rng.IntN(len(data)-from)] = 0xff
		case 2: // without a part
			at := from + rng.IntN(len(data)-from)
			data = append(data[:at:at], data[min(len(data), at+rng.IntN(200)):]...)
		default:
			for range 1 + rng.IntN(5) {
				data[from+rng.IntN(len(data)-from)] ^= 1 << rng.IntN(8)
			}
		}
		writeFile(t, path, data)
		out := filepath.Join(dir, "out.ppm")
		os.Remove(out)
		complaint, failed := exec.Command("djpeg", "-pnm", "-outfile", out, path).CombinedOutput()
		img, err := Decode(data, ReadOptions{KeepDamaged: true})
		if err != nil {
			if failed == nil {
				t.Errorf("%d %v: %v, but djpeg reads it: %s", i, args, err, complaint)
			}
			continue
		}
		if info, err := os.Stat(out); err != nil || info.Size() < 67*50 {
			continue // a marker in the data that djpeg does not go on after
		}
		read++
		if len(complaint) > 0 && len(img.Warnings) == 0 && !strings.Contains(string(args[0]), "x") {
			t.Errorf("%d %v: no warning, but djpeg says %s", i, args, complaint)
		}
		if len(img.Warnings) > 0 {
			warned++
		}
		if failed == nil || exitCode(failed) == 2 { // 2 means warnings
			name := fmt.Sprint(i, args, img.Warnings, string(complaint))
			most := 25 // per cent of the samples that may differ
			switch {
			case i/len(kinds)%5 == 0 && !slices.Contains(args, "-arithmetic"): // cut
				most = 0
			case !slices.Contains(args, "-restart"): // the damage goes on to the end
				most = 100
			}
			compareWhereSure(t, name, path, img, out, most)
		}
	}
	if read < 80 || warned < 60 {
		t.Errorf("%d damaged files are read, %d with a warning", read, warned)
	}
}

// TestShortProgressiveJPEG cuts progressive files, and compares them with what djpeg makes of the coefficients that
// jpegtran finds in them. djpeg itself would smooth them.
func TestShortProgressiveJPEG(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(17, 5))
	for i, args := range [][]string{{"-sample", "2x2"}, {"-sample", "1x1", "-restart", "1"}, {"-grayscale"},
		{"-sample", "2x1"}, {"-sample", "1x1"}, {"-sample", "2x2", "-restart", "5B"}} {
		in := writeFile(t, filepath.Join(dir, "in.ppm"), ppm(67, 50, 3))
		path, whole, out := filepath.Join(dir, "a.jpg"), filepath.Join(dir, "whole.jpg"), filepath.Join(dir, "out.ppm")
		run(t, "cjpeg", append(append([]string{"-progressive", "-outfile", path}, args...), in)...)
		data := must.Get(os.ReadFile(path))(t)
		from := bytes.Index(data, []byte{0xff, markerSOS}) + 30
		for range 8 {
			part := data[:from+rng.IntN(len(data)-from-2)]
			writeFile(t, path, part)
			if _, err := Decode(part, ReadOptions{}); kindName(err) != "format" {
				t.Errorf("%d: %v", i, err)
			}
			img, err := Decode(part, ReadOptions{KeepDamaged: true})
			if err != nil || len(img.Warnings) == 0 {
				t.Errorf("%d: %v, no warning", i, err)
				continue
			}
			os.Remove(whole)
			exec.Command("jpegtran", "-outfile", whole, path).Run() // complains
			if _, err := os.Stat(whole); err != nil {
				t.Logf("%v, %d bytes: jpegtran writes nothing", args, len(part))
				continue
			}
			run(t, "djpeg", "-pnm", "-outfile", out, whole)
			compareWithPPM(t, fmt.Sprint(args, len(part), len(data)), img, out)
		}
	}
}

// compareWhereSure compares the samples in which djpeg with and without vector instructions agrees. They differ where
// damage makes the coefficients larger than any picture has, and there they may agree by accident.
func compareWhereSure(t *testing.T, name, path string, img *Image, out string, most int) {
	t.Helper()
	plain := filepath.Join(t.TempDir(), "plain.ppm")
	cmd := exec.Command("djpeg", "-pnm", "-outfile", plain, path)
	cmd.Env = append(os.Environ(), "JSIMD_FORCENONE=1")
	cmd.Run()
	var want [2][]byte
	n := len(img.Planes)
	for i, file := range []string{out, plain} {
		data := must.Get(os.ReadFile(file))(t)
		want[i] = readPPM(t, data, img.Width, img.Height, n)
	}
	sure, other := 0, 0
	for i, v := range want[0] {
		if v != want[1][i] {
			continue
		}
		sure++
		if got := quantise(img.Planes[i%n][i/n], 255); got != uint16(v) {
			if other++; 100*other > most*len(want[0]) {
				t.Errorf("%s: pixel %d, %d, channel %d is %d, want %d", name, i/n%img.Width, i/n/img.Width, i%n, got, v)
				return
			}
		}
	}
	if sure < len(want[0])/2 {
		t.Errorf("%s: only %d of %d samples can be compared", name, sure, len(want[0]))
	}
}

func exitCode(err error) int {
	var e *exec.ExitError
	if errors.As(err, &e) {
		return e.ExitCode()
	}
	return -1
}
