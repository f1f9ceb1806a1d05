package mask

import (
	"math"
	"math/rand/v2"
	"testing"
)

// scene returns a smooth picture from low to high with some noise.
func scene(width, height int, low, high, sigma float64) []float32 {
	r := rand.New(rand.NewPCG(1, 2))
	p := make([]float32, width*height)
	for i := range p {
		x, y := float64(i%width), float64(i/width)
		v := low + (high-low)*(0.5+0.25*math.Sin(x/19)+0.25*math.Cos(y/13))
		p[i] = float32(v + sigma*r.NormFloat64())
	}
	return p
}

// set gives samples a value, and marks them.
func set(p []float32, value float32, where func(i int) bool) *Mask {
	m := New(len(p))
	for i := range p {
		if where(i) {
			p[i] = value
			m.Mark(i)
		}
	}
	return m
}

func same(a, b *Mask) bool { return a.Without(b).Len() == 0 && b.Without(a).Len() == 0 }

const w, h = 160, 120

// What is no picture is found, and all of it.
func TestFind(t *testing.T) {
	hole := func(i int) bool { return i%w > 40 && i%w < 90 && i/w > 30 }
	most := func(i int) bool { return i%w > 30 }
	few := func(i int) bool { return i%97 == 5 }
	one := func(i int) bool { return i == w*50+70 }
	corner := func(i int) bool { return i == 0 }
	for name, c := range map[string]struct {
		low, high, sigma float64
		value            float32
		where            func(i int) bool
	}{
		"height model":       {300, 1300, 4, -9999, hole},
		"most is missing":    {300, 1300, 4, -32768, most},
		"huge":               {0, 1, 0.05, 1e20, hole},
		"GDAL":               {0, 1, 0.05, -math.MaxFloat32, hole},
		"NetCDF":             {-3, 3, 0.1, 9.96921e36, few},
		"no echo":            {1100, 3900, 9, 0, few},
		"hot pixels":         {7000, 7700, 6, 65535, few},
		"one hot pixel":      {7000, 7700, 6, 20000, one},
		"one dead pixel":     {7000, 7700, 6, 0, one},
		"one wild sample":    {0, 1, 0.05, 1e6, one},
		"wild in the corner": {0, 1, 0.05, -1e30, corner},
	} {
		p := scene(w, h, c.low, c.high, c.sigma)
		want := set(p, c.value, c.where)
		if got := Find(p, w, nil, 0); !same(got, want) {
			t.Errorf("%s: %d samples are found, not %d", name, got.Len(), want.Len())
		}
	}
}

// Several kinds do not hide each other.
func TestFindSeveral(t *testing.T) {
	p := scene(w, h, 300, 1300, 4)
	want := set(p, -9999, func(i int) bool { return i/w < 20 })
	want = want.Union(set(p, 1e20, func(i int) bool { return i%61 == 3 }))
	want = want.Union(set(p, 9000, func(i int) bool { return i == 70*w+33 }))
	if got := Find(p, w, nil, 0); !same(got, want) {
		t.Errorf("%d samples are found, not %d", got.Len(), want.Len())
	}
	known := Equal(p, -9999)
	if got := Find(p, w, known, 0); !same(got.Union(known), want) || got.Has(0) {
		t.Errorf("besides %d known ones, %d samples are found", known.Len(), got.Len())
	}
}

// What is a picture stays one.
func TestFindNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	counts := func(mean float64) []float32 {
		p := make([]float32, w*h)
		for i := range p {
			for k, q := 0, math.Exp(-mean); r.Float64() > q && k < 50; k++ { // nearly that of photons
				p[i]++
			}
		}
		return p
	}
	stars := scene(w, h, 100, 103, 1)
	for range 60 { // with the point spread of a lens
		x, y, peak := 5+r.IntN(w-10), 5+r.IntN(h-10), 200*math.Exp(4*r.Float64())
		for dy := -4; dy <= 4; dy++ {
			for dx := -4; dx <= 4; dx++ {
				stars[(y+dy)*w+x+dx] += float32(peak * math.Exp(-float64(dx*dx+dy*dy)/1.2))
			}
		}
	}
	clipped := scene(w, h, -0.3, 1.3, 0.05)
	for i, v := range clipped {
		clipped[i] = min(max(v, 0), 1)
	}
	steps := scene(w, h, 0, 6, 0.5)
	for i, v := range steps {
		steps[i] = float32(math.Round(float64(v)))
	}
	two := make([]float32, w*h)
	set(two, 1, func(i int) bool { return i%50 < 9 })
	for name, p := range map[string][]float32{
		"picture": scene(w, h, 0, 1, 0.05), "stars": stars, "clipped": clipped, "few levels": steps, "two levels": two,
		"one level": make([]float32, w*h), "many photons": counts(0.8), "few photons": counts(0.2),
		"one sample": {1}, "none": {},
	} {
		if got := Find(p, w, nil, 0); got.Len() > 0 {
			t.Errorf("%s: %d samples are taken for no picture", name, got.Len())
		}
	}
}

// Samples that are no numbers are nobody's business here.
func TestFindInNaN(t *testing.T) {
	p := scene(w, h, 0, 1, 0.05)
	for i := range p {
		switch i % 3 {
		case 0:
			p[i] = float32(math.NaN())
		case 1:
			p[i] = float32(math.Inf(1 - i%2))
		}
	}
	if got := Find(p, w, nil, 0); got.Len() > 0 {
		t.Errorf("%d samples are found", got.Len())
	}
	Flat([][]float32{p}, w, h, 0)
}

// A single sample is told from a hole.
func TestSingle(t *testing.T) {
	m := New(w * h)
	for i := range w * h {
		if i%w > 40 && i%w < 90 && i/w > 30 && i/w < 60 || i%97 == 5 && i/w > 70 {
			m.Mark(i)
		}
	}
	single := m.Single(w, h, func(i int) bool { return i%2 == 1 })
	for i := range m.All() {
		if want := i/w > 70 && i%2 == 1; single.Has(i) != want {
			t.Fatalf("sample %d, %d: %v", i%w, i/w, !want)
		}
	}
}
