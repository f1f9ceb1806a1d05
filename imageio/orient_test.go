package imageio

import (
	"bytes"
	"fmt"
	"image"
	"testing"

	"github.com/disintegration/imaging"
	"github.com/google/go-cmp/cmp"
)

// TestOrientationOfJPEG compares all orientations with package imaging.
func TestOrientationOfJPEG(t *testing.T) {
	gray := image.NewGray(image.Rect(0, 0, 21, 13))
	for i := range gray.Pix {
		gray.Pix[i] = uint8(i * i / 7)
	}
	for name, src := range map[string]image.Image{"gray": gray, "colour": scene(21, 13)} {
		plain := buildJPEG(t, src)
		for value := range uint16(10) {
			for _, order := range []byteOrder{le, be} {
				t.Run(fmt.Sprint(name, value, order), func(t *testing.T) {
					file := withExif(plain, exifBlock(order, value))
					want, err := imaging.Decode(bytes.NewReader(file), imaging.AutoOrientation(true))
					if err != nil {
						t.Fatal(err)
					}
					img := decoded(t, file, ReadOptions{})
					upright := planesOf(t, imaging.Clone(want), name == "gray", false, JPEG)
					if !same(img, upright) {
						t.Error(cmp.Diff(upright, img))
					}
				})
			}
		}
	}
}

// TestOrientationOfPNGAndTIFF compares all orientations, at all depths and with alpha, with the transforms of package
// imaging.
func TestOrientationOfPNGAndTIFF(t *testing.T) {
	const w, h = 5, 3
	src := scene(w, h)
	for i := range w * h {
		src.Pix[4*i+3] = uint8(200 + i)
	}
	transforms := map[uint32]func(image.Image) *image.NRGBA{
		1: imaging.Clone, 2: imaging.FlipH, 3: imaging.Rotate180, 4: imaging.FlipV,
		5: imaging.Transpose, 6: imaging.Rotate270, 7: imaging.Transverse, 8: imaging.Rotate90,
	}
	var rows [][]byte
	var floats []float32
	var words []byte
	for i, v := range src.Pix {
		if i%(4*w) == 0 {
			rows = append(rows, src.Pix[i:i+4*w])
		}
		floats, words = append(floats, unit8(v)), append(words, v, v)
	}
	bits := func(n uint32) []uint32 { return []uint32{n, n, n, n} }
	float := pixels(w, h, rgb, bits(32), floatBytes(be, floats...)).with(tagSampleFormat, 3).with(tagExtraSamples, 2)
	word := pixels(w, h, rgb, bits(16), words).with(tagExtraSamples, 2)
	for value, transform := range transforms {
		want := planesOf(t, transform(src), false, true, PNG)
		for _, file := range [][]byte{
			buildPNG(w, h, 8, pngRGBA, 0, filterNone(rows...), chunk{"eXIf", exifBlock(be, uint16(value))}),
			buildTIFF(be, word.with(tagOrientation, value)),
			buildTIFF(be, float.with(tagOrientation, value)),
		} {
			got := decoded(t, file, ReadOptions{})
			got.Depth = want.Depth // equal in units of full scale
			for c, p := range got.channels() {
				for i, v := range p {
					if v != want.channels()[c][i] && quantise(v, 255) != quantise(want.channels()[c][i], 255) {
						t.Fatalf("%v, value %d, channel %d: sample %d is %g, want %g", got.Format, value, c, i, v, want.channels()[c][i])
					}
				}
			}
			if got.Width != want.Width || got.Height != want.Height {
				t.Errorf("value %d: %d x %d", value, got.Width, got.Height)
			}
		}
	}
}

// TestOrientationIsNotWritten checks that files are written upright.
func TestOrientationIsNotWritten(t *testing.T) {
	img := decoded(t, withExif(buildJPEG(t, scene(6, 4)), exifBlock(le, 8)), ReadOptions{})
	for _, f := range []Format{PNG, TIFF} {
		if got := decoded(t, encoded(t, img, WriteOptions{Format: f}), ReadOptions{}); !same(img, got) {
			t.Errorf("%v turns again", f)
		}
	}
}
