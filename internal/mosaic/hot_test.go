package mosaic

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Hot pixels are found in texture, too, and little else is taken for one.
func TestHotPixelsInTexture(t *testing.T) {
	const side, step, noise = 400, 13, 0.01
	r := rand.New(rand.NewPCG(1, 1))
	m := Mosaic{Width: side, Height: side, Colours: [2][2]int{{0, 1}, {1, 2}}}
	for i := range side * side {
		x, y := float64(i%side), float64(i/side)
		v := 0.25 + 0.03*math.Sin(x*1.1+3*math.Sin(y/17)) + 0.03*math.Sin(y*0.9+3*math.Sin(x/19))
		m.Pix = append(m.Pix, float32(v+noise*r.NormFloat64()))
	}
	var drawn []int
	for y := step; y < side-step; y += step {
		for x := step; x < side-step; x += step {
			drawn = append(drawn, y*side+x)
			m.Pix[y*side+x] = float32(0.5 + 0.5*r.Float64())
		}
	}
	found := m.RemoveHot(context.Background(), 2, func(int, float32) float32 { return noise })
	others := 0
	for _, at := range found {
		if !slices.Contains(drawn, at) {
			others++
		}
	}
	if share := float64(len(found)-others) / float64(len(drawn)); share < 0.95 || others > 1 {
		t.Errorf("%.3f of the hot pixels and %d other samples are replaced", share, others)
	}
}
