package dither

import (
	goimage "image"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// draw returns planes of a function of the place, in levels of 255.
func draw(planes, width, height int, level func(c, x, y int) float64) (p Picture) {
	p = Picture{Width: width, Levels: 255}
	for c := range planes {
		plane := make([]float32, 0, width*height)
		for i := range width * height {
			plane = append(plane, float32(level(c, i%width, i/width)/255))
		}
		p.Planes = append(p.Planes, plane)
	}
	return p
}

// copied returns a picture with samples of its own.
func (p Picture) copied() Picture {
	p.Planes = slices.Clone(p.Planes)
	for c := range p.Planes {
		p.Planes[c] = slices.Clone(p.Planes[c])
	}
	return p
}

func isLevel(v float32) bool { return v == float32(math.Round(float64(v)*255))/255 }

// On a soft ramp, means over small areas follow the ramp, where rounding would leave steps.
func TestRampHasNoSteps(t *testing.T) {
	ramp := func(_, x, _ int) float64 { return 80 + 0.02*float64(x) }
	p := draw(1, 240, 32, ramp)
	p.Round(p.bounds(), 0)
	far := func(of func(i int) float64) (worst float64) {
		for x := 0; x+16 <= p.Width; x += 4 {
			sum := 0.0
			for i := range 16 * 16 {
				at := x + i%16 + i/16*p.Width
				sum += of(at) - ramp(0, x+i%16, i/16)
			}
			worst = max(worst, math.Abs(sum/256))
		}
		return worst
	}
	dithered := far(func(i int) float64 { return float64(p.Planes[0][i]) * 255 })
	rounded := far(func(i int) float64 { return math.Round(ramp(0, i%p.Width, i/p.Width)) })
	if dithered > 0.2 || rounded < 0.3 {
		t.Errorf("means are up to %.2f levels off, and after rounding %.2f", dithered, rounded)
	}
	for i, v := range p.Planes[0] {
		if !isLevel(v) || math.Abs(float64(v)*255-ramp(0, i%p.Width, i/p.Width)) > 1 {
			t.Fatalf("sample %d became %g", i, v*255)
		}
	}
}

// Texture stays as it is, to be rounded, also if only one of the planes has some. Levels of the file stay what they
// are.
func TestWhatIsLeftAlone(t *testing.T) {
	for name, p := range map[string]Picture{
		"texture":      draw(1, 40, 30, func(_, x, y int) float64 { return 90.3 + 4*float64((x+y)%2) }),
		"in one plane": draw(3, 40, 30, func(c, x, y int) float64 { return 90.3 + 4*float64(c/2*((x+y)%2)) }),
		"levels":       draw(1, 40, 30, func(_, x, y int) float64 { return float64(90 + (x+y)/32) }),
		"nearly":       draw(1, 40, 30, func(_, x, y int) float64 { return 90.17 }),
	} {
		before := p.copied()
		p.Round(p.bounds(), 0)
		for c := range p.Planes {
			for i, v := range p.Planes[c] {
				if want := before.Planes[c][i]; v != want && (name != "nearly" || v != 90./255) {
					t.Fatalf("%s: sample %d of plane %d: %g became %g", name, i, c, want*255, v*255)
				}
			}
		}
	}
}

// Parts have the samples of the whole, whatever the number of workers. Samples outside of the area stay.
func TestPartsEqualTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 50).Draw(t, "width"), rapid.IntRange(1, 50).Draw(t, "height")
		slope, bump := rapid.Float64Range(0, 0.5).Draw(t, "slope"), rapid.IntRange(0, 40).Draw(t, "bump")
		p := draw(rapid.IntRange(1, 4).Draw(t, "planes"), w, h, func(c, x, y int) float64 {
			return math.Abs(slope*float64(x-y/2+c)) + 5*float64(max(0, 3-max(x-bump, bump-x)))
		})
		x, y := rapid.IntRange(0, w-1).Draw(t, "x"), rapid.IntRange(0, h-1).Draw(t, "y")
		area := goimage.Rect(x, y, rapid.IntRange(x+1, w).Draw(t, "right"), rapid.IntRange(y+1, h).Draw(t, "bottom"))
		whole := p.copied()
		whole.Round(whole.bounds(), 1)

		seen := area.Inset(-Reach).Intersect(p.bounds())
		part := Picture{Width: seen.Dx(), At: seen.Min, Levels: p.Levels}
		for _, plane := range p.Planes {
			var cut []float32
			for y := seen.Min.Y; y < seen.Max.Y; y++ {
				cut = append(cut, plane[y*w+seen.Min.X:][:seen.Dx()]...)
			}
			part.Planes = append(part.Planes, cut)
		}
		part.Round(area, 3)
		for c := range p.Planes {
			for i, v := range part.Planes[c] {
				at := seen.Min.Add(goimage.Pt(i%part.Width, i/part.Width))
				want := p.Planes[c][at.Y*w+at.X]
				if at.In(area) {
					want = whole.Planes[c][at.Y*w+at.X]
				}
				if v != want {
					t.Fatalf("plane %d, %v: %g, not %g", c, at, v*255, want*255)
				}
			}
		}
	})
}

func TestNothingToRound(t *testing.T) {
	Picture{}.Round(goimage.Rect(0, 0, 1, 1), 1)
	p := draw(1, 8, 8, func(int, int, int) float64 { return 1.5 })
	p.Round(goimage.Rectangle{}, 1)
	if isLevel(p.Planes[0][0]) {
		t.Error("samples outside of the area have changed")
	}
}
