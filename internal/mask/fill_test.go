package mask

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Samples that are filled in have values of the picture, and all others stay.
func TestFillTakesWhatIsThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 40).Draw(t, "width")
		height := rapid.IntRange(1, 40).Draw(t, "height")
		p := scene(width, height, 0, 1, 0.2)
		m, _ := marks(t, len(p), "mask")
		for range rapid.IntRange(0, 3).Draw(t, "boxes") {
			x, y := rapid.IntRange(0, width-1).Draw(t, "x"), rapid.IntRange(0, height-1).Draw(t, "y")
			for i := range p {
				if i%width >= x && i/width >= y && i%width < x+20 {
					m.Mark(i)
				}
			}
		}
		for i := range m.All() {
			p[i] = 1e30
		}
		q := slices.Clone(p)
		m.Fill(q, width, height)
		if m.Len() == len(p) {
			return
		}
		for i, v := range q {
			if j := slices.Index(p, v); v == 1e30 || j < 0 || !m.Has(i) && v != p[i] {
				t.Fatalf("sample %d, %d became %g", i%width, i/width, v)
			}
		}
	})
}

// What is filled in goes on with the slope beside it, and has its noise.
func TestFillGoesOn(t *testing.T) {
	const sigma = 2.0
	p := scene(w, h, 0, 0, sigma)
	truth := func(i int) float64 { return 3*float64(i%w) - 2*float64(i/w) }
	for i := range p {
		p[i] += float32(truth(i))
	}
	m := set(p, -9999, func(i int) bool { return i%w > 50 && i%w < 90 && i/w > 20 && i/w < 100 })
	m.Fill(p, w, h)
	sum, squares, n := 0.0, 0.0, 0.0
	for i := range m.All() {
		if x := i % w; x < 58 || x > 82 {
			d := float64(p[i]) - truth(i)
			sum, squares, n = sum+d, squares+d*d, n+1
		}
	}
	if mean, rms := sum/n, math.Sqrt(squares/n); math.Abs(mean) > 0.5 || rms < 0.9*sigma || rms > 1.4*sigma {
		t.Errorf("mean %.2f and rms %.2f from the slope with noise of %g", mean, rms, sigma)
	}
}

func BenchmarkPicture(b *testing.B) {
	const width, height = 2000, 1500
	p := scene(width, height, 0, 1, 0.05)
	b.SetBytes(width * height)
	for b.Loop() {
		if Find(p, width, nil, 0).Len()+Flat([][]float32{p}, width, height, 0).Len() > 0 {
			b.Fatal("something is found")
		}
	}
}

func BenchmarkHoles(b *testing.B) {
	const width, height = 2000, 1500
	p := scene(width, height, 300, 1300, 4)
	set(p, -9999, func(i int) bool { return i%width > 900 && i/width > 200 || i%97 == 5 })
	b.SetBytes(width * height)
	for b.Loop() {
		q := slices.Clone(p)
		Find(q, width, nil, 0).Fill(q, width, height)
	}
}
