package unet

import (
	"fmt"
	"os"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/safetensors"
)

// work returns the multiplications and additions of direct convolutions for one sample of each plane.
func work(all map[string]safetensors.Tensor, levels int) (flops float64) {
	for name, t := range all {
		cells := 0.25 // of the grid where the weights are applied, for a sample
		var level int
		for _, kind := range []string{"enc.%d.", "dec.%d."} {
			if n, _ := fmt.Sscanf(name, kind, &level); n == 1 {
				cells /= float64(int(1) << (2 * level))
			}
		}
		for _, kind := range []string{"down.%d.", "up.%d."} {
			if n, _ := fmt.Sscanf(name, kind, &level); n == 1 {
				cells /= float64(int(1) << (2 * (level + 1)))
			}
		}
		if name[:4] == "body" {
			cells /= float64(int(1) << (2 * (levels - 1)))
		}
		flops += 2 * cells * float64(len(t.Values))
	}
	return flops
}

func BenchmarkDenoise(b *testing.B) {
	channels := []int{48, 96, 160, 192}
	all := drawn(3, channels, 1)
	n := mustBuild(b, all)
	const side = 1024
	image := noisy(3, side, side)
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			for b.Loop() {
				must.Do(b, n.DenoiseUneven(b.Context(), image, nil, side, side, 0.1, workers, nil))
			}
			seconds := b.Elapsed().Seconds() / float64(b.N)
			b.ReportMetric(work(all, len(channels))*side*side/seconds/1e9, "GFLOP/s")
			b.ReportMetric(seconds*1e6/(side*side), "s/Mpixel")
			b.ReportMetric(float64(n.Memory(side, side, workers))/1e6, "MB")
		})
	}
}

func BenchmarkConvolution(b *testing.B) {
	for l, c := range []int{48, 96, 160, 192} {
		n := mustBuild(b, drawn(1, []int{c}, 1))
		var src, dst grid
		side := 528 >> l
		src.resize(c, side, side, nil)
		dst.resize(c, side, side, nil)
		s, layer := n.newScratch(), n.levels[0].down[0].first
		s.matrices = layer.matrices(&packed{keep: true}, &s)
		b.Run(fmt.Sprint(c), func(b *testing.B) {
			for b.Loop() {
				for p := range src.panels() {
					layer.rectify(&dst, &src, p*48, &s)
				}
			}
			b.ReportMetric(18*float64(c*c*side*side)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

func BenchmarkRead(b *testing.B) {
	data := must.Get(os.ReadFile("../../models/unet-colour.safetensors"))(b)
	b.ReportAllocs()
	for b.Loop() {
		must.Get(Read(data))(b)
	}
}
