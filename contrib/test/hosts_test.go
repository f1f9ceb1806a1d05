//go:build hosts

package test

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/scene"
	"github.com/blorc-denoise/blorc-denoise/internal/scene/scenetest"
)

// program is the path of blorc-denoise. It is first in PATH, too.
var program string

// contrib is the folder of the plug-ins.
var contrib string

func TestMain(m *testing.M) {
	code, err := prepare(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

func prepare(m *testing.M) (int, error) {
	var missing []string
	for _, tool := range []string{"gmic", "gimp-console", os.Getenv("GIMP3_ROOT") + "/usr/bin/gimp-console-3.0",
		"gimptool-2.0", "gcc", "kritarunner", "darktable", "darktable-cli", "rawtherapee-cli", "dcraw_emu", "dcraw",
		"imagej", "javac", "jar", "vips", "ffmpeg", "ffprobe", "convert", "xvfb-run", "dolphin", "xdotool",
		"dbus-run-session", "exiftool", "desktop-file-validate", "/usr/bin/python3", "mypy", "bash"} {
		if _, err := exec.LookPath(tool); err != nil {
			missing = append(missing, tool)
		}
	}
	if missing != nil {
		return 1, fmt.Errorf("missing programs (see the script run): %s", strings.Join(missing, ", "))
	}
	dir, err := os.MkdirTemp("", "hosts-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "bin", "blorc-denoise")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/blorc-denoise").CombinedOutput(); err != nil {
		return 1, fmt.Errorf("%s: %w", out, err)
	}
	if contrib, err = filepath.Abs(".."); err != nil {
		return 1, err
	}
	os.Setenv("PATH", filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
	os.Unsetenv("BLORC_DENOISE")
	return m.Run(), nil
}

// picture says how a test picture is made: a drawn scene with white noise.
type picture struct {
	gray, alpha bool
	hole        bool // samples that are no numbers
	depth       imageio.Depth
	seed        uint64
}

// pictures are the files that draw makes.
var pictures = map[string]picture{
	"rgb8.png":    {depth: 8},
	"gray8.png":   {depth: 8, gray: true},
	"rgb16.png":   {depth: 16},
	"rgba16.png":  {depth: 16, alpha: true},
	"rgb16.tif":   {depth: 16},
	"gray16.png":  {depth: 16, gray: true},
	"gray16.tif":  {depth: 16, gray: true},
	"gray16b.tif": {depth: 16, gray: true, seed: 7},
	"gray16c.tif": {depth: 16, gray: true, seed: 8},
	"gray16d.tif": {depth: 16, gray: true, seed: 9},
	"float.tif":   {depth: 32, gray: true},
	"rgbf.tif":    {depth: 32},
	"hole.tif":    {depth: 32, gray: true, hole: true},
	"rgbhole.tif": {depth: 32, hole: true},
}

const width, height = 144, 112

// draw makes pictures in a new folder.
func draw(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		p := pictures[name]
		drawn := scene.Draw(width, height)
		img := &imageio.Image{Width: width, Height: height, Planes: drawn[:], Depth: p.depth}
		if p.gray {
			img.Planes = [][]float32{scenetest.Gray(drawn)}
		}
		for i, plane := range img.Planes {
			noise.AddGaussian(plane, plane, 20.0/255, noise.Source(p.seed+1, fmt.Sprint(name, i)))
			for j, v := range plane { // keep away from the ends, where hosts differ in what they do with overshoots
				plane[j] = 0.15 + 0.7*min(max(v, 0), 1)
			}
			if p.hole {
				plane[5*width+7] = float32(math.NaN())
			}
		}
		if p.alpha {
			img.Alpha = make([]float32, width*height)
			for i := range img.Alpha {
				img.Alpha[i] = 0.25 + 0.75*float32(i%width)/width
			}
		}
		format, _ := imageio.OutputFormatOf(name)
		o := imageio.WriteOptions{Format: format, KeepInvalid: p.hole}
		must.Do(t, imageio.Write(filepath.Join(dir, name), img, o))
	}
	return dir
}

// host runs a program in a folder and returns what it wrote. Env adds to the environment.
func host(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	out, err := tryHost(dir, env, name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, tail(out))
	}
	return out
}

// tryHost is host for programs that may fail.
func tryHost(dir string, env []string, name string, args ...string) (string, error) {
	ctx, stop := context.WithTimeout(context.Background(), 4*time.Minute)
	defer stop()
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	c.WaitDelay = 5 * time.Second
	start := time.Now()
	out, err := c.CombinedOutput()
	if ctx.Err() != nil {
		err = fmt.Errorf("ended after %v: %w", time.Since(start).Round(time.Second), ctx.Err())
	}
	return string(out), err
}

func tail(text string) string {
	const most = 3000
	return text[max(0, len(text)-most):]
}

// home returns the environment of a user of whom nothing is known yet.
func home(t *testing.T) (string, []string) {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, os.Chmod(dir, 0o700))
	return dir, []string{"HOME=" + dir, "XDG_CONFIG_HOME=" + dir + "/.config", "XDG_DATA_HOME=" + dir + "/.local/share",
		"XDG_CACHE_HOME=" + dir + "/.cache",
		"XDG_RUNTIME_DIR=" + dir, "QT_QPA_PLATFORM=offscreen"}
}

// direct runs blorc-denoise itself on a file.
func direct(t *testing.T, dir, in, out string, flags ...string) string {
	t.Helper()
	host(t, dir, nil, program, append([]string{"-q", in, "-o", out}, flags...)...)
	return filepath.Join(dir, out)
}

func read(t *testing.T, path string) []*imageio.Image {
	t.Helper()
	r, err := imageio.Open(path, imageio.ReadOptions{KeepInvalid: true})
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	defer r.Close()
	var pages []*imageio.Image
	for i := range r.Pages() {
		img := must.Get(r.Page(i))(t)
		pages = append(pages, img)
	}
	return pages
}

// ofIntegers is how many levels of 16 bits a sample may differ by if the file has other levels. The U-Net rounds to
// integers of 12 bits, and what lies just between two of them may round the other way. Results of 8 bits change by one
// level at most by all of that rounding, so this is one level of 8 bits.
const ofIntegers = 257

// same checks that two files have the same size, depth and samples. They may differ by tolerance, in levels of the
// file.
func same(t *testing.T, got, want string, tolerance float64) {
	t.Helper()
	a, b := read(t, got), read(t, want)
	if len(a) != len(b) {
		t.Fatalf("%s has %d pages, not %d", got, len(a), len(b))
	}
	for i := range a {
		sameImage(t, fmt.Sprintf("%s, page %d", filepath.Base(got), i), a[i], b[i], tolerance)
	}
}

func sameImage(t *testing.T, name string, a, b *imageio.Image, tolerance float64) {
	t.Helper()
	if a.Width != b.Width || a.Height != b.Height || len(a.Planes) != len(b.Planes) || a.Depth != b.Depth ||
		(a.Alpha == nil) != (b.Alpha == nil) {
		t.Fatalf("%s is %d x %d, %d planes, %v, not %d x %d, %d planes, %v", name, a.Width, a.Height, len(a.Planes),
			a.Depth, b.Width, b.Height, len(b.Planes), b.Depth)
	}
	full := 255.0
	switch a.Depth {
	case imageio.Depth16:
		full = 65535
	case imageio.DepthFloat32:
		full = 1
	}
	all := append(append([][]float32(nil), a.Planes...), a.Alpha)
	other := append(append([][]float32(nil), b.Planes...), b.Alpha)
	for p := range all {
		for i, v := range all[p] {
			d := math.Abs(float64(v-other[p][i])) * full
			if d > tolerance+1e-6 || (v != v) != (other[p][i] != other[p][i]) {
				t.Fatalf("%s: sample %d,%d of plane %d is %g, not %g (of %g)", name, i%a.Width, i/a.Width, p,
					float64(v)*full, float64(other[p][i])*full, full)
			}
		}
	}
}

// samePart checks that a picture is what a selection must give: the denoised samples inside, the noisy ones outside.
func samePart(t *testing.T, got, noisy, denoised string, x, y, w, h int) {
	t.Helper()
	a, n, d := read(t, got), read(t, noisy), read(t, denoised)
	if len(a) != len(n) || len(d) != len(n) {
		t.Fatalf("%s has %d pages, not %d", got, len(a), len(n))
	}
	for i, page := range n {
		for p := range page.Planes {
			for row := y; row < y+h; row++ {
				copy(page.Planes[p][row*page.Width+x:][:w], d[i].Planes[p][row*page.Width+x:][:w])
			}
		}
		sameImage(t, fmt.Sprintf("%s, page %d", filepath.Base(got), i), a[i], page, 0)
	}
}

// noFilesLeft checks that no temporary file of a plug-in or of the program is in a folder.
func noFilesLeft(t *testing.T, dir string) {
	t.Helper()
	must.Do(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && (disk.IsTemp(path) || strings.HasPrefix(d.Name(), "blorc-") &&
			strings.Contains(d.Name(), ".tif")) {
			t.Errorf("%s was left", path)
		}
		return nil
	}))
}

func contains(t *testing.T, text, want string) {
	t.Helper()
	if !strings.Contains(text, want) {
		t.Errorf("%q is not in:\n%s", want, tail(text))
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
	must.Do(t, os.WriteFile(path, []byte(text), 0o666))
}

func testdata(t *testing.T, name string) string {
	t.Helper()
	path := must.Get(filepath.Abs(filepath.Join("testdata", name)))(t)
	return path
}
