package imageio

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// chainedStack returns the pages of an ImageJ stack in which each image has its directory.
func chainedStack(order byteOrder, n, planes int, d Depth) []*Image {
	var list []*Image
	for i := range n {
		img := noise(30, 20, planes, false, d, uint64(i))
		for _, p := range img.Planes {
			for j := range p {
				p[j] = min(max(p[j], 0), 1) // ImageJ shows 32-bit integers and floats with their values
			}
		}
		img.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: order}, stack: n, chained: true}}
		if i == 0 {
			text := fmt.Sprintf("ImageJ=1.52i\nimages=%d\nchannels=%d\nslices=2\nhyperstack=true\nmode=grayscale\n",
				n, n/2)
			img.Meta.tiff.tags = directory{ascii(tagDescription, text)}
		}
		list = append(list, img)
	}
	return list
}

// inOneRun reports whether the pixels of all pages follow each other from the first strip on.
func inOneRun(t *testing.T, file []byte) bool {
	t.Helper()
	pages := must.Get(openPages(bytes.NewReader(file), int64(len(file)), ReadOptions{}))(t)
	at := int64(0)
	for i := range pages.count() {
		_, l, err := pages.layout(i, ReadOptions{})
		must.Do(t, err)
		n, whole := l.contiguous()
		if !whole || i > 0 && l.list[0].at != at {
			return false
		}
		at = l.list[0].at + n
	}
	return true
}

// TestStackIsInOneRun checks the order of pixels and directories.
func TestStackIsInOneRun(t *testing.T) {
	for _, order := range []byteOrder{le, be} {
		for _, d := range []Depth{Depth8, Depth16, DepthFloat32} {
			for _, planes := range []int{1, 3} {
				list := chainedStack(order, 6, planes, d)
				file := encodedPages(t, list)
				again := pagesOf(t, file)
				if !inOneRun(t, file) {
					t.Errorf("%v, %d planes: not in one run", d, planes)
				}
				samePages(t, fmt.Sprintf("%v, %d planes", d, planes), again, list)
				if twice := encodedPages(t, again); !bytes.Equal(twice, file) {
					t.Error("written again, the file is another")
				}
			}
		}
	}
}

// TestStackThatImageJCannotHave checks files whose description is no longer true.
func TestStackThatImageJCannotHave(t *testing.T) {
	list := chainedStack(le, 4, 1, Depth16)
	list[2] = noise(31, 20, 1, false, Depth16, 9)
	for _, img := range list {
		if img.Meta != nil {
			img.Meta.tiff.stack = 0 // as the reader finds it
		}
	}
	file := encodedPages(t, list)
	if bytes.Contains(file, []byte("images=")) || !bytes.Contains(file, []byte("channels=2\nslices=2")) {
		t.Error("images of different sizes are called a stack")
	}
	packed := chainedStack(le, 4, 1, Depth16)
	for _, img := range packed {
		img.Meta.tiff.packing = packing{compressionLZW, predictorHorizontal}
	}
	file = encodedPages(t, packed)
	if got := pagesOf(t, file); !bytes.Contains(file, []byte("images=4")) || len(got) != 4 ||
		got[3].Meta.tiff.compression != compressionLZW {
		t.Error("a compressed stack is not as it was")
	}
	mixed := chainedStack(le, 4, 1, Depth16)
	mixed[3] = noise(30, 20, 1, false, Depth8, 1)
	err := EncodePages(new(bytes.Buffer), 4, WriteOptions{Format: TIFF},
		func(i int) (*Image, error) { return mixed[i], nil })
	if err == nil || err.Error() != "a stack of images of different kinds" {
		t.Error(err)
	}
}

// TestLongStack checks a stack whose directories would lie behind the first 4 GiB.
func TestLongStack(t *testing.T) {
	for pages, want := range map[int]bool{1000: true, 40_000: false} {
		img := noise(300, 200, 1, false, Depth16, 1)
		img.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: le}, stack: pages, chained: true}}
		w := tiffWriter{w: new(bytes.Buffer), form: tiffForm{order: le}, pages: pages}
		if w.chooseForm(img).big {
			t.Error("a stack is written as BigTIFF")
		}
		s := imageJStack{tiffWriter: &w}
		must.Do(t, s.page(img))
		if (s.at > 0) != want || s.at > math.MaxUint32 {
			t.Errorf("%d pages: directories at %d", pages, s.at)
		}
	}
}

const showStack = `files = split(getArgument(), "|");
setBatchMode(true);
for (k = 0; k < files.length; k++) {
	open(files[k]);
	getDimensions(w, h, c, z, t);
	getVoxelSize(x, y, d, unit);
	s = "= " + w + " " + h + " " + c + " " + z + " " + t + " " + bitDepth() + " " + x + " " + d + " " + unit;
	for (i = 1; i <= nSlices; i++) {
		setSlice(i);
		getStatistics(area, mean, min, max, deviation);
		s = s + " " + d2s(mean, 4) + " " + d2s(deviation, 4) + " " + getMetadata("Label");
	}
	print(s);
	close();
}
`

const makeStacks = `dir = getArgument();
setBatchMode(true);
types = newArray("8-bit ramp", "16-bit ramp", "32-bit ramp", "RGB ramp");
for (k = 0; k < 4; k++) {
	newImage("a", types[k], 61, 47, 6);
	for (i = 1; i <= 6; i++) {
		setSlice(i);
		run("Add...", "value=" + i + " slice");
		setMetadata("Label", "slice " + i);
	}
	run("Properties...", "unit=um pixel_width=0.5 pixel_height=0.5 voxel_depth=2");
	saveAs("Tiff", dir + "/own" + k + ".tif");
	close();
}
newImage("a", "16-bit composite-mode label", 60, 50, 2, 3, 2);
saveAs("Tiff", dir + "/own4.tif");
`

// imageJ runs a macro and returns the lines that begin with "= ". It skips the test if ImageJ is not installed.
func imageJ(t *testing.T, macro, argument string) []string {
	t.Helper()
	t.Setenv("HOME", t.TempDir()) // for its settings
	path := writeFile(t, filepath.Join(t.TempDir(), "macro.ijm"), []byte(macro))
	const jar = "/usr/share/java/ij.jar" // the script that Debian has for it always fails
	if _, err := os.Stat(jar); err != nil {
		t.Skip("ImageJ is not installed")
	}
	var lines []string
	for _, line := range strings.Split(run(t, "xvfb-run", "-a", "java", "-jar", jar, "-batch", path, argument), "\n") {
		if rest, ok := strings.CutPrefix(line, "= "); ok {
			lines = append(lines, rest)
		}
	}
	return lines
}

// TestImageJAgrees opens stacks in ImageJ before and after they were written, those that ImageJ saved and those that
// other programs write.
func TestImageJAgrees(t *testing.T) {
	dir := t.TempDir()
	imageJ(t, makeStacks, dir)
	python(t, pythonStacks, dir)
	run(t, "tiffcp", "-c", "lzw:2", filepath.Join(dir, "be-u2.tif"), filepath.Join(dir, "be-u2-lzw.tif"))
	entries, _ := os.ReadDir(dir)
	var before, after []string
	for _, e := range entries {
		in, out := filepath.Join(dir, e.Name()), filepath.Join(dir, "new-"+e.Name())
		r, err := Open(in, ReadOptions{})
		if err != nil {
			t.Errorf("%s: %v", e.Name(), err)
			continue
		}
		if err := WritePages(out, r.Pages(), WriteOptions{}, r.Page); err != nil {
			t.Errorf("%s: %v", e.Name(), err)
		}
		r.Close()
		before, after = append(before, in), append(after, out)
	}
	want, got := imageJ(t, showStack, strings.Join(before, "|")), imageJ(t, showStack, strings.Join(after, "|"))
	if len(want) != len(before) || len(got) != len(want) {
		t.Fatalf("ImageJ opened %d of %d files before, %d after", len(want), len(before), len(got))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s:\n got %s\nwant %s", filepath.Base(before[i]), got[i], want[i])
		}
	}
	if out := python(t, pythonCompare, dir); strings.TrimSpace(out) != "" {
		t.Error(out)
	}
}

const pythonStacks = `
import sys, os, numpy as np, tifffile
os.chdir(sys.argv[1])
a = (np.arange(2*3*2*20*30) % 60000).reshape(2, 3, 2, 20, 30).astype('u2')
for order in '<>':
    name = 'le' if order == '<' else 'be'
    for kind in 'u1', 'u2', 'f4':
        tifffile.imwrite(f'{name}-{kind}.tif', (a % 251).astype(kind), imagej=True, byteorder=order, metadata={'axes': 'TZCYX'})
    tifffile.imwrite(f'{name}-rgb.tif', (np.arange(4*20*30*3) % 250).reshape(4, 20, 30, 3).astype('u1'), imagej=True, byteorder=order)
    tifffile.imwrite(f'{name}-labels.tif', a[0, :, 0], imagej=True, byteorder=order, resolution=(2, 2), metadata={
        'axes': 'ZYX', 'Labels': ['one', 'two', 'three'], 'unit': 'um', 'spacing': 3.0, 'Ranges': (0.0, 1000.0), 'Info': 'some words'})
    tifffile.imwrite(f'{name}-zip.tif', a[0, :, 0], imagej=True, byteorder=order, compression='zlib', metadata={'axes': 'ZYX'})
    tifffile.imwrite(f'{name}-plain.tif', a[0, :, 0], byteorder=order, photometric='minisblack')
    tifffile.imwrite(f'{name}-ome.ome.tif', a, byteorder=order, photometric='minisblack', metadata={'axes': 'TZCYX', 'Channel': {'Name': ['one', 'two']}})
`

const pythonCompare = `
import sys, os, numpy as np, tifffile
os.chdir(sys.argv[1])
for name in sorted(os.listdir('.')):
    if name.startswith('new-'):
        continue
    with tifffile.TiffFile(name) as old, tifffile.TiffFile('new-' + name) as new:
        lzw = old.pages[0].compression == 5 # tifffile alone cannot read it
        if not lzw and not np.array_equal(old.asarray(), new.asarray()):
            print(name, 'other samples')
        for what in 'is_imagej', 'is_ome', 'imagej_metadata', 'ome_metadata', 'byteorder':
            if getattr(old, what) != getattr(new, what):
                print(name, what, getattr(old, what), getattr(new, what))
        if [s.axes for s in old.series] != [s.axes for s in new.series] or [s.shape for s in old.series] != [s.shape for s in new.series]:
            print(name, 'other axes')
        if [p.compression for p in old.pages] != [p.compression for p in new.pages]:
            print(name, 'other compression')
`
