package guided

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

func denoised(t *testing.T, d *Denoiser, in Input, workers int) patchify.Plane {
	t.Helper()
	out := patchify.NewPlane(in.Noisy.Width, in.Noisy.Height)
	var patches atomic.Int64
	err := d.Denoise(context.Background(), out, in, 4, workers, func(n int) { patches.Add(int64(n)) })
	if err != nil {
		t.Fatal(err)
	}
	if g, _ := patchify.NewGrid(in.Noisy.Width, in.Noisy.Height, PatchSide, 4); int(patches.Load()) != g.Len() {
		t.Errorf("%d patches were reported of %d", patches.Load(), g.Len())
	}
	return out
}

// The denoiser for use takes a band at a time, keeps little and multiplies integers. The one for training keeps
// everything. Both compute the same but for rounding.
func TestBandsGiveTheWholePlane(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, predictions := range []int{0, 2} {
		n := drawnNetwork(rng, 2, predictions)
		sizes := [][2]int{{8, 8}, {9, 30}, {61, 35}, {1300, 40}, {4100, 40}, // strips of six rows and of two
			{250, 700}} // several bands
		for _, size := range sizes {
			in := Input{Noisy: drawn(rng, size[0], size[1], 2), Pilot: drawn(rng, size[0], size[1], 1.5),
				Guides: []patchify.Plane{drawn(rng, size[0], size[1], 3), drawn(rng, size[0], size[1], 2)}, Level: -0.5}
			d := NewDenoiser(n, 0)
			whole := patchify.NewPlane(size[0], size[1])
			if err := NewDifferentiator(d).Forward(whole, in, 4); err != nil {
				t.Fatal(err)
			}
			one := denoised(t, d, in, 1)
			sum := 0.
			for i, v := range whole.Pix {
				off := math.Abs(float64(one.Pix[i] - v))
				if sum += off; off > 1e-3 {
					t.Fatalf("%d x %d: sample %d is %g in bands and %g at once", size[0], size[1], i, one.Pix[i], v)
				}
			}
			if mean := sum / float64(len(whole.Pix)); mean > 8e-5 {
				t.Errorf("%d x %d: samples are off by %g on average", size[0], size[1], mean)
			}
			if many := denoised(t, d, in, 5); !slices.Equal(one.Pix, many.Pix) {
				t.Errorf("%d x %d: other samples with other workers", size[0], size[1])
			}
		}
	}
}

// NaN stays within the reach of the network.
func TestNaNStaysLocal(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	n := drawnNetwork(rng, 2, 2)
	const w, h = 160, 120
	in := Input{Noisy: drawn(rng, w, h, 2), Pilot: drawn(rng, w, h, 1),
		Guides: []patchify.Plane{drawn(rng, w, h, 1), drawn(rng, w, h, 1)}}
	before := denoised(t, NewDenoiser(n, 0), in, 1)
	in.Noisy.Pix[60*w+80] = float32(math.NaN())
	after := denoised(t, NewDenoiser(n, 0), in, 1)
	reach := n.Net.Reach()*4 + 2*(PatchSide-1) + PredictionReach
	for i, v := range after.Pix {
		x, y := i%w, i/w
		if (x < 80-reach || x > 80+reach || y < 60-reach || y > 60+reach) && v != before.Pix[i] {
			t.Fatalf("sample (%d, %d) changed", x, y)
		}
	}
}

func TestCheckRefusesOtherSizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for name, spoil := range map[string]func(n *Network){
		"guides":      func(n *Network) { n.Guides = 3 },
		"skip":        func(n *Network) { n.Skip = n.Skip[1:] },
		"weights":     func(n *Network) { n.Net[1].Weights = n.Net[1].Weights[1:] },
		"side":        func(n *Network) { n.Net[0].Side = 3 },
		"between":     func(n *Network) { n.Net[1].Side, n.Net[1].Weights = 1, n.Net[1].Weights[:16*16] },
		"layers":      func(n *Network) { n.Net = n.Net[:1] },
		"none":        func(n *Network) { n.Net = nil },
		"predictions": func(n *Network) { *n = *New(Shape{1, 1, 16, 2}, rng) },
		"too many":    func(n *Network) { *n = *New(Shape{2, 3, 16, 2}, rng) },
		"fewer":       func(n *Network) { n.Predictions = -1 },
	} {
		n := drawnNetwork(rng, 1, 0)
		if err := n.Check(); err != nil {
			t.Fatal(err)
		}
		if spoil(n); n.Check() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func BenchmarkDenoise(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	const side = 512
	chroma := Input{Noisy: drawn(rng, side, side, 2), Pilot: drawn(rng, side, side, 1),
		Guides: []patchify.Plane{drawn(rng, side, side, 1), drawn(rng, side, side, 1)}}
	luma := Input{Noisy: chroma.Noisy, Pilot: chroma.Pilot}
	for _, c := range []struct {
		name string
		*Network
		Input
	}{{"chroma", New(Shape{2, 2, 64, 3}, rng), chroma}, {"luma", New(Shape{0, 0, 48, 3}, rng), luma}} {
		b.Run(c.name, func(b *testing.B) {
			d := NewDenoiser(c.Network, 0)
			out := patchify.NewPlane(side, side)
			for b.Loop() {
				if err := d.Denoise(context.Background(), out, c.Input, 4, 1, func(int) {}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/(side*side)*1e6, "s/MP")
		})
	}
}

// A run holds the patches that package patchify cuts out, for every stride, and also if the last patch is nearer to its
// neighbour.
func TestExtractCopiesAllRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, size := range [][2]int{{8, 8}, {37, 9}, {38, 16}, {250, 12}, {256, 8}} {
		for _, stride := range []int{1, 3, 4, 8} {
			p := drawn(rng, size[0], size[1], 1)
			g, err := patchify.NewGrid(size[0], size[1], PatchSide, stride)
			if err != nil {
				t.Fatal(err)
			}
			got, want := make([]float32, Coefs*kernel.Lanes), make([]float32, Coefs*kernel.Lanes)
			eachPanel(g, func(r run) {
				r.each(func(lane, _, _, _ int, xs []int, y int) {
					extract(got, lane, p, xs, y)
					patchify.ExtractRun(want, kernel.Lanes, lane, p, xs, y, PatchSide)
				})
				if !slices.Equal(got, want) {
					t.Fatalf("%d x %d, stride %d: other samples in the panel from patch %d on", size[0], size[1],
						stride, r.from)
				}
			})
		}
	}
}
