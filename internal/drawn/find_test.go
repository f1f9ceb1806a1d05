package drawn

import (
	goimage "image"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func one(p []float32) [][]float32 { return [][]float32{p} }

func TestWhatIsNoPicture(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	id := func(most int) func(int) float64 {
		all := rng.Perm(most)
		return func(cell int) float64 { return float64(all[cell%most]) }
	}
	for name, planes := range map[string][][]float32{
		"labels of touching cells":      one(cells(900, id(900))),
		"labels, not of full scale":     one(cells(60, id(60))),
		"five labels":                   one(cells(60, id(5))),
		"labels in colour":              {cells(300, id(300)), cells(300, id(300)), cells(300, id(300))},
		"text":                          one(strokes()),
		"text in colour":                {strokes(), strokes(), draw(func(int, int) float64 { return 0 })},
		"ordered dither of 2 levels":    one(ordered(2)),
		"ordered dither of 4 levels":    one(ordered(4)),
		"ordered dither of 16 levels":   one(ordered(16)),
		"error diffusion of 2 levels":   one(diffused(2)),
		"error diffusion of 8 levels":   one(diffused(8)),
		"error diffusion, three planes": {diffused(4), diffused(3), diffused(2)},
	} {
		if m := Find(planes, across, down, 0); !m.All() || m.Some() {
			t.Errorf("%s: a picture in %v", name, m.Picture())
		}
	}
}

func TestPictures(t *testing.T) {
	strong := noisy(0.2, 256)
	for name, p := range map[string][]float32{
		"without noise":           draw(slope),
		"without noise, 8 bits":   noisy(0, 256),
		"weak noise, 8 bits":      noisy(0.5/255, 256),
		"noise, 8 bits":           noisy(10.0/255, 256),
		"noise, 16 levels":        noisy(0.05, 16),
		"noise, 8 levels":         noisy(0.08, 8),
		"noise, 4 levels":         noisy(0.15, 4),
		"hardly any photons":      photons(0.02),
		"few photons":             photons(0.3),
		"photons":                 photons(5),
		"clipped noise":           draw(func(x, y int) float64 { return max(0, float64(strong[y*across+x])-0.6) }),
		"noise, enlarged 2 times": repeated(noisy(0.1, 256), 2),
		"noise, enlarged 4 times": repeated(noisy(0.1, 256), 4),
		"one level":               make([]float32, across*down),
	} {
		if m := Find(one(p), across, down, 0); !reflect.DeepEqual(m, Map{}) {
			t.Errorf("%s: all drawn: %v, a picture in %v", name, m.All(), m.Picture())
		}
	}
}

// page has a picture in an area of text.
func page(area goimage.Rectangle) (text, both []float32) {
	text, picture := strokes(), noisy(0.03, 256)
	both = slices.Clone(text)
	copyArea(one(both), one(picture), area, across)
	return text, both
}

// The outline of a picture in a text is found, and what is around it can be restored.
func TestPictureInText(t *testing.T) {
	for _, area := range []goimage.Rectangle{
		goimage.Rect(64, 48, 224, 176), goimage.Rect(75, 53, 211, 170),
		goimage.Rect(0, 0, 131, 133), goimage.Rect(190, 100, across, down),
	} {
		text, both := page(area)
		m := Find(one(both), across, down, 0)
		if !m.Some() || m.Picture() != area {
			t.Errorf("a picture in %v, want %v", m.Picture(), area)
		}
		part := goimage.Rect(30, 20, 260, 200)
		before, changed := one(make([]float32, part.Dx()*part.Dy())), one(make([]float32, part.Dx()*part.Dy()))
		for i := range before[0] {
			before[0][i] = both[(part.Min.Y+i/part.Dx())*across+part.Min.X+i%part.Dx()]
		}
		m.Restore(changed, before, part)
		for i, v := range changed[0] {
			at := part.Min.Add(goimage.Pt(i%part.Dx(), i/part.Dx()))
			if want := text[at.Y*across+at.X]; !at.In(area) && v != want || at.In(area) && v != 0 {
				t.Fatalf("%v: %g at %v, the text has %g", area, v, at, want)
			}
		}
	}
}

// Samples of any distribution that are independent of each other are noise, however few levels they have.
func TestIndependentSamplesAreNoise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shares := rapid.SliceOfN(rapid.Float64Range(0.001, 1), 3, 12).Draw(t, "shares")
		total := 0.0
		for _, s := range shares {
			total += s
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		p := draw(func(int, int) float64 {
			v := rng.Float64() * total
			for i, s := range shares {
				if v -= s; v < 0 {
					return float64(i)
				}
			}
			return 0
		})
		if m := Find(one(p), across, down, 1); m.All() || m.Some() {
			t.Fatal("taken for a drawing")
		}
	})
}

// The result depends neither on workers, nor on the unit and the zero of samples, nor on which way the image lies.
func TestFindIsInvariant(t *testing.T) {
	_, mixed := page(goimage.Rect(75, 53, 211, 170))
	images := [][]float32{mixed, strokes(), ordered(4), diffused(3), noisy(0.05, 16), photons(0.3)}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(images).Draw(t, "image")
		want := Find(one(p), across, down, 1)
		scale := float32(math.Ldexp(1, rapid.IntRange(-8, 8).Draw(t, "scale")))
		scaled := make([]float32, len(p))
		for i, v := range p {
			scaled[i] = -scale * v
		}
		workers := rapid.IntRange(0, 5).Draw(t, "workers")
		if got := Find(one(scaled), across, down, workers); !reflect.DeepEqual(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
		turned := make([]float32, len(p))
		for i, v := range p {
			turned[i%across*down+i/across] = v
		}
		got := Find(one(turned), down, across, 1)
		if got.All() != want.All() || got.Some() != want.Some() {
			t.Fatalf("turned: %v, want %v", got, want)
		}
	})
}

func TestOddImages(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, p := range [][]float32{{1}, {nan}, {inf, 0, 1, nan}, make([]float32, 17)} {
		if m := Find(one(p), len(p), 1, 0); m.All() || m.Some() {
			t.Errorf("%v: %v", p, m)
		}
	}
	if m := Find(nil, 40, 30, 0); m.All() || m.Some() {
		t.Errorf("no planes: %v", m)
	}
}

func BenchmarkFind(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	p := make([]float32, 4000*3000)
	for i := range p {
		p[i] = rng.Float32()
	}
	for b.Loop() {
		Find([][]float32{p, p, p}, 4000, 3000, 1)
	}
}
