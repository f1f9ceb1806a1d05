package imageio

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// run runs another program and returns its output. It skips the test if the program is not installed.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed", name)
	}
	if name == "exiftool" {
		return exiftool(t, args)
	}
	cmd := exec.Command(name, args...)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	if err := cmd.Run(); err != nil {
		t.Errorf("%s %v: %v\n%s%s", name, args, err, &out, &complaints)
	}
	return out.String() + complaints.String()
}

// exiftoolServer is a process that serves all tests: its start takes longer than its work.
type exiftoolServer struct {
	sync.Mutex
	in  io.WriteCloser
	out *bufio.Reader
	end func() error
}

var startExiftool = sync.OnceValues(func() (*exiftoolServer, error) {
	cmd := exec.Command("exiftool", "-stay_open", "True", "-@", "-")
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	return &exiftoolServer{in: in, out: bufio.NewReader(out), end: cmd.Wait}, errors.Join(err1, err2, cmd.Start())
})

// exiftool returns what exiftool writes to its standard output, where it also complains about files.
func exiftool(t *testing.T, args []string) string {
	t.Helper()
	s := must.Get(startExiftool())(t)
	s.Lock()
	defer s.Unlock()
	fmt.Fprintf(s.in, "%s\n-echo3\nstatus ${status}\n-execute1\n", strings.Join(args, "\n"))
	var all strings.Builder
	for {
		line, err := s.out.ReadString('\n')
		switch {
		case err != nil:
			t.Fatal(err)
		case line == "{ready1}\n":
			text, ok := strings.CutSuffix(all.String(), "status 0\n")
			if !ok {
				t.Errorf("exiftool %v: %s", args, text)
			}
			return text
		}
		all.WriteString(line)
	}
}

func TestMain(m *testing.M) {
	code := m.Run()
	if s, err := startExiftool(); err == nil {
		fmt.Fprint(s.in, "-stay_open\nFalse\n")
		s.in.Close()
		s.end()
	}
	os.Exit(code)
}

// rewritten reads the files with all kinds of metadata, writes them again, and returns their paths.
func rewritten(t *testing.T) map[Format]string {
	dir := t.TempDir()
	paths := map[Format]string{}
	for f, file := range richFiles(t) {
		paths[f] = writeFile(t, filepath.Join(dir, strings.ToLower(f.String())),
			encoded(t, decoded(t, file, ReadOptions{}), WriteOptions{}))
	}
	return paths
}

func TestPNGCheckAgrees(t *testing.T) {
	if out := run(t, "pngcheck", "-q", rewritten(t)[PNG]); strings.Contains(out, "ERROR") {
		t.Error(out)
	}
}

// TestLibtiffAgrees checks that libtiff reads every page of our files without a warning.
func TestLibtiffAgrees(t *testing.T) {
	dir := t.TempDir()
	check := func(name string, file []byte, pages int) {
		path := writeFile(t, filepath.Join(dir, name), file)
		out := run(t, "tiffinfo", "-D", path) // decodes all pixels
		if n := strings.Count(out, "Image Width:"); n != pages || strings.Contains(out, "Error") ||
			strings.Contains(out, "Warning") && !strings.Contains(out, "Unknown field") {
			t.Errorf("%s: %d pages of %d\n%s", name, n, pages, out)
		}
	}
	check("rich.tif", encoded(t, decoded(t, richFiles(t)[TIFF], ReadOptions{}), WriteOptions{}), 1)
	for _, form := range []tiffForm{{le, false}, {be, false}, {le, true}, {be, true}} {
		var list []*Image
		for i, d := range []Depth{Depth8, Depth16, DepthFloat32} {
			img := noise(300, 200+i, 1+i%2*2, i == 1, d, 1)
			img.Meta = &Metadata{tiff: &tiffMeta{tiffForm: form, packing: deflateIf(i > 0)}}
			list = append(list, img)
		}
		check("pages.tif", encodedPages(t, list), 3)
	}
	check("stack.tif", encodedPages(t, pagesOf(t, stackOfImageJ(5))), 1)
}

// TestLibtiffWritesWhatWeRead reads files that libtiff wrote with its compressions, tiles and planes.
func TestLibtiffWritesWhatWeRead(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []Depth{Depth8, Depth16, DepthFloat32} {
		img := noise(70, 45, 3, false, d, 2)
		in := writeFile(t, filepath.Join(dir, "in.tif"), encoded(t, img, WriteOptions{}))
		for _, args := range [][]string{
			{"-c", "lzw"}, {"-c", "lzw:2"}, {"-c", "zip:2"}, {"-c", "zip:3"}, {"-c", "packbits"}, {"-c", "none", "-B"},
			{"-c", "zip:2", "-B"}, {"-8"}, {"-8", "-B", "-c", "zip"},
			{"-t", "-w", "32", "-l", "16"}, {"-t", "-w", "32", "-l", "16", "-c", "lzw:2"}, {"-p", "separate"},
			{"-p", "separate", "-c", "zip:2", "-r", "7"},
			{"-p", "separate", "-t", "-w", "16", "-l", "32", "-c", "packbits"},
		} {
			if slices.Contains(args, "zip:3") && d != DepthFloat32 || slices.Contains(args, "separate") && d != Depth8 {
				continue // tiffcp cannot
			}
			out := filepath.Join(dir, "out.tif")
			run(t, "tiffcp", append(args, in, out)...)
			if got, err := Read(out, ReadOptions{}); err != nil || !same(got, img) {
				t.Errorf("%v %v: %v", d, args, err)
			}
		}
	}
}

// TestExiftoolAgrees checks that exiftool finds the same metadata in the old and the new file, except for changes.
func TestExiftoolAgrees(t *testing.T) {
	dir := t.TempDir()
	read := func(path string) map[string]any {
		var list []map[string]any
		if err := json.Unmarshal([]byte(run(t, "exiftool", "-j", "-n", "-G0:1", path)), &list); err != nil ||
			len(list) != 1 {
			t.Fatal(err)
		}
		return list[0]
	}
	for f, file := range richFiles(t) {
		ext := map[Format]string{PNG: ".png", JPEG: ".jpg", TIFF: ".tif"}[f]
		old := read(writeFile(t, filepath.Join(dir, "old"+ext), file))
		now := read(writeFile(t, filepath.Join(dir, "new"+ext),
			encoded(t, decoded(t, file, ReadOptions{}), WriteOptions{})))
		for k, v := range old {
			group, name, _ := strings.Cut(k, ":")
			if group == "File" || group == "Composite" || k == "SourceFile" || group == "ExifTool" {
				continue
			}
			if w, ok := now[k]; (!ok || w != v) && !changes[name[strings.LastIndex(name, ":")+1:]] {
				t.Errorf("%v: %s was %v, is %v", f, k, v, w)
			}
		}
		for k, v := range now {
			if strings.HasSuffix(k, "Orientation") && v != 1.0 || strings.HasSuffix(k, ":ExifTool:Warning") {
				t.Errorf("%v: %s is %v", f, k, v)
			}
		}
	}
}

// changes lists the properties that change with the coding, the orientation or the thumbnail.
var changes = map[string]bool{
	"Orientation": true, "XResolution": true, "YResolution": true, "PixelsPerUnitX": true, "PixelsPerUnitY": true,
	"ImageWidth": true, "ImageHeight": true,
	"ExifImageWidth": true, "ExifImageHeight": true, "StripOffsets": true, "StripByteCounts": true,
	"RowsPerStrip":    true,
	"ThumbnailOffset": true, "ThumbnailLength": true, "ThumbnailImage": true, "ThumbnailWidth": true,
	"ThumbnailHeight": true, "PhotoshopThumbnail": true,
	"MPFVersion": true, "NumberOfImages": true, "MPImageFlags": true, "ThumbnailTIFF": true,
	"JFIFVersion": true, "Warning": true, "CurrentIPTCDigest": true, "Interlace": true, "ImageSourceData": true,
}

// TestImageMagickAgrees checks the colours of our JPEG files with ImageMagick.
func TestImageMagickAgrees(t *testing.T) {
	dir := t.TempDir()
	out := run(t, "identify", "-version")
	if !strings.Contains(out, "ImageMagick") {
		t.Skip("identify is another program")
	}
	for planes, want := range map[int]string{1: "Gray", 3: "sRGB", 4: "CMYK"} {
		img := painted(newImage(40, 30, planes, noAlpha, Depth8, JPEG),
			func(c, _ int) float32 { return 0.2 * float32(1+c) })
		path := writeFile(t, filepath.Join(dir, "a.jpg"), encoded(t, img, WriteOptions{Quality: 100}))
		got := run(t, "identify", "-format", "%[colorspace] %wx%h %Q %[fx:mean.r]", path)
		if !strings.HasPrefix(got, want+" 40x30 100") {
			t.Errorf("%d planes: %s", planes, got)
		}
		if planes == 3 && !strings.Contains(got, " 0.2") {
			t.Errorf("red is %s, want 0.2", got)
		}
	}
}
