package mosaic

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// drawMosaic draws a mosaic whose samples tell their place and colour.
func drawMosaic(t *rapid.T) Mosaic {
	m := Mosaic{Width: rapid.IntRange(2, 13).Draw(t, "width"), Height: rapid.IntRange(2, 13).Draw(t, "height"),
		Colours: rapid.SampledFrom([][2][2]int{{{0, 1}, {1, 2}}, {{2, 1}, {1, 0}}, {{1, 0}, {2, 1}}, {{1, 2},
			{0, 1}}}).Draw(t, "colours")}
	for i := range m.Width * m.Height {
		m.Pix = append(m.Pix, float32(i+1000*m.Colours[i/m.Width%2][i%m.Width%2]))
	}
	return m
}

// A turned mosaic has red at even rows and columns and blue at odd ones, and turning it back gives the samples.
func TestTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMosaic(t)
		turns := Turns(8)
		sum, seen := m, map[float32]bool{}
		sum.Pix = make([]float32, len(m.Pix))
		for _, turn := range turns {
			pix, width, height := m.Turned(context.Background(), 2, turn)
			if len(pix) != width*height {
				t.Fatalf("%d samples for %d x %d", len(pix), width, height)
			}
			for i, v := range pix {
				if got, want := int(v)/1000, i/width%2+i%width%2; got != want {
					t.Fatalf("%+v: colour %d at %d, %d", turn, got, i%width, i/width)
				}
			}
			seen[pix[0]] = true
			sum.AddTurned(context.Background(), 2, turn, pix)
		}
		for i, v := range m.Pix {
			if sum.Pix[i] != 8*v {
				t.Fatalf("sample %d is %v of 8 times %v", i, sum.Pix[i], v)
			}
		}
		if m.Width > 3 && m.Height > 3 && len(seen) != 4 {
			t.Errorf("the turns begin at %d corners", len(seen))
		}
	})
}

// The brightness holds half of green, and a quarter each of red and blue, everywhere.
func TestBrightness(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMosaic(t)
		for i := range m.Pix {
			m.Pix[i] = [3]float32{4, 6, 20}[m.Colours[i/m.Width%2][i%m.Width%2]]
		}
		for i, v := range m.Brightness() {
			if math.Abs(float64(v)-9) > 1e-5 {
				t.Fatalf("sample %d of %d x %d: %v", i, m.Width, m.Height, v)
			}
		}
	})
}
