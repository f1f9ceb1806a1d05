package unet

import (
	"runtime"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

func TestSpansCoverTheImage(t *testing.T) {
	for levels := 1; levels <= maxLevels; levels++ {
		for _, tile := range []int{50, 256, tileSide} {
			n := &Network{levels: make([]level, levels), tile: tile}
			for size := 1; size < 3*tile; size += 7 {
				at, unit := 0, 2*n.step()
				list := n.spans(size)
				for _, s := range list {
					if s.from != at || s.to <= s.from || s.start > s.from-border || s.end < s.to+border {
						t.Fatalf("%d levels, %d samples: %+v after %d", levels, size, s, at)
					}
					if (s.start-list[0].start)%unit != 0 || (s.end-s.start)%unit != 0 ||
						s.to-s.from > roundUp(tile, unit) {
						t.Fatalf("%d levels, %d samples: %+v", levels, size, s)
					}
					at = s.to
				}
				if at != size {
					t.Fatalf("%d levels: %d of %d samples", levels, at, size)
				}
			}
		}
	}
}

func TestMirror(t *testing.T) {
	for n, want := range map[int][]int{1: {0, 0, 0, 0, 0, 0, 0}, 2: {1, 0, 1, 0, 1, 0, 1}, 3: {1, 2, 1, 0, 1, 2, 1},
		9: {3, 2, 1, 0, 1, 2, 3}} {
		for i, want := range want {
			if got := mirror(i-3, n); got != want {
				t.Errorf("place %d of %d is %d, not %d", i-3, n, got, want)
			}
		}
	}
}

func TestMemory(t *testing.T) {
	n := mustBuild(t, drawn(2, []int{5, 7, 6}, 1))
	n.tile = 64
	for range 2 { // from the second call on, it keeps what it has prepared
		must.Do(t, n.DenoiseUneven(t.Context(), noisy(2, 8, 8), nil, 8, 8, 0.1, 1, nil))
	}
	for _, size := range [][2]int{{1, 1}, {60, 300}, {300, 60}, {200, 190}} {
		for _, workers := range []int{1, 3} {
			image := noisy(2, size[0], size[1])
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			must.Do(t, n.DenoiseUneven(t.Context(), image, nil, size[0], size[1], 0.1, workers, nil))
			runtime.ReadMemStats(&after)
			got, want := float64(after.TotalAlloc-before.TotalAlloc), float64(n.Memory(size[0], size[1], workers))
			if got < 0.98*want || got > 1.1*want+1e5 {
				t.Errorf("%v, %d workers: %.0f bytes, not %.0f", size, workers, got, want)
			}
		}
	}
	if m := n.Memory(0, 5, 1); m != 0 {
		t.Errorf("%d bytes for no image", m)
	}
}
