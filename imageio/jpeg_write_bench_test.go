package imageio

import (
	"image"
	"image/jpeg"
	"io"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// BenchmarkEncodeJPEG writes a noisy picture in colour, chroma at half the size, on one processor, beside the encoder
// of the standard library.
func BenchmarkEncodeJPEG(b *testing.B) {
	const side, quality = 1024, 95
	img := noise(side, side, 3, false, Depth8, 1)
	for _, p := range img.Planes { // smooth as a photograph, with some noise
		for i := range p {
			p[i] = 0.3 + 0.1*p[i] + 0.4*float32(i%side)/side
		}
	}
	standard := image.NewRGBA(image.Rect(0, 0, side, side))
	for i := range side * side {
		for c, p := range img.Planes {
			standard.Pix[4*i+c] = uint8(255 * p[i])
		}
		standard.Pix[4*i+3] = 255
	}
	b.Run("this", func(b *testing.B) {
		o := WriteOptions{Format: JPEG, Workers: 1, Quality: quality, Subsampling: Subsampling420}
		b.SetBytes(side * side)
		for b.Loop() {
			must.Do(b, Encode(io.Discard, img, o))
		}
	})
	b.Run("standard", func(b *testing.B) {
		b.SetBytes(side * side)
		for b.Loop() {
			must.Do(b, jpeg.Encode(io.Discard, standard, &jpeg.Options{Quality: quality}))
		}
	})
}
