package mask

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// An area is found, but for some samples in sharp corners, and it is the same in all planes.
func TestFlat(t *testing.T) {
	one, other := scene(w, h, 0, 1, 0.05), scene(w, h, 1, 0, 0.05)
	frame := func(i int) bool { return i/w < 18 || i%w > 130 }
	slope := func(i int) bool { return i/w > 60+i%w/3 }
	want := set(one, 0.5, frame).Union(set(one, 0, slope))
	set(other, 0.25, frame)
	set(other, 0, slope)
	if got := Flat([][]float32{one, other}, w, h, 0); want.Without(got).Len() > 8 || got.Without(want).Len() > 0 {
		t.Errorf("%d samples are missed, and %d are none", want.Without(got).Len(), got.Without(want).Len())
	}
	if got := Flat([][]float32{one, scene(w, h, 0, 1, 0.05)}, w, h, 0); got.Len() > 0 {
		t.Errorf("%d samples have one value in one plane only", got.Len())
	}
}

// Zeros between noise are no area.
func TestCutOffNoiseIsNotFlat(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	p := make([]float32, w*h)
	for i := range p {
		if i%w > 60 {
			p[i] = float32(max(r.NormFloat64()-0.3, 0))
		}
	}
	got := Flat([][]float32{p}, w, h, 0)
	for i := range w * h {
		if i%w <= 60 && !got.Has(i) || i%w > 64 && got.Has(i) {
			t.Fatalf("sample %d, %d is wrong", i%w, i/w)
		}
	}
}

// All marked samples have the value of a neighbour, whatever the picture.
func TestFlatIsFlat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(1, 60).Draw(t, "width"), rapid.IntRange(1, 60).Draw(t, "height")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		p := make([]float32, width*height)
		for range rapid.IntRange(0, 9).Draw(t, "boxes") {
			x, y, v := r.IntN(width), r.IntN(height), float32(r.IntN(3))
			for dy := range min(height-y, 1+r.IntN(40)) {
				for dx := range min(width-x, 1+r.IntN(40)) {
					p[(y+dy)*width+x+dx] = v
				}
			}
		}
		m := Flat([][]float32{p}, width, height, 0)
		for i := range m.All() {
			x := i % width
			if !(x > 0 && m.Has(i-1) && p[i-1] == p[i] || x < width-1 && m.Has(i+1) && p[i+1] == p[i]) {
				t.Fatalf("sample %d, %d is alone", x, i/width)
			}
		}
	})
}

// Bars are put around a noisy picture. The paper of a drawing is a part of it.
func TestInPicture(t *testing.T) {
	noisy := scene(w, h, 0, 1, 0.05)
	set(noisy, 0, func(i int) bool { return i/w < 30 })
	drawn := make([]float32, w*h)
	for i := range drawn { // lines with soft edges
		drawn[i] = [40]float32{0.3, 0.8, 1, 0.6, 0.1}[(i%w+i/w)%40]
	}
	ramp := make([]float32, w*h)
	for i := range ramp {
		ramp[i] = float32(max(i%w-60, 0) / 4)
	}
	for name, c := range map[string]struct {
		plane []float32
		want  bool
	}{"noisy": {noisy, true}, "lines": {drawn, false}, "ramp": {ramp, false}} {
		planes := [][]float32{c.plane}
		m := Flat(planes, w, h, 0)
		if m.Len() == 0 || m.InPicture(planes, w, h, 0) != c.want {
			t.Errorf("%s: %d samples are flat, in a picture: %v", name, m.Len(), !c.want)
		}
	}
}

// A square may cross the edge of a band of rows. It is found as in an image without bands.
func TestSquaresReachOverBands(t *testing.T) {
	const width, height = 50, 700
	r := rand.New(rand.NewPCG(7, 8))
	p := scene(width, height, 0, 1, 0.05)
	for range 60 {
		x, y, side := r.IntN(width), r.IntN(height), 1+r.IntN(30)
		set(p, 0.5, func(i int) bool {
			dx, dy := i%width-x, i/width-y
			return min(dx, dy) >= 0 && max(dx, dy) < side
		})
	}
	planes, want := [][]float32{p}, make([]uint8, width*height)
	seeds := squaresIn(planes, want, width, 0, height)
	got, others := squares(planes, width, height, 3)
	if !slices.Equal(got, want) || !slices.Equal(others, seeds) || len(seeds) == 0 {
		t.Errorf("%d seeds, not %d, or other sides", len(others), len(seeds))
	}
}
