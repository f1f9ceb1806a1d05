package scan

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestStripHasThePlaneAndInfinityAroundIt(t *testing.T) {
	p := Plane{5, 7, make([]float32, 35)}
	for i := range p.Pix {
		p.Pix[i] = float32(i)
	}
	const y0, height, window = 2, 6, 3
	var s, h strip
	s.gather(p, y0, height, window)
	h.downsample2(&s)
	value := func(x, y int) float32 {
		if x < 0 || y < 0 || x >= p.Width || y >= p.Height {
			return float32(math.Inf(1))
		}
		return p.Pix[y*p.Width+x]
	}
	for y := -window; y < height+window; y++ {
		for x := -window; x < p.Width+window; x++ {
			if got := s.pix[s.at(x, y)]; got != value(x, y0+y) {
				t.Errorf("(%d, %d) is %g", x, y, got)
			}
		}
	}
	for y := -1; y < (height+window)/2; y++ {
		for x := -1; x < 5; x++ {
			u, v := 2*x, y0+2*y
			want := (value(u, v) + value(u+1, v) + value(u, v+1) + value(u+1, v+1)) / 4
			if got := h.pix[h.at(x, y)]; got != want {
				t.Errorf("half the size: (%d, %d) is %g, not %g", x, y, got, want)
			}
		}
	}
}

// The coarse search finds repetitions at even offsets, for references in any position, and nothing outside the window.
func TestCoarseSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	p := Plane{120, 100, make([]float32, 120*100)}
	for y := range p.Height {
		for x := range p.Width {
			p.Pix[y*p.Width+x] = float32(rng.NormFloat64())
			if x >= 22 {
				p.Pix[y*p.Width+x] = p.Pix[y*p.Width+x-22] * 1.0001 // so that nearer ones differ less
			}
		}
	}
	for i, window := range []int{21, 22, 23, 45, 45} {
		coarseCount := 4 + 6*(i%2)
		b := New(assemblySize, 16, window, coarseCount)
		xs, ys := []int{1, 8, 19}, []int{0, 11}
		b.Open(p, 32, ys)
		b.Reset(48, xs)
		for i := range len(xs) * len(ys) {
			offsets := map[[2]int]bool{}
			b.CoarseSearch(i, func(dx, dy int) {
				if max(dx, -dx, dy, -dy) > window || dx%2 != 0 || dy%2 != 0 || dx == 0 && dy == 0 ||
					offsets[[2]int{dx, dy}] {
					t.Errorf("window %d: offset (%d, %d) of reference %d", window, dx, dy, i)
				}
				if rows := max(dy, -dy) / 2; rows > denseRows && rows%2 == 1 {
					t.Errorf("window %d: offset (%d, %d) of reference %d, far and odd", window, dx, dy, i)
				}
				offsets[[2]int{dx, dy}] = true
			})
			if len(offsets) != coarseCount {
				t.Errorf("window %d: %d offsets", window, len(offsets))
			}
			for _, dx := range []int{-44, -22, 22, 44} {
				if has := offsets[[2]int{dx, 0}]; has != (max(dx, -dx) <= window) {
					t.Errorf("window %d: offset %d of reference %d: %v", window, dx, i, has)
				}
			}
		}
	}
}
