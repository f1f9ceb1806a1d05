package level

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// whiteNoise is mid-gray with white noise of a level in gray levels.
func whiteNoise(width, height, planes int, sigma float64) [][]float32 {
	r := rand.New(rand.NewPCG(1, uint64(width)))
	p := make([][]float32, planes)
	for c := range p {
		p[c] = make([]float32, width*height)
		for i := range p[c] {
			p[c][i] = float32(0.5 + sigma/255*r.NormFloat64())
		}
	}
	return p
}

// An energy of white noise is the same at each scale once it is multiplied by the area of a sample.
func TestWhiteNoiseHasOneLevelAtAllScales(t *testing.T) {
	p := picture{whiteNoise(512, 512, 3, 10), 512, 512}
	for scale, blocks := range p.survey(0) {
		var s spectrum
		for i := range blocks {
			s.add(&blocks[i])
		}
		for i, got := range s.levels(scale, 3) {
			if want := math.Log(10); math.Abs(got-want) > 0.05 {
				t.Errorf("scale %d, band %d: level %.2f, want 10", scale, i, math.Exp(got))
			}
		}
	}
}

func TestFeaturesAreTheSameForAnyNumberOfWorkers(t *testing.T) {
	p := whiteNoise(300, 200, 3, 10)
	want := Features(p, 300, 200, 1)
	for _, workers := range []int{2, 3, 16} {
		if got := Features(p, 300, 200, workers); !slices.Equal(got, want) {
			t.Errorf("%d workers: other features than with one", workers)
		}
	}
}

// The windows are the same for a picture and for its mirror image across the diagonal, and bands do not tell directions
// apart. Only the blocks at full size differ a little, since those between the blocks of a JPEG file do.
func TestFeaturesDoNotDependOnDirection(t *testing.T) {
	const side = 256
	p := whiteNoise(side, side, 1, 10)
	q := [][]float32{make([]float32, side*side)}
	for i, v := range p[0] {
		p[0][i] = v + float32(0.1*math.Sin(float64(i%side)/5)) // stripes
	}
	for i := range q[0] {
		q[0][i] = p[0][i%side*side+i/side]
	}
	a, b := Features(p, side, side, 0), Features(q, side, side, 0)
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-3 {
			t.Errorf("feature %d is %g, and %g of the mirror image", i, a[i], b[i])
		}
	}
}

// Halving a picture moves its statistics from one scale to the one before.
func TestHalvedPictureReadsAsTheNextScale(t *testing.T) {
	p := picture{whiteNoise(64, 64, 3, 20), 64, 64}
	half := make([][]float32, 3)
	for c := range half {
		half[c] = make([]float32, 32*32)
		for i := range half[c] {
			x, y := 2*(i%32), 2*(i/32)
			half[c][i] = (p.planes[c][y*64+x] + p.planes[c][y*64+x+1] + p.planes[c][(y+1)*64+x] +
				p.planes[c][(y+1)*64+x+1]) / 4
		}
	}
	var s scratch
	s.load(&p, 0, 0)
	s.halve(3, 64)
	got := s.measure(3, 32, 6*32+12)
	var direct scratch
	for c, root := range []float64{math.Sqrt(3), math.Sqrt(2), math.Sqrt(6)} {
		for i := range half[0] {
			r, g, b := float64(half[0][i]), float64(half[1][i]), float64(half[2][i])
			direct.planes[c][i] = float32(255 / root * []float64{r + g + b, r - b, r - 2*g + b}[c])
		}
	}
	want := direct.measure(3, 32, 6*32+12)
	for i := range bands {
		if math.Abs(float64(got.luma[i]/want.luma[i]-1)) > 1e-3 ||
			math.Abs(float64(got.chroma[i]/want.chroma[i]-1)) > 1e-3 {
			t.Errorf("band %d: %g and %g, want %g and %g", i, got.luma[i], got.chroma[i], want.luma[i], want.chroma[i])
		}
	}
}

// The transform is orthonormal: it keeps the energy.
func TestEnergiesSumUpToThatOfTheBlock(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var v [64]float32
	sum, squares := 0.0, 0.0
	for i := range v {
		v[i] = float32(r.NormFloat64())
		sum += float64(v[i])
		squares += float64(v[i]) * float64(v[i])
	}
	var e [bands]float32
	var c coefficients
	c.transform(v[:], 8)
	c.energies(&e)
	mean := c[0] / 8
	if math.Abs(float64(mean)-sum/64) > 1e-5 {
		t.Errorf("mean %g, want %g", mean, sum/64)
	}
	got := sum * sum / 64
	for i := range e {
		got += float64(e[i] * bandSize[i])
	}
	if math.Abs(got/squares-1) > 1e-5 {
		t.Errorf("energy %g, want %g", got, squares)
	}
	for i := range v {
		v[i] = 0.1
	}
	e = [bands]float32{}
	c.transform(v[:], 8)
	c.energies(&e)
	if e != [bands]float32{} {
		t.Errorf("a flat block has energies %g", e)
	}
}

func TestWindowsStayInside(t *testing.T) {
	for _, size := range [][2]int{{64, 64}, {65, 64}, {100, 71}, {64, 5000}, {5000, 64}, {4000, 3000}, {63, 5000}} {
		p := picture{width: size[0], height: size[1]}
		corners := p.windows()
		if want := min(size[0], size[1]) >= windowSide; (len(corners) > 0) != want {
			t.Errorf("%v has %d windows", size, len(corners))
		}
		if len(corners) > maxWindows {
			t.Errorf("%v has %d windows", size, len(corners))
		}
		for _, c := range corners {
			if c[0] < 0 || c[1] < 0 || c[0]+windowSide > size[0] || c[1]+windowSide > size[1] || c[0]%8+c[1]%8 != 0 {
				t.Errorf("%v has a window at %v", size, c)
			}
		}
	}
}

func BenchmarkFeatures(b *testing.B) {
	p := whiteNoise(1024, 1024, 3, 10)
	for b.Loop() {
		Features(p, 1024, 1024, 1)
	}
}

// Long strips have windows too.
func TestWindowsOfStrips(t *testing.T) {
	for _, size := range [][2]int{{30000, windowSide}, {windowSide, 30000}, {60000, 2 * windowSide}, {5000, 4000}} {
		p := picture{width: size[0], height: size[1]}
		if n := len(p.windows()); n < maxWindows/2 || n > maxWindows {
			t.Errorf("%v: %d windows", size, n)
		}
	}
}
