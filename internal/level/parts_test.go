package level

import (
	"math"
	"testing"
)

func TestPartsLieInThePicture(t *testing.T) {
	for _, size := range [][2]int{{100, 100}, {639, 5000}, {640, 640}, {641, 3000}, {6000, 4000}, {960, 1000}} {
		w, h := size[0], size[1]
		all := partsOf(w, h)
		if small := min(w, h) < 640; small != (len(all) == 0) || len(all) > 9 {
			t.Errorf("%d parts of %v", len(all), size)
		}
		for i, a := range all {
			if a.x < 0 || a.y < 0 || a.x+a.width > w || a.y+a.height > h || a.x%16 != 0 || a.y%16 != 0 {
				t.Errorf("%v: %+v", size, a)
			}
			for _, b := range all[:i] {
				if a.x < b.x+b.width && b.x < a.x+a.width && a.y < b.y+b.height && b.y < a.y+a.height {
					t.Errorf("%v: %+v and %+v overlap", size, a, b)
				}
			}
		}
	}
}

func TestPartsBoundTheLevel(t *testing.T) {
	whole := Estimate{Sigma: 0.1, Spread: 0.2, Known: true}
	of := func(sigmas ...float64) (parts []Estimate) {
		for _, s := range sigmas {
			parts = append(parts, Estimate{Sigma: s, Known: s > 0})
		}
		return parts
	}
	for name, c := range map[string]struct {
		parts []Estimate
		want  float64
	}{
		"none":            {nil, 0.1},
		"two":             {of(0.01, 0.01), 0.1},
		"two are known":   {of(0.01, 0, 0.01, 0), 0.1},
		"between two":     {of(0.04, 0.02, 0.05, 0.05), 0.02 * math.Pow(2, 0.45)},
		"fine noise":      {of(0.01, 0.01, 0.01), 0.015},
		"two are wrong":   {of(0.001, 0.001, 0.08, 0.08, 0.08, 0.08, 0.08, 0.08, 0.08), 0.04},
		"of three":        {of(0.04, 0.02, 0.3), 0.02 * math.Pow(2, 0.3)},
		"all are higher":  {of(0.2, 0.3, 0.4), 0.1},
		"one is very low": {of(1e-6, 0.09, 0.09, 0.09, 0.09, 0.09, 0.09, 0.09, 0.09), 0.09},
	} {
		if got := whole.boundBy(c.parts, 0.015); math.Abs(got.Sigma-c.want) > 1e-9 || got.Spread != whole.Spread || !got.Known {
			t.Errorf("%s: %+v, want %g", name, got, c.want)
		}
	}
}

// White noise keeps the level of the whole picture. The result does not depend on the number of workers.
func TestMeasureInParts(t *testing.T) {
	const w, h = 700, 660
	for _, planes := range []int{1, 3} {
		p := rounded(whiteNoise(w, h, planes, 12))
		for _, white := range []float64{12.0 / 255, 0.5 / 255} {
			whole := Measure(p, w, h, white, Steps{}, nil, 0)
			in := MeasureInParts(p, w, h, white, Steps{}, nil, 1)
			if in.Sigma > whole.Sigma || white > 1.0/255 && in != whole {
				t.Errorf("%d planes, white noise of %g is told: %+v for the whole, %+v in parts", planes, 255*white, whole, in)
			}
			if again := MeasureInParts(p, w, h, white, Steps{}, nil, 3); again != in {
				t.Errorf("%d planes: %+v with three workers, %+v with one", planes, again, in)
			}
		}
	}
}
