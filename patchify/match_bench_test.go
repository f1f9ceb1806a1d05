package patchify

import (
	"fmt"
	"testing"
)

// scenePlane returns a plane with edges, textures, repetitions and noise.
func scenePlane(w, h int) Plane {
	p := randomPlane(w, h, 1)
	for y := range h {
		for x, v := range p.Row(y) {
			v *= 40
			if x/40%2 == y/56%2 {
				v += 60
			}
			if x*x+y*y < w*h/2 && x%13 < 5 {
				v += 30
			}
			p.Row(y)[x] = v + float32(x+y)/16
		}
	}
	return p
}

// BenchmarkMatch reports seconds per megapixel on one core.
func BenchmarkMatch(b *testing.B) {
	for _, window := range []int{8, 18, 45} {
		b.Run(fmt.Sprint("window", window), func(b *testing.B) {
			p := scenePlane(660, 396)
			m := Matching{PatchSize: 8, Count: 16, Window: window}
			g, err := NewGrid(p.Width, p.Height, m.PatchSize, 3)
			must(b, err)
			dst, matcher := make([]int32, g.Len()*m.Count), NewMatcher(m)
			for b.Loop() {
				matcher.Match(dst, p, g)
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/float64(p.Width*p.Height)*1e6, "s/MP")
		})
	}
}
