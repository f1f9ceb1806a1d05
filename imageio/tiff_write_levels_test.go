package imageio

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestShrunk compares means with those that are added up point by point.
func TestShrunk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(1, 40).Draw(t, "from"), 0
		m = rapid.IntRange(1, n).Draw(t, "to")
		img := noise(n, 3, 1, true, Depth16, 1)
		got := img.shrunk(m, 3)
		for c, p := range got.channels() {
			for i, v := range p {
				x, y, sum := i%m, i/m, 0.0
				for j := range n { // in units of 1/m of a pixel, each of n to a part
					sum += float64(img.channels()[c][y*n+j]) * float64(max(min((j+1)*m, (x+1)*n)-max(j*m, x*n), 0))
				}
				if want := sum / float64(n); v < float32(want)-1e-5 || v > float32(want)+1e-5 {
					t.Fatalf("%d to %d: pixel %d is %g, want %g", n, m, x, v, want)
				}
			}
		}
	})
	img := noise(12, 20, 3, true, DepthFloat32, 1)
	if !same(img.shrunk(12, 20), img) {
		t.Error("an image of the same size is another")
	}
}

// TestLevelsAreMadeAgain checks that levels have their sizes and tiles, also if the picture is turned.
func TestLevelsAreMadeAgain(t *testing.T) {
	img := noise(200, 120, 3, false, Depth8, 1)
	levels := []level{{100, 60, [2]int{32, 16}}, {50, 30, [2]int{}}, {80, 60, [2]int{16, 16}}}
	img.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: be}, levels: levels}}
	file := encodedPages(t, []*Image{img, img})
	list := pagesOf(t, file)
	for _, got := range list {
		if !same(got, img) || !slices.Equal(got.Meta.tiff.levels, levels) {
			t.Errorf("levels %v", got.Meta.tiff.levels)
		}
	}
	l := tiffLayout{turn: 6, levels: nil, width: 120, height: 200}
	if l.kind().width != 200 {
		t.Error("a turned page is not turned")
	}
	small := noise(60, 60, 3, false, Depth8, 1) // levels that are larger than the picture are left out
	small.Meta = img.Meta
	if got := readBack(t, small, WriteOptions{}).Meta.tiff.levels; len(got) != 1 ||
		got[0].width != 50 {
		t.Errorf("levels %v", got)
	}
}

// TestLevelsOfACrop checks that the levels have the shape of the part.
func TestLevelsOfACrop(t *testing.T) {
	img := noise(200, 120, 1, false, Depth8, 1)
	img.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: be},
		levels: []level{{100, 60, [2]int{16, 16}}, {25, 15, [2]int{}}}}}
	img = readBack(t, img, WriteOptions{})
	for size, want := range map[[2]int][]level{
		{200, 120}: img.Meta.tiff.levels,
		{60, 90}:   {{30, 45, [2]int{16, 16}}, {8, 11, [2]int{}}},
		{3, 1}:     {{2, 1, [2]int{16, 16}}, {1, 1, [2]int{}}},
	} {
		got := readBack(t, part(img, size[0], size[1]), WriteOptions{}).Meta.tiff.levels
		if !slices.Equal(got, want) {
			t.Errorf("%v: levels %v, not %v", size, got, want)
		}
	}
}

const pythonPyramids = `
import sys, os, numpy as np, tifffile
os.chdir(sys.argv[1])
y, x = np.mgrid[0:160, 0:256]
a = np.stack([(x * k + y) * 100 % 60000 for k in (1, 2, 3)]).astype('u2')
for order in '<>':
    for big in False, True:
        for tile in None, (32, 32):
            for kind in 'zlib', None:
                name = f'{"le" if order == "<" else "be"}-{big}-{bool(tile)}-{kind}.ome.tif'
                with tifffile.TiffWriter(name, byteorder=order, bigtiff=big, ome=True) as w:
                    o = dict(tile=tile, compression=kind, predictor=2 if kind else None, photometric='minisblack')
                    w.write(a, subifds=2, metadata={'axes': 'CYX'}, **o)
                    w.write(a[:, ::2, ::2], subfiletype=1, **o)
                    w.write(a[:, ::4, ::4], subfiletype=1, **o)
`

const pythonComparePyramids = `
import sys, os, numpy as np, tifffile
os.chdir(sys.argv[1])
names = [n for n in sorted(os.listdir('.')) if not n.startswith('new-')]
print(len(names), 'files')
for name in names:
    with tifffile.TiffFile(name) as old, tifffile.TiffFile('new-' + name) as new:
        s, t = old.series[0], new.series[0]
        if [l.shape for l in s.levels] != [l.shape for l in t.levels] or len(t.levels) != 3 or old.ome_metadata != new.ome_metadata:
            print(name, 'other levels')
            continue
        if not np.array_equal(s.asarray(), t.asarray()):
            print(name, 'other samples')
        full = s.asarray().astype(float)
        for i in 1, 2:
            n = 2 ** i
            mean = full.reshape(3, 160 // n, n, 256 // n, n).mean((2, 4))
            if abs(t.levels[i].asarray() - mean).max() > 1:
                print(name, 'level', i, 'is not the mean')
            p, q = s.levels[i].pages[0], t.levels[i].pages[0]
            if (p.is_tiled, p.tilewidth, p.compression, p.predictor, p.subfiletype) != (q.is_tiled, q.tilewidth, q.compression, q.predictor, q.subfiletype):
                print(name, 'level', i, 'is stored in another way')
`

// TestTifffilePyramids reads and writes OME-TIFF with pyramids, and lets tifffile compare them.
func TestTifffilePyramids(t *testing.T) {
	dir := t.TempDir()
	python(t, pythonPyramids, dir)
	paths, _ := filepath.Glob(filepath.Join(dir, "*.ome.tif"))
	for _, in := range paths {
		r, err := Open(in, ReadOptions{})
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(in), err)
			continue
		}
		out := filepath.Join(dir, "new-"+filepath.Base(in))
		if err := WritePages(out, r.Pages(), WriteOptions{}, r.Page); err != nil {
			t.Errorf("%s: %v", filepath.Base(in), err)
		}
		r.Close()
		run(t, "tiffinfo", "-D", out)
	}
	if out := strings.TrimSpace(python(t, pythonComparePyramids, dir)); out != "16 files" {
		t.Error(out)
	}
}
