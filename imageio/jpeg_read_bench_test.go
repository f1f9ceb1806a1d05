package imageio

import (
	"math"
	"math/rand/v2"
	"testing"
)

// photograph returns a picture of smooth shapes with a little noise, which compresses like a photograph.
func photograph(w, h int) *Image {
	img := newImage(w, h, 3, noAlpha, Depth8, JPEG)
	rng := rand.New(rand.NewPCG(3, 1))
	for y := range h {
		for x := range w {
			fx, fy := float64(x)/97, float64(y)/61
			v := 0.5 + 0.3*math.Sin(fx)*math.Cos(fy) + 0.01*rng.NormFloat64()
			if x/50%7 == y/70%5 {
				v += 0.15
			}
			for c, p := range img.Planes {
				p[y*w+x] = float32(min(max(v+0.1*math.Sin(fx/3+float64(c)), 0), 1))
			}
		}
	}
	return img
}

func BenchmarkDecodeJPEG(b *testing.B) {
	img := photograph(4000, 3000)
	for name, s := range map[string]Subsampling{"420": Subsampling420, "444": Subsampling444} {
		file := encoded(b, img, WriteOptions{Quality: 92, Subsampling: s})
		b.Run(name, func(b *testing.B) {
			b.SetBytes(4000 * 3000)
			b.ReportAllocs()
			for b.Loop() {
				decoded(b, file, ReadOptions{})
			}
		})
	}
}
