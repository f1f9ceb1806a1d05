package imageio

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// drawOthers writes files of formats that are only read, each with a PNG file of the samples that another program finds
// in it.
const drawOthers = `
import sys, os, numpy as np, cv2
from PIL import Image
out = sys.argv[1]
def picture(w, h, seed):
    r = np.random.default_rng(seed)
    y, x = np.mgrid[0:h, 0:w]
    a = np.dstack([x * 255 / w, y * 255 / h, (x * x + 3 * y) % 256]) + r.normal(0, 12, (h, w, 3))
    return np.clip(a, 0, 255).astype('u1')
def keep(name, im, **k):
    path = os.path.join(out, name)
    im.save(path, **k)
    back = Image.open(path)
    if back.mode in ('P',): back = back.convert('RGB')
    back.save(path + '.png')
for w, h in ((1, 1), (2, 3), (5, 4), (16, 16), (31, 33), (100, 75)):
    rgb = Image.fromarray(picture(w, h, w))
    a = np.asarray(rgb)
    rgba = Image.fromarray(np.dstack([a, a[..., 1] // 2 + 100]).astype('u1'))
    for q in (5, 50, 95):
        keep(f'{w}x{h}-q{q}.webp', rgb, quality=q)
        keep(f'{w}x{h}-alpha-q{q}.webp', rgba, quality=q)
    keep(f'{w}x{h}-lossless.webp', rgb, lossless=True)
    keep(f'{w}x{h}-alpha-lossless.webp', rgba, lossless=True, exact=True)
    gray = rgb.convert('L')
    for mode, im in (('1', gray.convert('1')), ('L', gray), ('RGB', rgb), ('P', rgb.quantize(17))):
        keep(f'{w}x{h}-{mode}.bmp', im)
    for ext, im in (('pbm', gray.convert('1')), ('pgm', gray), ('ppm', rgb)):
        keep(f'{w}x{h}.{ext}', im)
    wide = (np.asarray(gray).astype('u2') * 257) ^ 0x55
    cv2.imwrite(os.path.join(out, f'{w}x{h}-16.pgm'), wide)
    cv2.imwrite(os.path.join(out, f'{w}x{h}-16.pgm.png'), wide)
    for ext, im in (('pbm', (np.asarray(gray) > 99).astype('u1') * 255), ('pgm', np.asarray(gray)), ('ppm', a[..., ::-1])):
        p = os.path.join(out, f'{w}x{h}-text.{ext}')
        cv2.imwrite(p, im, [cv2.IMWRITE_PXM_BINARY, 0])
        cv2.imwrite(p + '.png', im)
    f = a.astype('f4') / 255 * 3
    cv2.imwrite(os.path.join(out, f'{w}x{h}.pfm'), f[..., ::-1])
    cv2.imwrite(os.path.join(out, f'{w}x{h}.pfm.tif'), f[..., ::-1], [cv2.IMWRITE_TIFF_COMPRESSION, 1])
    cv2.imwrite(os.path.join(out, f'{w}x{h}-gray.pfm'), f[..., 0])
    cv2.imwrite(os.path.join(out, f'{w}x{h}-gray.pfm.tif'), f[..., 0], [cv2.IMWRITE_TIFF_COMPRESSION, 1])
`

// TestOtherFormats compares the samples of WebP, BMP and PNM files with those that libwebp, Pillow and OpenCV find in
// them.
func TestOtherFormats(t *testing.T) {
	dir := t.TempDir()
	python(t, drawOthers, dir)
	list := must.Get(os.ReadDir(dir))(t)
	files := 0
	for _, e := range list {
		name := e.Name()
		if strings.HasSuffix(name, ".png") || strings.HasSuffix(name, ".tif") {
			continue
		}
		want := name + ".png"
		if strings.HasSuffix(name, ".pfm") {
			want = name + ".tif"
		}
		compareFiles(t, filepath.Join(dir, name), filepath.Join(dir, want))
		files++
	}
	if files < 100 {
		t.Errorf("only %d files", files)
	}
}

// compareFiles compares all channels of two files. One may have its gray in three planes.
func compareFiles(t *testing.T, got, want string) {
	t.Helper()
	name := filepath.Base(got)
	a, err := Read(got, ReadOptions{})
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	b, err := Read(want, ReadOptions{})
	if err != nil {
		t.Errorf("%s: %v", filepath.Base(want), err)
		return
	}
	info, err := ReadInfo(got, ReadOptions{})
	if err != nil || info.Width != a.Width || info.Height != a.Height || info.Channels != len(a.channels()) ||
		info.Depth != a.Depth {
		t.Errorf("%s: headers say %+v, %v", name, info, err)
	}
	if a.Width != b.Width || a.Height != b.Height || (a.Alpha == nil) != (b.Alpha == nil) {
		t.Errorf("%s: %d x %d, alpha %v, want %d x %d, %v", name, a.Width, a.Height, a.Alpha != nil, b.Width, b.Height,
			b.Alpha != nil)
		return
	}
	for c := range max(len(a.channels()), len(b.channels())) {
		p, q := a.channels()[min(c, len(a.channels())-1)], b.channels()[min(c, len(b.channels())-1)]
		for i, v := range p {
			if v != q[i] {
				t.Errorf("%s: pixel %d, %d, channel %d is %g, want %g", name, i%a.Width, i/a.Width, c, 255*v, 255*q[i])
				return
			}
		}
	}
}

// TestBMPOfImageMagick reads bitmaps of kinds that Pillow does not write.
func TestBMPOfImageMagick(t *testing.T) {
	if version, _ := exec.Command("convert", "-version").Output(); !strings.Contains(string(version), "ImageMagick") {
		t.Skip("ImageMagick is not installed")
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	img := planesOf(t, scene(61, 47), false, false, PNG)
	in := writeFile(t, at("in.png"), encoded(t, img, WriteOptions{}))
	for name, args := range map[string][]string{
		"rle8.bmp": {"-colors", "40", "-type", "palette", "-compress", "RLE"},
		"core.bmp": {"-colors", "40", "-type", "palette"}, "four.bmp": {"-colors", "13", "-type", "palette"},
		"two.bmp": {"-monochrome"}, "plain.bmp": {"-type", "truecolor"}, "565.bmp": {"-define", "bmp:subtype=RGB565"},
		"555.bmp":   {"-define", "bmp:subtype=RGB555"},
		"alpha.bmp": {"-alpha", "set", "-channel", "A", "-evaluate", "set", "40%", "+channel"},
	} {
		to := at(name)
		if name == "core.bmp" {
			to = "BMP2:" + to
		}
		run(t, "convert", append(append([]string{in}, args...), to)...)
		run(t, "convert", "BMP:"+at(name), "-depth", "8", "PNG32:"+at(name)+".png")
		a, err := Read(at(name), ReadOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		b := must.Get(Read(at(name)+".png", ReadOptions{}))(t)
		for c := range 3 {
			for i, v := range a.Planes[min(c, len(a.Planes)-1)] {
				w := b.Planes[c][i]
				d := max(v-w, w-v)
				if d > 0.5/255 && !strings.HasPrefix(name, "5") || d > 1.5/255 { // it rounds 5 bits in another way
					t.Errorf("%s: pixel %d, %d, channel %d is %g, want %g", name, i%a.Width, i/a.Width, c, 255*v, 255*w)
					break
				}
			}
		}
		if a.Alpha != nil && a.Alpha[0] != b.Alpha[0] {
			t.Errorf("%s: alpha %g, want %g", name, a.Alpha[0], b.Alpha[0])
		}
	}
}
