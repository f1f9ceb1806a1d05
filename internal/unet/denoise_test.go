package unet

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

func denoise(t testing.TB, n *Network, image [][]float32, width, height int, sigma float32, workers int) [][]float32 {
	t.Helper()
	out := clone(image)
	must.Do(t, n.DenoiseUneven(context.Background(), out, nil, width, height, sigma, workers, nil))
	return out
}

func equal(a, b [][]float32) bool {
	return slices.EqualFunc(a, b, func(a, b []float32) bool { return slices.Equal(a, b) })
}

func TestDenoiseIsThePlainNetwork(t *testing.T) {
	for _, c := range []struct {
		planes, blocks int
		channels       []int
		sizes          [][2]int
	}{
		{1, 1, []int{5}, [][2]int{{1, 1}, {1, 9}, {2, 2}, {33, 20}, {130, 7}}},
		{3, 2, []int{4, 7}, [][2]int{{1, 1}, {3, 1}, {33, 20}}},
		{1, 2, []int{3, 5, 6}, [][2]int{{1, 1}, {31, 45}}},
		{3, 1, []int{6, 8, 5, 9}, [][2]int{{1, 1}, {2, 5}, {67, 49}}},
		{2, 0, []int{2, 3}, [][2]int{{17, 18}}},
	} {
		all := drawn(c.planes, c.channels, c.blocks)
		n := mustBuild(t, all)
		if n.planes != c.planes {
			t.Errorf("%d planes, not %d", n.planes, c.planes)
		}
		for _, size := range c.sizes {
			t.Run(fmt.Sprint(c.planes, c.channels, size), func(t *testing.T) {
				w, h := size[0], size[1]
				image := noisy(c.planes, w, h)
				want := plainly(all, image, w, h, 0.1)
				got := denoise(t, n, image, w, h, 0.1, 1)
				// Products round to integers.
				if far, mean := distance(got, want); !(far <= 0.01 && mean <= 1e-3) {
					t.Errorf("samples differ by %.2g at most and %.2g on average", far, mean)
				}
				for _, workers := range []int{2, 3, 8} {
					if !equal(got, denoise(t, n, image, w, h, 0.1, workers)) {
						t.Errorf("%d workers give other bytes than one", workers)
					}
				}
			})
		}
	}
}

// distance returns the largest distance of two images, in units of 1 + |sample|, and the root of the mean of squares.
func distance(a [][]float32, b [][]float64) (far, mean float64) {
	n := 0.
	for p := range b {
		for i, v := range b[p] {
			d := math.Abs(float64(a[p][i])-v) / (1 + math.Abs(v))
			if far = max(far, d); d != d {
				return d, d
			}
			mean, n = mean+d*d, n+1
		}
	}
	return far, math.Sqrt(mean / n)
}

// All instruction sets give the same bytes.
func TestDenoiseIsTheSameOnAllKernels(t *testing.T) {
	before := kernel.Name()
	defer kernel.Select(before)
	const w, h = 130, 70
	image := noisy(3, w, h)
	var want [][]float32
	for _, name := range kernel.Available() {
		must.Do(t, kernel.Select(name))
		got := denoise(t, mustBuild(t, drawn(3, []int{12, 9, 20}, 2)), image, w, h, 0.1, 2)
		if want == nil {
			want = got
		}
		if !equal(got, want) {
			t.Errorf("%s gives other bytes than %s", name, kernel.Available()[0])
		}
	}
}

// With few layers, the margin holds all that a part of the image depends on.
func TestPartsHaveNoSeams(t *testing.T) {
	n := mustBuild(t, drawn(1, []int{4, 5}, 1))
	const w, h = 150, 133
	image := noisy(1, w, h)
	whole := denoise(t, n, image, w, h, 0.1, 2)
	for _, side := range []int{40, 64, 149} {
		small := *n
		small.tile = side
		parts := denoise(t, &small, image, w, h, 0.1, 2)
		for i, v := range whole[0] {
			if !(math.Abs(float64(v-parts[0][i])) <= 1e-3) {
				t.Fatalf("parts of %d: sample (%d, %d) is %g, not %g", side, i%w, i/w, parts[0][i], v)
			}
		}
		if !equal(parts, denoise(t, &small, image, w, h, 0.1, 5)) {
			t.Errorf("parts of %d: 5 workers give other bytes than 2", side)
		}
	}
}

// In a network that sees further than the margin, samples differ little, and none far from the seams.
func TestSeamsOfADeepNetwork(t *testing.T) {
	n := mustBuild(t, drawn(3, []int{4, 5, 6, 7}, 2))
	small := *n
	small.tile = 128
	const w, h = 250, 120
	image := noisy(3, w, h)
	whole, parts := denoise(t, n, image, w, h, 0.1, 2), denoise(t, &small, image, w, h, 0.1, 2)
	var differs, size float64
	for p := range whole {
		for i, v := range whole[p] {
			d := float64(v - parts[p][i])
			differs, size = differs+d*d, size+float64((v-image[p][i])*(v-image[p][i]))
		}
	}
	if !(differs <= 1e-3*size) {
		t.Errorf("the parts differ by %g of what the network changes", math.Sqrt(differs/size))
	}
}

// A map of the level that is the same everywhere is the level, and half of it in one part changes what is near.
func TestDenoiseUneven(t *testing.T) {
	n := mustBuild(t, drawn(1, []int{4, 5}, 1))
	const w, h = 44, 36
	image := noisy(1, w, h)
	want := denoise(t, n, image, w, h, 0.1, 2)
	levels := slices.Repeat([]float32{1}, w*h)
	run := func() [][]float32 {
		got := clone(image)
		must.Do(t, n.DenoiseUneven(context.Background(), got, levels, w, h, 0.1, 2, nil))
		return got
	}
	if !equal(run(), want) {
		t.Error("an even map gives other samples")
	}
	levels[0] = 0.5
	if equal(run(), want) {
		t.Error("the map changes nothing")
	}
	if n.DenoiseUneven(context.Background(), clone(image), levels[1:], w, h, 0.1, 2, nil) == nil {
		t.Error("no error with a level too few")
	}
}

// Factors that are powers of two change no rounding, and large samples do not overflow.
func TestScaleOfSamplesAndNoise(t *testing.T) {
	n := mustBuild(t, drawn(1, []int{4, 6, 5}, 1))
	const w, h = 45, 37
	image := noisy(1, w, h)
	want := denoise(t, n, image, w, h, 0.1, 1)
	for _, factor := range []float32{1024, 0x1p-20, 0x1p126} {
		scaled := clone(image)
		for i := range scaled[0] {
			scaled[0][i] *= factor
		}
		got := denoise(t, n, scaled, w, h, 0.1*factor, 1)
		for i, v := range want[0] {
			if got[0][i] != factor*v {
				t.Fatalf("factor %g: sample %d is %g, not %g", factor, i, got[0][i], factor*v)
			}
		}
	}
}

// A level that is no number is no reason to panic, and one of nearly 0 is as good as 0.
func TestOddLevels(t *testing.T) {
	n := mustBuild(t, drawn(1, []int{4, 6}, 1))
	image := noisy(1, 12, 9)
	for _, sigma := range []float64{math.MaxFloat32, math.NaN(), math.Inf(1)} {
		denoise(t, n, image, 12, 9, float32(sigma), 1)
	}
	a, b := denoise(t, n, image, 12, 9, 0, 1), denoise(t, n, image, 12, 9, math.SmallestNonzeroFloat32, 1)
	for i, v := range a[0] {
		if !(math.Abs(float64(v-b[0][i])) < 1e-6) {
			t.Fatalf("sample %d is %g without noise and %g with next to none", i, v, b[0][i])
		}
	}
}

func TestNaNStaysNear(t *testing.T) {
	n := mustBuild(t, drawn(1, []int{4, 6}, 1))
	const w, h = 120, 80
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat32} {
		image := noisy(1, w, h)
		want := denoise(t, n, image, w, h, 0.1, 1)
		image[0][0] = float32(bad)
		got := denoise(t, n, image, w, h, 0.1, 2)
		if v := got[0][0]; v == want[0][0] {
			t.Errorf("%g has no effect", bad)
		}
		for i := range got[0] {
			if x, y := i%w, i/w; (x > 64 || y > 64) && got[0][i] != want[0][i] {
				t.Fatalf("%g at (0, 0) changes sample (%d, %d)", bad, x, y)
			}
		}
	}
}

func TestDenoiseStopsWithTheContext(t *testing.T) {
	n := mustBuild(t, drawn(1, []int{16, 16}, 2))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	image := noisy(1, 20, 20)
	if err := n.DenoiseUneven(ctx, image, nil, 20, 20, 0.1, 2, nil); !errors.Is(err, context.Canceled) ||
		!equal(image, noisy(1, 20, 20)) {
		t.Errorf("cancelled before: error %v", err)
	}
	ctx, cancel = context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	err := n.DenoiseUneven(ctx, noisy(1, 900, 900), nil, 900, 900, 0.1, 2, nil)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

// A small image is a single part, so there is progress within it.
func TestProgressGrowsToOne(t *testing.T) {
	n := mustBuild(t, drawn(1, []int{2, 3, 2}, 2))
	n.tile = 64
	for _, size := range [][2]int{{1, 1}, {40, 30}, {200, 90}} {
		var shares []float64
		image := noisy(1, size[0], size[1])
		must.Do(t, n.DenoiseUneven(t.Context(), image, nil, size[0], size[1], 0.1, 2,
			func(share float64) { shares = append(shares, share) }))
		if len(shares) < 20 || !slices.IsSorted(shares) || shares[0] <= 0 || shares[0] > 0.1 ||
			shares[len(shares)-1] != 1 {
			t.Errorf("%v: %v", size, shares)
		}
	}
}

func TestDenoiseChecksTheImage(t *testing.T) {
	n := mustBuild(t, drawn(1, []int{2}, 1))
	plane := make([]float32, 12)
	for name, c := range map[string]struct {
		planes        [][]float32
		width, height int
	}{
		"planes": {[][]float32{plane, plane}, 4, 3},
		"none":   {nil, 4, 3},
		"length": {[][]float32{plane}, 4, 4},
		"width":  {[][]float32{plane}, 0, 3},
		"height": {[][]float32{plane}, -4, -3},
		"huge":   {[][]float32{plane}, math.MaxInt32, 3},
	} {
		if n.DenoiseUneven(t.Context(), c.planes, nil, c.width, c.height, 1, 1, nil) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// The first call of a network keeps nothing that it prepares, later ones do. The results are the same.
func TestFirstCallIsLikeLaterOnes(t *testing.T) {
	const w, h = 50, 40
	n := mustBuild(t, drawn(1, []int{8, 9}, 2))
	want := noisy(1, w, h)
	denoise(t, n, want, w, h, 0.1, 2)
	if n.head.kept != nil {
		t.Error("the first call keeps its matrices")
	}
	for range 2 {
		got := noisy(1, w, h)
		denoise(t, n, got, w, h, 0.1, 2)
		if !slices.Equal(got[0], want[0]) {
			t.Fatal("another call gives another result")
		}
	}
	if n.head.kept == nil {
		t.Error("nothing is kept")
	}
}
