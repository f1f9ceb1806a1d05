package patchify

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A linear change of the plane at half the size becomes the same change of the plane.
func TestAddInterpolatedOfALinearChange(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, h := rapid.IntRange(1, 20).Draw(rt, "w"), rapid.IntRange(1, 20).Draw(rt, "h")
		p := NewPlane(w, h)
		for i := range p.Pix {
			p.Pix[i] = float32(i*7%11) / 11
		}
		half := Downsample2(p, 1)
		if half.Width != (w+1)/2 || half.Height != (h+1)/2 {
			rt.Fatalf("%d x %d halved is %d x %d", w, h, half.Width, half.Height)
		}
		change := func(x, y float64) float32 { return float32(0.5 + 0.1*x - 0.2*y) }
		coarse, out := NewPlane(half.Width, half.Height), NewPlane(w, h)
		AddInterpolated(out, p, coarse, 1)
		if !slices.Equal(out.Pix, p.Pix) {
			rt.Fatal("no change changes the plane")
		}
		for i := range coarse.Pix {
			coarse.Pix[i] = change(2*float64(i%half.Width)+0.5, 2*float64(i/half.Width)+0.5)
		}
		AddInterpolated(out, p, coarse, 1)
		for y := 1; y < h-2; y++ {
			for x := 1; x < w-2; x++ {
				want := p.Row(y)[x] + change(float64(x), float64(y))
				if d := math.Abs(float64(out.Row(y)[x] - want)); d > 1e-5 {
					rt.Fatalf("(%d, %d) is %g away", x, y, d)
				}
			}
		}
	})
}

func TestDownsample2KeepsTheMean(t *testing.T) {
	p := Plane{Width: 3, Height: 2, Pix: []float32{1, 2, 3, 5, 6, 7}}
	if got, want := Downsample2(p, 0).Pix, []float32{3.5, 5}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Bands of rows that are computed one by one give the same samples as the whole plane.
func TestRowsApart(t *testing.T) {
	const w, h = 701, 305 // several bands
	p := NewPlane(w, h)
	for i := range p.Pix {
		p.Pix[i] = float32(i*i%251) / 251
	}
	want := NewPlane((w+1)/2, (h+1)/2)
	want.downsample2(p, 0, want.Height)
	half := Downsample2(p, 3)
	if !slices.Equal(half.Pix, want.Pix) {
		t.Error("half the size differs")
	}
	sum, apart := NewPlane(w, h), NewPlane(w, h)
	addInterpolated(sum, p, half, 0, h)
	if AddInterpolated(apart, p, half, 3); !slices.Equal(apart.Pix, sum.Pix) {
		t.Error("the sum differs")
	}
}
