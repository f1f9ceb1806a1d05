package mosaic

import (
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// mosaicOf returns the mosaic of colours.
func mosaicOf(width, height int, colours [2][2]int, of func(c, x, y int) float32) Mosaic {
	m := Mosaic{Width: width, Height: height, Colours: colours}
	for y := range height {
		for x := range width {
			m.Pix = append(m.Pix, of(colours[y%2][x%2], x, y))
		}
	}
	return m
}

var patterns = [][2][2]int{{{0, 1}, {1, 2}}, {{1, 0}, {2, 1}}, {{1, 2}, {0, 1}}, {{2, 1}, {1, 0}}}

// Colours that change evenly are found exactly, but for the edges. A sharp edge of gray stays gray.
func TestInterpolated(t *testing.T) {
	ramp := func(c, x, y int) float32 { return 0.2 + 0.1*float32(c) + 0.004*float32(x) + 0.002*float32(y) }
	edge := func(_, x, _ int) float32 { return float32(x / 20 % 2) }
	const w, h = 41, 30
	area := image.Rect(5, 6, 35, 24)
	for _, p := range patterns {
		for name, of := range map[string]func(c, x, y int) float32{"ramp": ramp, "edge": edge} {
			for c, plane := range mosaicOf(w, h, p, of).Interpolated(area) {
				for i, v := range plane {
					x, y := area.Min.X+i%area.Dx(), area.Min.Y+i/area.Dx()
					if want := of(c, x, y); math.Abs(float64(v-want)) > 1e-4 {
						t.Fatalf("%s, %v: colour %d at %d, %d is %g, want %g", name, p, c, x, y, v, want)
					}
				}
			}
		}
	}
}

// An area has the colours of the whole, and every sample its own.
func TestInterpolatedArea(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	m := mosaicOf(23, 20, patterns[1], func(int, int, int) float32 { return r.Float32() })
	whole := m.Interpolated(image.Rect(0, 0, m.Width, m.Height))
	for i, v := range m.Pix {
		if c := m.Colours[i/m.Width%2][i%m.Width%2]; whole[c][i] != v {
			t.Fatalf("sample %d is %g, was %g", i, whole[c][i], v)
		}
	}
	area := image.Rect(3, 8, 10, 11)
	for c, p := range m.Interpolated(area) {
		for y := range area.Dy() {
			if !slices.Equal(p[y*area.Dx():][:area.Dx()], whole[c][(area.Min.Y+y)*m.Width+area.Min.X:][:area.Dx()]) {
				t.Errorf("colour %d, row %d of an area differs", c, y)
			}
		}
	}
}

// Noise does not become lines along rows or columns, as where the better direction is chosen: green differs from that
// beside it about as much as from that above it.
func TestInterpolatedNoiseIsNoMaze(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	m := mosaicOf(200, 200, patterns[0], func(int, int, int) float32 { return float32(0.5 + 0.05*r.NormFloat64()) })
	p := m.Interpolated(image.Rect(0, 0, m.Width, m.Height))[green]
	less, more := 0.0, 0.0
	for y := 1; y < m.Height-1; y++ {
		for x := 1; x < m.Width-1; x++ {
			if m.Colours[y%2][x%2] != green {
				i := y*m.Width + x
				row := math.Abs(float64(p[i-1] + p[i+1] - 2*p[i]))
				column := math.Abs(float64(p[i-m.Width] + p[i+m.Width] - 2*p[i]))
				less, more = less+min(row, column), more+max(row, column)
			}
		}
	}
	if more > 2.65*less {
		t.Errorf("%.2f times as much in one direction as in the other", more/less)
	}
}
