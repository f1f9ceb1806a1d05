//go:build unix

package denoise_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/internal/scene"
)

// BenchmarkCancel cancels a hundred times, at instants all over the work, and reports the longest time that it took to end, in seconds. One
// round is what there is to see:
//
//	go test ./denoise -run '^$' -bench Cancel -benchtime 1x
func BenchmarkCancel(b *testing.B) {
	for _, size := range [][2]int{{900, 700}, {4000, 3000}} {
		drawn := scene.Draw(size[0], size[1])
		for i, p := range drawn {
			noise.AddGaussian(p, p, 15.0/255, noise.Source(1, fmt.Sprint(i)))
		}
		for _, q := range []denoise.Quality{denoise.Fast, denoise.Balanced, denoise.Best} {
			for _, sigma := range []float64{0, 15} {
				name := fmt.Sprintf("%dMP/%v/given=%v", size[0]*size[1]/1e6, q, sigma > 0)
				b.Run(name, func(b *testing.B) { cancels(b, drawn[:], size, denoise.Options{Quality: q, Sigma: sigma}) })
			}
		}
	}
}

// processTime is the work that this process has done.
func processTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func cancels(b *testing.B, planes [][]float32, size [2]int, o denoise.Options) {
	run := func(ctx context.Context) error {
		img := &imageio.Image{Width: size[0], Height: size[1], Depth: imageio.Depth8, Format: imageio.PNG}
		for _, p := range planes {
			img.Planes = append(img.Planes, append([]float32(nil), p...))
		}
		_, err := denoise.Decoded(ctx, img, denoise.FileOptions{Options: o})
		return err
	}
	const times, most = 100, 4 * time.Second // what comes later is like what came before
	var worst, work, at time.Duration
	rng := rand.New(rand.NewPCG(1, 2))
	for range b.N {
		for i := range times {
			after := time.Duration(float64(most) * (float64(i) + rng.Float64()) / times)
			ctx, cancel := context.WithCancel(context.Background())
			ended := make(chan error, 1)
			go func() { ended <- run(ctx) }()
			select {
			case err := <-ended: // it was through before
				cancel()
				if err != nil {
					b.Fatal(err)
				}
				continue
			case <-time.After(after):
			}
			start, used := time.Now(), processTime()
			cancel()
			if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
				b.Fatal(err)
			}
			if took := time.Since(start); took > worst {
				worst, at = took, after
			}
			work = max(work, processTime()-used)
		}
	}
	b.ReportMetric(worst.Seconds(), "worst-s")
	b.ReportMetric(work.Seconds(), "worst-work-s") // of all processors, which a busy machine does not lengthen
	b.ReportMetric(at.Seconds(), "after-s")
}
