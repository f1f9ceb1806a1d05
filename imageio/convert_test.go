package imageio

import (
	"image"
	"image/color"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// TestFromPaletteKeepsTransparentColours checks that pixels which nobody sees keep their colours, as they do in files:
// the noise is measured there too.
func TestFromPaletteKeepsTransparentColours(t *testing.T) {
	for name, c := range map[string]color.NRGBA{"transparent": {200, 100, 50, 0}, "faint": {200, 100, 50, 3},
		"red": {255, 0, 0, 0}} {
		src := image.NewPaletted(image.Rect(0, 0, 2, 1), color.Palette{c, color.Gray{7}})
		src.Pix[1] = 1
		img, err := FromImage(src)
		if err != nil || len(img.Planes) != 3 {
			t.Fatalf("%s: %v, %v", name, img, err)
		}
		got := [4]float32{img.Planes[0][0], img.Planes[1][0], img.Planes[2][0], img.Alpha[0]}
		if want := [4]float32{unit8(c.R), unit8(c.G), unit8(c.B), unit8(c.A)}; got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

// A picture of luma, chroma and alpha, as WebP has, keeps such colours, too.
func TestFromYCbCrAKeepsTransparentColours(t *testing.T) {
	src := image.NewNYCbCrA(image.Rect(3, 5, 5, 6), image.YCbCrSubsampleRatio444)
	copy(src.Y, []uint8{200, 90})
	copy(src.Cb, []uint8{90, 128})
	copy(src.Cr, []uint8{160, 128})
	copy(src.A, []uint8{0, 3})
	img, err := FromImage(src)
	if err != nil || img.Depth != Depth8 {
		t.Fatal(img, err)
	}
	for i := range 2 {
		r, g, b := color.YCbCrToRGB(src.Y[i], src.Cb[i], src.Cr[i])
		for c, v := range []uint8{r, g, b} {
			if got := img.Planes[c][i]; got != unit8(v) {
				t.Errorf("pixel %d, channel %d: %g, want %d of 255", i, c, got, v)
			}
		}
		if got := img.Alpha[i]; got != unit8(src.A[i]) {
			t.Errorf("pixel %d: alpha %g", i, got)
		}
	}
}

// A mask has 8 bits, and so has its image.
func TestFromAlphaHasTheDepthOfAlpha(t *testing.T) {
	img, err := FromImage(image.NewAlpha(image.Rect(0, 0, 2, 2)))
	if err != nil || img.Depth != Depth8 {
		t.Error(img, err)
	}
}

func TestConvertingNoImage(t *testing.T) {
	must.Fail(t, "from nil", must.Err(FromImage(nil)), ErrArgument)
	must.Fail(t, "to nil", must.Err((*Image)(nil).ToImage()), ErrArgument)
}

// What a decoder returns has samples that are known.
func TestUnknownTypeOfImage(t *testing.T) {
	_, err := fromImage(t.Context(), image.NewAlpha(image.Rect(0, 0, 1, 1)), false, false, PNG)
	must.Fail(t, "a mask", err, ErrFormat)
}
