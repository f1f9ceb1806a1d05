//go:build hosts

package test

import (
	"bytes"
	"math"
	"os"
	"regexp"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/mosaic/dngtest"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/scene"
)

// mosaics are the colours of drawn raw files: 0 red, 1 green, 2 blue.
var mosaics = map[string][4]byte{"rggb": {0, 1, 1, 2}, "bggr": {2, 1, 1, 0}, "grbg": {1, 0, 2, 1},
	"gbrg": {1, 2, 0, 1}}

// drawRaw writes a noisy raw file: lossless JPEG, a preview, and a masked border of odd width. RawTherapee reads no
// file that is much smaller than this.
func drawRaw(t *testing.T, path string, mosaic [4]byte) {
	t.Helper()
	const w, h, side = 325, 243, 64
	var preview bytes.Buffer
	drawn := scene.Draw(side, side)
	img := &imageio.Image{Width: side, Height: side, Planes: drawn[:], Depth: imageio.Depth8}
	must.Do(t, imageio.Encode(&preview, img, imageio.WriteOptions{Format: imageio.JPEG}))
	f := dngtest.File{Width: w, Height: h, Black: []uint32{512}, Colours: mosaic, Active: []uint32{3, 5, h, w},
		Store: dngtest.Lossless, Preview: preview.Bytes(), PreviewSide: side}
	text := func(s string) *dngtest.Tag {
		return &dngtest.Tag{Type: 2, Count: len(s) + 1, Value: []byte(s + "\x00")}
	}
	f.First = map[uint16]*dngtest.Tag{271: text("Drawn"), 272: text("Camera"), 274: f.Shorts(1),
		50708: text("Drawn Camera"), 50778: f.Shorts(21), // daylight
		50721: f.Rationals(0.9, -0.3, -0.1, -0.4, 1.2, 0.2, -0.1, 0.2, 0.7), 50728: f.Rationals(0.8, 1, 0.7)}
	f.Scene(1, 4e-4, 1e-6)
	must.Do(t, os.WriteFile(path, f.Bytes(), 0o666))
}

// comparison names two developed files, and by how much the means of their colours may differ.
type comparison struct {
	before, after string
	most          float64
}

// TestDevelopers develops raw files and what the program makes of them.
func TestDevelopers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, env := home(t)
	files := []string{"-q", "--quality=fast"}
	// Noise moves a mean by up to 0.0003 in linear pictures, as measured, and by 0.001 where a tone curve follows it.
	developed := []comparison{{"gbrg-darktable.tif", "gbrg-denoised-darktable.tif", 0.002},
		{"gbrg-rawtherapee.tif", "gbrg-denoised-rawtherapee.tif", 0.002}}
	for name, mosaic := range mosaics {
		drawRaw(t, dir+"/"+name+".dng", mosaic)
		files = append(files, name+".dng")
		for _, ending := range []string{".tiff", ".dng.tiff"} { // dcraw's and LibRaw's
			developed = append(developed, comparison{name + ending, name + "-denoised" + ending, 0.0006})
		}
	}
	host(t, dir, env, program, files...)
	sameTags(t, dir, "gbrg.dng", "gbrg-denoised.dng")
	host(t, dir, env, "bash", "-ec", `dcraw -T -4 -w *.dng
dcraw_emu -T -4 -w *.dng
darktable-cli --import gbrg.dng --import gbrg-denoised.dng '$(FILE_NAME)-darktable.tif' --core --library :memory: \
  --disable-opencl --conf plugins/imageio/format/tiff/bpp=16
for f in gbrg gbrg-denoised; do # in one run it crashes with some files
  rawtherapee-cli -q -t -b16 -o $f-rawtherapee.tif -c $f.dng
done`)
	for _, c := range developed {
		c.sameColours(t, dir)
	}
}

// mayDiffer matches what exiftool tells of how the samples and previews are stored, and of which samples they are.
var mayDiffer = regexp.MustCompile(`(?m)^\[System\] .*\n|` +
	`^\[\w+\] +(Strip|Tile|PreviewImage|RowsPerStrip|YCbCrSubSampling|RawDataUniqueID|RawImageDigest|NewRawImageDigest|` +
	`NoiseReductionApplied|NoiseProfile)\w* .*\n`)

func sameTags(t *testing.T, dir, before, after string) {
	t.Helper()
	tags := func(name string) string {
		return mayDiffer.ReplaceAllString(host(t, dir, nil, "exiftool", "-a", "-u", "-G1", "-s", "-n", name), "")
	}
	contains(t, tags(before), "Drawn Camera")
	if got, want := tags(after), tags(before); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// sameColours checks that the mean of each colour of a developed picture stays, and the noise does not.
func (c comparison) sameColours(t *testing.T, dir string) {
	t.Helper()
	a, b := read(t, dir+"/"+c.before)[0], read(t, dir+"/"+c.after)[0]
	if len(a.Planes) != 3 || a.Width < 300 || b.Width != a.Width {
		t.Fatalf("%s has %d colours and a width of %d, and then of %d", c.before, len(a.Planes), a.Width, b.Width)
	}
	for i := range a.Planes {
		mean, noise := meanAndNoise(a.Planes[i], a.Width)
		meanAfter, noiseAfter := meanAndNoise(b.Planes[i], b.Width)
		if math.Abs(meanAfter-mean) > c.most || noiseAfter > noise/3 {
			t.Errorf("%s, colour %d: mean %.5f, not %.5f, noise %.5f after %.5f", c.after, i, meanAfter, mean,
				noiseAfter, noise)
		}
	}
}

// meanAndNoise returns the mean of a plane, and how far samples are from their neighbours.
func meanAndNoise(plane []float32, width int) (mean, noise float64) {
	for i, v := range plane {
		mean += float64(v)
		if x := i % width; x > 0 && x < width-1 {
			d := float64(v - (plane[i-1]+plane[i+1])/2)
			noise += d * d
		}
	}
	n := float64(len(plane))
	return mean / n, math.Sqrt(noise / n)
}
