package imageio

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"math"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// TestFaultF5NotANumber puts a NaN or Inf into float TIFF files of many layouts. The error must name the pixel.
// Negative samples and samples above full scale must be kept.
func TestFaultF5NotANumber(t *testing.T) {
	bad := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}
	for i := range 48 {
		w, h, planes := 1+i%7, 1+i%5, 1+i%2*2
		img := noise(w, h, planes, i%3 == 0, DepthFloat32, uint64(i))
		img.Planes[0][0], img.Planes[planes-1][w*h-1] = -5, 1e6
		img.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: []byteOrder{le, be}[i%2]},
			packing: deflateIf(i%4 > 1)}}
		comesBack(t, "a file of finite samples", img, WriteOptions{})
		for _, at := range []int{0, w * h / 3, w * h / 2, w*h - 1} {
			var b bytes.Buffer
			kept := img.Planes[planes-1][at]
			img.Planes[planes-1][at] = bad[i%3]
			tw := tiffWriter{w: &b, o: WriteOptions{White: 1}, pages: 1} // Encode refuses to write it
			must.Do(t, tw.page(img))
			img.Planes[planes-1][at] = kept
			if got, want := outcome(b.Bytes(), ReadOptions{}), fmt.Sprintf("format: NaN or Inf at pixel (%d, %d)", at%w,
				at/w); got != want {
				t.Fatalf("%d: got %s, want %s", i, got, want)
			}
		}
	}
}

// TestFaultF8NothingIsDropped checks features that other decoders drop silently. Each must be kept or refused by name.
func TestFaultF8NothingIsDropped(t *testing.T) {
	gray := filterNone([]byte{7, 200})
	p := pixels(2, 1, blackIsZero, []uint32{8}, []byte{7, 200})
	for _, c := range []struct {
		name string
		file []byte
		want string // beginning
	}{
		{"16-bit PNG", buildPNG(1, 1, 16, pngGray, 0, filterNone([]byte{1, 2})), "PNG 1 x 1 gray 16-bit 258"},
		{"transparent colour", buildPNG(2, 1, 8, pngGray, 0, gray, chunk{"tRNS", []byte{0, 7}}),
			"PNG 2 x 1 gray+A 8-bit 7,200 0,255"},
		{"palette", buildPNG(1, 1, 4, pngPalette, 0, filterNone([]byte{0x10}), chunk{"PLTE", []byte{0, 0, 0, 1, 2, 3}}),
			"PNG 1 x 1 RGB 8-bit 1 2 3"},
		{"animation", buildPNG(2, 1, 8, pngGray, 0, gray, chunk{"acTL", make([]byte, 8)}),
			"unsupported: animated PNG is not supported"},
		{"CMYK JPEG", encoded(t, newImage(8, 8, 4, noAlpha, Depth8, JPEG), WriteOptions{}),
			"JPEG 8 x 8 CMYK 8-bit 0,0"},
		{"oriented JPEG", withExif(buildJPEG(t, scene(16, 8)), exifBlock(be, 6)), "JPEG 8 x 16 RGB 8-bit"},
		{"oriented TIFF", buildTIFF(le, p.with(tagOrientation, 8)), "TIFF 1 x 2 gray 8-bit 200,7"},
		{"many pages", buildTIFF(le, p, p),
			"unsupported: TIFF with 2 pages, where one image is wanted, is not supported"},
		{"volume", buildTIFF(le, p.with(tagImageDepth, 8)),
			"unsupported: TIFF with a volume of 8 slices in one page (ImageDepth) is not supported"},
		{"sub-images", buildTIFF(le, p.with(tagSubIFDs, 8)),
			"unsupported: TIFF with sub-images (SubIFDs) that are no pyramid levels is not supported"},
		{"premultiplied alpha", buildTIFF(le, pixels(1, 1, blackIsZero, []uint32{8, 8},
			[]byte{1, 2}).with(tagExtraSamples, 1)), "TIFF 1 x 1 gray+A 8-bit 1 2"},
	} {
		if got := outcome(c.file, ReadOptions{}); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestYCCK checks that CMYK with Adobe's colour transform is written with it again and keeps its inks.
func TestYCCK(t *testing.T) {
	img := painted(newImage(16, 16, 4, noAlpha, Depth8, JPEG),
		func(c, _ int) float32 { return []float32{0.9, 0.6, 0.3, 0.8}[c] })
	for _, plain := range []bool{true, false} {
		one := [][2]int{{1, 1}, {1, 1}, {1, 1}, {1, 1}}
		img.Meta = &Metadata{jpeg: &jpegMeta{coding: jpegCoding{factors: one, plain: plain, adobe: true}}}
		file := encoded(t, img, WriteOptions{Quality: 100})
		for range 2 { // the second time with what was read of the first
			got := decoded(t, file, ReadOptions{})
			if got.Meta.jpeg.coding.plain != plain {
				t.Errorf("plain %v is lost", plain)
			}
			for c, p := range img.Planes {
				if d := math.Abs(float64(got.Planes[c][100]-p[100])) * 255; d > 2.5 {
					t.Errorf("plain %v, ink %d: %g levels apart", plain, c, d)
				}
			}
			file = encoded(t, got, WriteOptions{})
		}
	}
}

// TestJPEGEncoderAgainstStock checks that the encoder is as accurate as that of the standard library.
func TestJPEGEncoderAgainstStock(t *testing.T) {
	src := scene(61, 47)
	img := planesOf(t, src, false, false, PNG)
	for _, q := range []int{30, 75, 95, 100} {
		var stock bytes.Buffer
		must.Do(t, jpeg.Encode(&stock, image.Image(src), &jpeg.Options{Quality: q}))
		theirs := decoded(t, stock.Bytes(), ReadOptions{})
		own := readBack(t, img, WriteOptions{Format: JPEG, Quality: q, Subsampling: Subsampling420})
		if a, b := distance(own, img), distance(theirs, img); a > 1.02*b {
			t.Errorf("quality %d: mean square error %g, the stock encoder's %g", q, a, b)
		}
	}
}

func distance(a, b *Image) (sum float64) {
	for c, p := range a.Planes {
		for i, v := range p {
			d := float64(v-b.Planes[c][i]) * 255
			sum += d * d / float64(3*len(p))
		}
	}
	return sum
}
