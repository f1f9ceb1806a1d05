package imageio

import (
	"image"
	"testing"

	"github.com/disintegration/imaging"
)

// transforms turns a stored picture upright, by orientation.
var transforms = map[uint32]func(image.Image) *image.NRGBA{
	1: imaging.Clone, 2: imaging.FlipH, 3: imaging.Rotate180, 4: imaging.FlipV,
	5: imaging.Transpose, 6: imaging.Rotate270, 7: imaging.Transverse, 8: imaging.Rotate90,
}

// pictureOf converts an image of 8 bits without alpha to one of the standard library.
func pictureOf(img *Image) image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, img.Width, img.Height))
	last := len(img.Planes) - 1
	for i := range img.Planes[0] {
		for c := range 3 {
			m.Pix[4*i+c] = byte(quantise(img.Planes[min(c, last)][i], 255))
		}
		m.Pix[4*i+3] = 255
	}
	return m
}

// TestOrientationOfJPEG compares all orientations with the transforms of package imaging.
func TestOrientationOfJPEG(t *testing.T) {
	gray := image.NewGray(image.Rect(0, 0, 21, 13))
	for i := range gray.Pix {
		gray.Pix[i] = uint8(i * i / 7)
	}
	for name, src := range map[string]image.Image{"gray": gray, "colour": scene(21, 13)} {
		plain := buildJPEG(t, src)
		stored := pictureOf(decoded(t, plain, ReadOptions{}))
		for value := range uint16(10) {
			transform := transforms[uint32(value)]
			if transform == nil {
				transform = imaging.Clone
			}
			want := planesOf(t, transform(stored), name == "gray", false, JPEG)
			for _, order := range []byteOrder{le, be} {
				if img := decoded(t, withExif(plain, exifBlock(order, value)), ReadOptions{}); !same(img, want) {
					t.Errorf("%s, orientation %d, %v: other samples", name, value, order)
				}
			}
		}
	}
}

// TestOrientationOfCutJPEG checks that the part that a damaged file lacks is turned with the picture.
func TestOrientationOfCutJPEG(t *testing.T) {
	const w, h = 64, 48
	plain := buildJPEG(t, scene(w, h))
	cut := func(file []byte) *Image {
		return decoded(t, file[:len(file)-len(plain)/2], ReadOptions{KeepDamaged: true})
	}
	missing := cut(plain).MissingBottom
	if missing == 0 || missing >= h {
		t.Fatalf("%d rows are missing", missing)
	}
	there := image.NewGray(image.Rect(0, 0, w, h))
	for i := range w * (h - missing) {
		there.Pix[i] = 255
	}
	for value, transform := range transforms {
		img := cut(withExif(plain, exifBlock(le, uint16(value))))
		got := image.Rect(img.MissingLeft, img.MissingTop, img.Width-img.MissingRight, img.Height-img.MissingBottom)
		turned := transform(there)
		for i := range img.Width * img.Height {
			p := image.Pt(i%img.Width, i/img.Width)
			if p.In(got) != (turned.Pix[4*i] == 255) {
				t.Errorf("orientation %d of %d x %d pixels: %v is there, but not around %v", value, img.Width,
					img.Height, got, p)
				break
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
						t.Fatalf("%v, value %d, channel %d: sample %d is %g, want %g", got.Format, value, c, i, v,
							want.channels()[c][i])
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
		if got := readBack(t, img, WriteOptions{Format: f}); !same(img, got) {
			t.Errorf("%v turns again", f)
		}
	}
}
