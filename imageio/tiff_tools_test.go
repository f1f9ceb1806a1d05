package imageio

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// hasPython reports whether Python has the packages that write and read microscope and camera files.
var hasPython = sync.OnceValue(func() bool {
	return exec.Command(pythonPath, "-c", "import numpy, cv2, tifffile, PIL").Run() == nil
})

const pythonPath = "/usr/bin/python3"

// python runs a script. It skips the test if the packages are not installed.
func python(t *testing.T, script string, args ...string) string {
	t.Helper()
	if !hasPython() {
		t.Skip("python3 with numpy, cv2, tifffile and PIL is not installed")
	}
	return run(t, pythonPath, append([]string{"-c", script}, args...)...)
}

// drawKinds writes TIFF files of many kinds of samples.
const drawKinds = `
import sys, os, numpy as np, tifffile
rng = np.random.default_rng(1)
out = sys.argv[1]
def w(name, a, **k):
    tifffile.imwrite(os.path.join(out, name + '.tif'), a, metadata=None, **k)
H, W = 37, 29
def ints(t, *shape):
    i = np.iinfo(t)
    return rng.integers(i.min, i.max, size=shape, dtype=t, endpoint=True)
for order in '<>':
    n = {'<': 'le', '>': 'be'}[order]
    for t in ('u1', 'i1', 'u2', 'i2', 'u4', 'i4'):
        a = ints(np.dtype(t), H, W)
        w(f'{n}-{t}', a.astype(order + t), byteorder=order)
        w(f'{n}-{t}-rgb', ints(np.dtype(t), H, W, 3), photometric='rgb', byteorder=order)
        w(f'{n}-{t}-white', a, photometric='miniswhite', byteorder=order)
    for t in ('f2', 'f4', 'f8'):
        a = (rng.standard_normal((H, W, 3)) * 100).astype(t)
        w(f'{n}-{t}', a[..., 0], byteorder=order)
        w(f'{n}-{t}-rgb', a, photometric='rgb', byteorder=order)
    w(f'{n}-f8-small', rng.standard_normal((H, W)) * 1e-200, byteorder=order) if False else None
    w(f'{n}-five', ints(np.dtype('u2'), H, W, 5), photometric='minisblack', planarconfig='contig', byteorder=order)
    w(f'{n}-five-planar', ints(np.dtype('u2'), 5, H, W), photometric='minisblack', planarconfig='separate', byteorder=order)
w('twenty', ints(np.dtype('u1'), H, W, 20), photometric='minisblack', planarconfig='contig')
rgba = ints(np.dtype('u1'), H, W, 4)
for extra in ('unspecified', 'assocalpha', 'unassalpha'):
    w('rgba-' + extra, rgba, photometric='rgb', extrasamples=[extra])
w('rgba-float', rng.random((H, W, 4)).astype('f4'), photometric='rgb', extrasamples=['assocalpha'])
w('rgb-mask-alpha', ints(np.dtype('u2'), H, W, 5), photometric='rgb', extrasamples=['unspecified', 'unassalpha'])
w('cmyk', ints(np.dtype('u1'), H, W, 4), photometric='separated')
w('cmyk-float', rng.random((H, W, 4)).astype('f4'), photometric='separated')
w('cmyk-alpha', ints(np.dtype('u1'), H, W, 5), photometric='separated', extrasamples=['unassalpha'])
w('cielab', ints(np.dtype('u1'), H, W, 3), photometric='cielab')
w('icclab', ints(np.dtype('u2'), H, W, 3), photometric='icclab')
w('bilevel', rng.integers(0, 2, (H, W)).astype(bool), photometric='minisblack')
w('bilevel-white', rng.integers(0, 2, (H, W)).astype(bool), photometric='miniswhite')
w('tiled', ints(np.dtype('f4') if False else np.dtype('i2'), H, W), tile=(16, 32))
`

const sameArrays = `
import sys, os, numpy as np, tifffile
a, b = sys.argv[1:3]
for name in sorted(os.listdir(a)):
    x = tifffile.imread(os.path.join(a, name)); 
    try:
        y = tifffile.imread(os.path.join(b, name))
    except Exception as e:
        print(name, e); continue
    if 'planar' in name: x = np.moveaxis(x, 0, -1)
    if x.dtype != y.dtype or x.shape != y.shape or not np.array_equal(x, y): print(name, x.dtype, x.shape, y.dtype, y.shape, 'differ')
    p, q = (tifffile.TiffFile(os.path.join(d, name)).pages[0] for d in (a, b))
    if p.photometric != q.photometric or p.bitspersample != q.bitspersample or p.extrasamples != q.extrasamples: print(name, p.photometric, q.photometric, p.extrasamples, q.extrasamples)
`

// rewriteAll reads the files of a folder page by page and writes them to another.
func rewriteAll(t *testing.T, from, to string) {
	t.Helper()
	list := must.Get(os.ReadDir(from))(t)
	for _, e := range list {
		r, err := Open(filepath.Join(from, e.Name()), ReadOptions{})
		if err != nil {
			t.Errorf("%s: %v", e.Name(), err)
			continue
		}
		if err := WritePages(filepath.Join(to, e.Name()), r.Pages(), WriteOptions{}, r.Page); err != nil {
			t.Errorf("%s: %v", e.Name(), err)
		}
		r.Close()
	}
}

// TestSamplesComeBack checks with tifffile that samples of every type come back exactly, with their type and meaning.
func TestSamplesComeBack(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	python(t, drawKinds, in)
	rewriteAll(t, in, out)
	if text := python(t, sameArrays, in, out); text != "" {
		t.Error(text)
	}
}

// TestTIFFCompressionsOfLibtiff reads what tiffcp writes with compressions, and compares the samples with those before.
func TestTIFFCompressionsOfLibtiff(t *testing.T) {
	in, packed := t.TempDir(), t.TempDir()
	python(t, drawKinds, in)
	kinds := must.Get(os.ReadDir(in))(t)
	for k, e := range kinds {
		name := e.Name()
		args := [][]string{{"-c", "lzw"}, {"-c", "zip"}, {"-c", "zstd"}, {"-c", "lzma"}, {"-f", "lsb2msb", "-c", "lzw"},
			{"-t", "-w", "32", "-l", "16", "-c", "zstd"}}
		if strings.HasPrefix(name, "bilevel") {
			args = append(args, [][]string{{"-c", "g3"}, {"-c", "g3:2d"}, {"-c", "g3:1d:fill"}, {"-c", "g3:2d:fill"},
				{"-c", "g4"}, {"-c", "g4", "-f", "lsb2msb"}, {"-c", "g3:2d", "-f", "lsb2msb"},
				{"-c", "g4", "-r", "7"}}...)
		}
		if size := strings.Split(name, "-"); slices.Contains([]string{"u1", "u2", "u4", "i2"},
			strings.TrimSuffix(size[min(1, len(size)-1)], ".tif")) {
			args = append(args, []string{"-c", "zstd:2"}, []string{"-c", "lzma:2"})
		} else if strings.Contains(name, "f8") || strings.Contains(name, "f2") || strings.Contains(name, "f4") {
			args = append(args, []string{"-c", "zip:3"}, []string{"-c", "zip:2"})
		}
		for i, a := range args {
			if !all && (k+i)%3 != 0 && !strings.HasPrefix(name, "bilevel") {
				continue
			}
			if slices.Contains(a, "-t") && strings.Contains(name, "planar") {
				continue // tiffcp damages it
			}
			file := filepath.Join(packed, name)
			cmd := exec.Command("tiffcp", append(a, filepath.Join(in, name), file)...)
			if text, err := cmd.CombinedOutput(); err != nil {
				t.Logf("tiffcp %v %s: %v %s", a, name, err, text) // it cannot
				continue
			}
			want, err := Read(filepath.Join(in, name), ReadOptions{})
			if err != nil {
				t.Error(err)
				continue
			}
			got, err := Read(file, ReadOptions{})
			if err != nil || !same(got, want) {
				t.Errorf("tiffcp %v %s: %v", a, name, err)
			}
		}
	}
}

// sameAs compares all samples of a file with those of another one, of which alpha is left out.
func sameAs(t *testing.T, what, got, want string) {
	t.Helper()
	a, err := Read(got, ReadOptions{})
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	b, err := Read(want, ReadOptions{})
	if err != nil {
		t.Errorf("%s: what the other program wrote: %v", what, err)
		return
	}
	if a.Width != b.Width || a.Height != b.Height || len(a.Planes) != len(b.Planes) {
		t.Errorf("%s: %d x %d x %d, want %d x %d x %d", what, a.Width, a.Height, len(a.Planes), b.Width, b.Height,
			len(b.Planes))
		return
	}
	for c, p := range a.Planes {
		for i, v := range p {
			if v != b.Planes[c][i] {
				t.Errorf("%s: pixel %d, %d of %d x %d, channel %d is %g, want %g", what, i%a.Width, i/a.Width, a.Width,
					a.Height, c, 255*v, 255*b.Planes[c][i])
				return
			}
		}
	}
}

// TestJPEGInTIFF compares the pixels of JPEG files in strips and tiles with those of libtiff.
func TestJPEGInTIFF(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, planes := range []int{1, 3, 4} {
		src := scene(75, 53)
		img := painted(newImage(75, 53, planes, noAlpha, Depth8, TIFF),
			func(c, i int) float32 { return unit8(src.Pix[4*i+c%3]) })
		in := writeFile(t, at("in.tif"), encoded(t, img, WriteOptions{}))
		for _, a := range [][]string{{"-c", "jpeg:90"}, {"-c", "jpeg:r:75"}, {"-c", "jpeg:60", "-r", "16"},
			{"-c", "jpeg:60", "-t", "-w", "32", "-l", "32"}, {"-c", "jpeg:r:80", "-p", "separate"},
			{"-c", "jpeg:80", "-B"}} {
			if planes == 4 && !slices.Contains(a, "jpeg:90") || planes == 1 && slices.Contains(a, "separate") {
				continue
			}
			if !slices.Contains(a, "-r") && !slices.Contains(a, "-t") {
				a = append(a, "-r", "32")
			}
			run(t, "tiffcp", append(a, in, at("jpeg.tif"))...)
			if planes == 3 {
				run(t, "tiff2rgba", "-c", "none", at("jpeg.tif"), at("plain.tif"))
			} else {
				run(t, "tiffcp", "-c", "none", at("jpeg.tif"), at("plain.tif"))
			}
			sameAs(t, strings.Join(a, " "), at("jpeg.tif"), at("plain.tif"))
			if planes == 4 || slices.Contains(a, "separate") {
				continue
			}
			file := must.Get(os.ReadFile(at("jpeg.tif")))(t) // written again, libtiff has the same pixels
			again := writeFile(t, at("again.tif"), encoded(t, decoded(t, file, ReadOptions{}),
				WriteOptions{Quality: 85}))
			run(t, "tiff2rgba", "-c", "none", again, at("plain.tif"))
			if planes == 3 {
				sameAs(t, "again "+strings.Join(a, " "), again, at("plain.tif"))
			}
		}
	}
}

// TestYCbCrInTIFF compares the colours with those of libtiff.
func TestYCbCrInTIFF(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, size := range [][2]int{{64, 48}, {75, 53}, {3, 2}} {
		for _, sampling := range [][2]int{{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 2}, {4, 1}, {4, 4}} {
			w, h := size[0], size[1]
			x, y := sampling[0], sampling[1]
			if (w+x-1)/x*(x*y+2)%y != 0 {
				continue // libtiff reads too few bytes
			}
			data := make([]byte, (w+x-1)/x*((h+y-1)/y)*(x*y+2))
			for i := range data {
				data[i] = byte(i*i*7 + i/5)
			}
			p := pixels(uint32(w), uint32(h), ycbcr, []uint32{8, 8, 8}, data).with(tagYCbCrSampling, uint32(x),
				uint32(y))
			writeFile(t, at("ycbcr.tif"), buildTIFF(le, p))
			run(t, "tiff2rgba", "-c", "none", at("ycbcr.tif"), at("plain.tif"))
			sameAs(t, fmt.Sprint(sampling, size), at("ycbcr.tif"), at("plain.tif"))
		}
	}
}

// TestLogLuv reads float colours as OpenCV writes them without a parameter.
func TestLogLuv(t *testing.T) {
	dir := t.TempDir()
	python(t, `
import sys, numpy as np, cv2
y, x = np.mgrid[0:40, 0:50].astype('f4')
a = np.dstack([x / 50, y / 40, (x + y) / 90]) + 0.01
cv2.imwrite(sys.argv[1] + '/log.tif', a)
b = cv2.imread(sys.argv[1] + '/log.tif', cv2.IMREAD_UNCHANGED)
cv2.imwrite(sys.argv[1] + '/plain.tif', b, [cv2.IMWRITE_TIFF_COMPRESSION, 1])
`, dir)
	got := must.Get(Read(filepath.Join(dir, "log.tif"), ReadOptions{}))(t)
	want := must.Get(Read(filepath.Join(dir, "plain.tif"), ReadOptions{}))(t)
	if got.Depth != DepthFloat32 || len(got.Planes) != 3 {
		t.Fatalf("%v, %d planes", got.Depth, len(got.Planes))
	}
	for c, p := range got.Planes {
		for i, v := range p {
			if d := v - want.Planes[c][i]; d > 1e-5 || d < -1e-5 {
				t.Fatalf("pixel %d, channel %d is %g, want %g", i, c, v, want.Planes[c][i])
			}
		}
	}
}
