package main

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/camera"
	"github.com/blorc-denoise/blorc-denoise/internal/scene"
)

func drawn(width, height int) *camera.Picture {
	p := scene.Draw(width, height)
	return (&camera.Picture{Width: width, Height: height, Planes: p[:]}).Quantise()
}

func psnr(a, b *camera.Picture) float64 { return 10 * math.Log10(255*255/meanSquare(a, b, 8)) }

// What the standard library writes and load reads has to be what camera.JPEG says, but for rounding within the codecs.
func TestJPEGRoundTripIsThatOfACodec(t *testing.T) {
	p := drawn(93, 70)
	for _, quality := range []int{60, 85, 98} {
		img := image.NewRGBA(image.Rect(0, 0, p.Width, p.Height))
		for i := range p.Width * p.Height {
			r, g, b := p.Planes[0][i], p.Planes[1][i], p.Planes[2][i]
			img.Set(i%p.Width, i/p.Width, color.RGBA{camera.ToByte(float64(r)), camera.ToByte(float64(g)), camera.ToByte(float64(b)), 255})
		}
		var file bytes.Buffer
		if err := jpeg.Encode(&file, img, &jpeg.Options{Quality: quality}); err != nil {
			t.Fatal(err)
		}
		want, err := decodeJPEG(&file)
		if err != nil {
			t.Fatal(err)
		}
		got := camera.JPEG(p, quality, true)
		if d, lost := psnr(got, want), psnr(want, p); d < lost+10 {
			t.Errorf("quality %d: %.1f dB from the codec, which is %.1f dB from the picture", quality, d, lost)
		}
	}
}
