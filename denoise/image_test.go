package denoise

import (
	"context"
	"errors"
	"fmt"
	goimage "image"
	"image/color"
	"image/draw"
	"math"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// everyKind returns the same noisy picture as images of all types, and what comes back for each.
func everyKind(width, height int) map[string]struct {
	in   goimage.Image
	want string
} {
	type kind = struct {
		in   goimage.Image
		want string
	}
	_, noisy := noisyScene(width, height, 25)
	r := goimage.Rect(0, 0, width, height)
	source := goimage.NewNRGBA64(r)
	for i := range noisy[0] {
		v := func(p int) uint16 { return uint16(65535 * max(0, min(noisy[p][i], 1))) }
		source.SetNRGBA64(i%width, i/width, color.NRGBA64{R: v(0), G: v(1), B: v(2), A: uint16(40000 + i%100)})
	}
	opaque := goimage.NewNRGBA64(r)
	draw.Draw(opaque, r, source, goimage.Point{}, draw.Src)
	for i := 6; i < len(opaque.Pix); i += 8 {
		opaque.Pix[i], opaque.Pix[i+1] = 255, 255
	}
	into := func(dst draw.Image, src goimage.Image) goimage.Image {
		draw.Draw(dst, r, src, goimage.Point{}, draw.Src)
		return dst
	}
	ycc := goimage.NewYCbCr(r, goimage.YCbCrSubsampleRatio420)
	for i := range noisy[0] {
		ycc.Y[i/width*ycc.YStride+i%width] = uint8(255 * max(0, min(noisy[0][i], 1)))
	}
	for i := range ycc.Cb {
		ycc.Cb[i], ycc.Cr[i] = 120, 140
	}
	var grays color.Palette
	for i := range 256 {
		grays = append(grays, color.Gray{Y: uint8(i)})
	}
	big := goimage.NewNRGBA(goimage.Rect(-5, -7, width+9, height+4))
	draw.Draw(big, big.Rect, opaque, big.Rect.Min, draw.Src)
	return map[string]kind{
		"Gray":      {into(goimage.NewGray(r), opaque), "*image.Gray"},
		"Gray16":    {into(goimage.NewGray16(r), opaque), "*image.Gray16"},
		"NRGBA":     {into(goimage.NewNRGBA(r), source), "*image.NRGBA"},
		"RGBA":      {into(goimage.NewRGBA(r), source), "*image.NRGBA"},
		"NRGBA64":   {source, "*image.NRGBA64"},
		"RGBA64":    {into(goimage.NewRGBA64(r), source), "*image.NRGBA64"},
		"CMYK":      {into(goimage.NewCMYK(r), opaque), "*image.CMYK"},
		"YCbCr":     {ycc, "*image.NRGBA"},
		"Paletted":  {into(goimage.NewPaletted(r, grays), opaque), "*image.Gray"},
		"sub-image": {big.SubImage(goimage.Rect(1, 2, width, height)), "*image.NRGBA"},
		"any":       {struct{ goimage.Image }{source}, "*image.NRGBA64"},
	}
}

// rougher measures how much neighbouring pixels differ.
func rougher(img goimage.Image) (sum float64) {
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X + 1; x < b.Max.X; x++ {
			p := color.NRGBA64Model.Convert(img.At(x, y)).(color.NRGBA64)
			q := color.NRGBA64Model.Convert(img.At(x-1, y)).(color.NRGBA64)
			d := float64(p.G) - float64(q.G)
			sum += d * d
		}
	}
	return sum
}

func TestImageOfEveryKind(t *testing.T) {
	for name, c := range everyKind(48, 40) {
		out, result, err := Image(context.Background(), c.in, Options{Quality: Fast})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := fmt.Sprintf("%T", out); got != c.want || out.Bounds() != c.in.Bounds() {
			t.Errorf("%s: came back as %s of %v, want %s of %v", name, got, out.Bounds(), c.want, c.in.Bounds())
		}
		// The YCbCr picture has gray noise, so its luma has three times the variance that is found. About 0.61 are left
		// of it.
		if before, after := rougher(c.in), rougher(out); after > 0.65*before || result.Noise != Gaussian {
			t.Errorf("%s: roughness %g before, %g after, %v noise", name, before, after, result.Noise)
		}
		b := out.Bounds()
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				_, _, _, want := c.in.At(x, y).RGBA()
				if _, _, _, got := out.At(x, y).RGBA(); got != want {
					t.Fatalf("%s: alpha at (%d, %d) is %d, was %d", name, x, y, got, want)
				}
			}
		}
	}
}

// With all noise kept, samples come back as they were.
func TestImageKeepsSamples(t *testing.T) {
	for name, c := range everyKind(20, 10) {
		out, _, err := Image(context.Background(), c.in, Options{Keep: 1})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		b := out.Bounds()
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				r1, g1, b1, _ := c.in.At(x, y).RGBA()
				r2, g2, b2, _ := out.At(x, y).RGBA()
				for i, v := range []uint32{r1, g1, b1} { // premultiplied samples of 8 bits may round by a level
					if d := math.Abs(float64(v) - float64([]uint32{r2, g2, b2}[i])); d > 257 {
						t.Fatalf("%s: (%d, %d) is %v, was %v", name, x, y, out.At(x, y), c.in.At(x, y))
					}
				}
			}
		}
	}
}

func TestImageRefusesBadImages(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		ctx  context.Context
		img  goimage.Image
		want error
	}{
		"no context":  {nil, goimage.NewGray(goimage.Rect(0, 0, 8, 8)), ErrArgument},
		"no image":    {ctx, nil, ErrArgument},
		"nil pointer": {ctx, (*goimage.Gray)(nil), imageio.ErrFormat},
		"empty":       {ctx, goimage.NewGray(goimage.Rect(0, 0, 0, 5)), imageio.ErrFormat},
		"short": {ctx, &goimage.NRGBA{Rect: goimage.Rect(0, 0, 8, 8), Stride: 32, Pix: make([]uint8, 100)},
			imageio.ErrFormat},
		"no stride": {ctx, &goimage.YCbCr{Rect: goimage.Rect(0, 0, 8, 8)}, imageio.ErrFormat},
		"infinite":  {ctx, goimage.NewUniform(color.White), imageio.ErrLimit},
	} {
		if _, _, err := Image(c.ctx, c.img, Options{}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if _, _, err := Image(ctx, goimage.NewGray(goimage.Rect(0, 0, 8, 8)), Options{Keep: 2}); !errors.Is(err,
		ErrArgument) {
		t.Errorf("bad options: %v", err)
	}
}

func TestImageStopsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, err := Image(ctx, everyKind(20, 10)["Gray"].in, Options{Sigma: 25})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
