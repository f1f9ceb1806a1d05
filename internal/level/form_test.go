package level

import (
	"math"
	"math/rand/v2"
	"testing"
)

// blocksOf returns the transforms of three planes.
func blocksOf(at func(c, x, y int) float64) []coefficients {
	list := make([]coefficients, 3)
	for c := range list {
		var v [blockSide * blockSide]float32
		for i := range v {
			v[i] = float32(at(c, i%blockSide, i/blockSide))
		}
		list[c].transform(v[:], blockSide)
	}
	return list
}

func TestFormOfNoiseAndTexture(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, test := range []struct {
		name                string
		at                  func(c, x, y int) float64
		slant, peak, tie    float64
		slantMost, peakMost float64
		tieMost             float64
	}{
		{"noise", func(int, int, int) float64 { return r.NormFloat64() }, 0, 0, 0, 0.3, 0.25, 0.35},
		{"stripes", func(_, x, y int) float64 {
			return math.Sin(1.7*float64(x)) + math.Sin(2.7*float64(x))*math.Cos(1.2*float64(y))
		}, 0.8, 0.3, 0.99, 1, 1, 1.01},
	} {
		var mean form
		const n = 200
		for range n {
			var f form
			f.measure(blocksOf(test.at))
			for part := range parts {
				mean.slant[part] += f.slant[part] / n
				mean.peak[part] += f.peak[part] / n
				mean.tie[part] += f.tie[part] / n
			}
		}
		for part := range parts {
			for _, v := range [][3]float64{
				{float64(mean.slant[part]), test.slant, test.slantMost},
				{float64(mean.peak[part]), test.peak, test.peakMost},
				{float64(mean.tie[part]), test.tie, test.tieMost},
			} {
				if v[0] < v[1] || v[0] > v[2] {
					t.Errorf("%s, part %d: %.3f is not within %g and %g", test.name, part, v[0], v[1], v[2])
				}
			}
		}
	}
}

// A form does not change with the contrast.
func TestFormHasNoContrast(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	planes := blocksOf(func(int, int, int) float64 { return 3 * r.NormFloat64() })
	var a, b form
	a.measure(planes)
	for c := range planes {
		for i := range planes[c] {
			planes[c][i] *= 4
		}
	}
	b.measure(planes)
	if a != b {
		t.Errorf("%v, and %v at four times the contrast", a, b)
	}
	var flat form
	flat.measure(make([]coefficients, 3))
	if flat != (form{}) {
		t.Errorf("a flat block has the form %v", flat)
	}
}

// The level of white noise is the same in all classes of blocks.
func TestWhiteNoiseHasOneLevelInAllClasses(t *testing.T) {
	p := picture{whiteNoise(512, 512, 3, 10), 512, 512}
	all := p.survey(0)
	f := byCoarse(all[0], 0, 3)
	for i, v := range f[6:12] { // behind the form of the first class
		if math.Abs(v) > 0.05 {
			t.Errorf("level %d of the second class differs by %g", i, v)
		}
	}
}
