package mosaic

import (
	"context"
	"testing"

	"pgregory.net/rapid"
)

// A mosaic that is taken apart in any ways and put together again is the same, and no colour gets the samples of
// another.
func TestViewsCoverTheMosaic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Mosaic{Width: rapid.IntRange(2, 13).Draw(t, "width"), Height: rapid.IntRange(2, 13).Draw(t, "height"),
			Colours: rapid.SampledFrom([][2][2]int{{{0, 1}, {1, 2}}, {{2, 1}, {1, 0}}, {{1, 0}, {2, 1}}, {{1, 2},
				{0, 1}}}).Draw(t, "colours")}
		for i := range m.Width * m.Height {
			m.Pix = append(m.Pix, float32(i+1000*m.Colours[i/m.Width%2][i%m.Width%2]))
		}
		for _, all := range []bool{false, true} {
			sum := m.NewSum()
			for _, v := range Views(all) {
				planes := m.Picture(context.Background(), 2, v)
				for c, p := range planes {
					for _, s := range p {
						if int(s)/1000 != c {
							t.Fatalf("%v of colour %d in plane %d", s, int(s)/1000, c)
						}
					}
				}
				sum.Add(context.Background(), 2, v, planes)
			}
			for i, v := range m.Pix {
				if got := sum.Mean(i%m.Width, i/m.Width); got != v {
					t.Fatalf("sample %d is %v, not %v", i, got, v)
				}
			}
		}
	})
}
