package noisecurve

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func shots(d detector, brightness ...float64) [][]float32 {
	clean := drawn()
	var all [][]float32
	for i, f := range brightness {
		scaled := make([]float32, len(clean))
		for j, v := range clean {
			scaled[j] = float32(f) * v
		}
		all = append(all, d.count(scaled, random(uint64(i+1))))
	}
	return all
}

func repeatsOf(all [][]float32) (r Repeats, last Drift) {
	for i := range len(all) - 1 {
		last = r.Add(all[i:i+1], all[i+1:i+2], width, height)
	}
	return r, last
}

// Two shots give the noise of the detector, also if the light drifts.
func TestRepeatsMeasurePhotonNoise(t *testing.T) {
	for _, d := range []detector{{100, 2, 50, 3}, {20, 7, 200, 10}, {1000, 0.5, 0, 2}, {8, 10, 300, 5}} {
		for _, second := range []float64{1, 0.8} {
			r, drift := repeatsOf(shots(d, 1, second))
			if math.Abs(drift.Factor-second) > 0.03 {
				t.Errorf("%+v: light of %g is read as %.3f", d, second, drift.Factor)
			}
			f := r.Curve(-1).Line()
			if f.Kind != Photon {
				t.Fatalf("%+v: %+v", d, f)
			}
			for _, photons := range []float64{0.2, 0.5, 0.9} {
				level := d.offset + d.gain*d.peak*photons
				want := d.variance(d.peak * photons)
				if got := f.Gain*(level-f.Offset) + f.ReadNoise*f.ReadNoise; math.Abs(math.Log(got/want)) > 0.1 {
					t.Errorf("%+v, light of %g, %g photons: variance %.4g, not %.4g", d, second, d.peak*photons, got,
						want)
				}
			}
		}
	}
}

func TestRepeatsMeasureWhiteNoise(t *testing.T) {
	clean := drawn()
	r, d := repeatsOf([][]float32{white(clean, 0.05, random(1)), white(clean, 0.05, random(2)),
		white(clean, 0.05, random(3))})
	if f := r.Curve(-1).Line(); f.Kind != White || math.Abs(f.Sigma-0.05) > 0.001 {
		t.Errorf("%+v", f)
	}
	if d.Explained > 0.002 || d.Same < 0.9 {
		t.Errorf("%+v", d)
	}
}

func TestRepeatsSeeShifts(t *testing.T) {
	const shifted = 3
	clean := drawn()
	moved := make([]float32, len(clean))
	for i := range moved {
		x := min(i%width+shifted, width-1)
		moved[i] = clean[i/width*width+x]
	}
	_, d := repeatsOf([][]float32{white(clean, 0.02, random(1)), white(moved, 0.02, random(2))})
	if d.Explained < 0.1 || d.Shift < 1 || d.Shift > 5 {
		t.Errorf("a shift of %d samples gives %+v", shifted, d)
	}
}

// Dark frames have nothing in common but their level, and are no shots of different scenes.
func TestDarkFramesAreOneScene(t *testing.T) {
	const width, height = 160, 120
	shot := func(seed uint64, scene float64) []float32 {
		rng := random(seed)
		p := make([]float32, width*height)
		for i := range p {
			p[i] = float32(100 + 5*rng.NormFloat64() + scene*math.Sin(float64(i%width)*float64(seed)/9))
		}
		return p
	}
	for scene, same := range map[float64]bool{0: true, 20: false} {
		var r Repeats
		if d := r.Add([][]float32{shot(1, scene)}, [][]float32{shot(2, scene)}, width, height); (d.Same > 0.5) != same {
			t.Errorf("scene of %g: %+v", scene, d)
		}
	}
}

func TestEqualShotsShowNoNoise(t *testing.T) {
	clean := drawn()
	r, _ := repeatsOf([][]float32{clean, clean})
	if c := r.Curve(-1); len(c.Points) != 0 {
		t.Errorf("%d points", len(c.Points))
	}
	r, _ = repeatsOf([][]float32{make([]float32, width*height), make([]float32, width*height)})
	if c := r.Curve(-1); len(c.Points) != 0 {
		t.Errorf("%d points of black shots", len(c.Points))
	}
}

// Chroma is measured over luma.
func TestMeasureByHasLevelsOfTheBrightness(t *testing.T) {
	clean := drawn()
	noise := make([]float32, len(clean))
	rng := random(1)
	for i, v := range clean {
		noise[i] = float32(0.01*rng.NormFloat64()) * (1 + 3*v)
	}
	for _, p := range MeasureBy([][]float32{noise, noise}, clean, width, height, 1).Points {
		if want := 0.01 * (1 + 3*p.Level); math.Abs(math.Log(math.Sqrt(p.Variance)/want)) > 0.2 {
			t.Errorf("at %.2f: %.4f, not %.4f", p.Level, math.Sqrt(p.Variance), want)
		}
	}
}

// drawCurve returns the levels and variances of a random curve.
func drawCurve(t *rapid.T) (levels, variances []float64) {
	level := rapid.Float64Range(-10, 100).Draw(t, "level")
	for range rapid.IntRange(1, 12).Draw(t, "points") {
		levels = append(levels, level)
		sigma := rapid.Float64Range(1, 10).Draw(t, "sigma")
		variances = append(variances, sigma*sigma)
		level += rapid.Float64Range(1, 100).Draw(t, "step")
	}
	return levels, variances
}

func TestCurveStabilizerRises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		levels, variances := drawCurve(t)
		s := NewCurveStabilizer(levels, variances)
		before, back := math.Inf(-1), math.Inf(-1)
		for u := levels[0] - 100; u < levels[len(levels)-1]+100; u += 0.7 {
			v := s.Forward(u)
			x := s.Inverse(v)
			if !(v > before && x >= back) {
				t.Fatalf("%g gives %g after %g and %g after %g", u, v, before, x, back)
			}
			before, back = v, x
		}
	})
}

// A curve of photon noise gives what the transform for photon noise gives, where there are many photons.
func TestCurveStabilizerIsThatOfPhotonNoise(t *testing.T) {
	const gain, offset, read = 2, 100, 5
	variance := func(u float64) float64 { return gain*(u-offset) + read*read }
	var levels, variances []float64
	for u := 100.0; u <= 2000; u += 100 {
		levels, variances = append(levels, u), append(variances, variance(u))
	}
	curve, photons := NewCurveStabilizer(levels, variances), NewStabilizer(gain, offset, read, offset)
	for u := 150.0; u < 1900; u += 50 {
		a, b := curve.Forward(u+10)-curve.Forward(u), photons.Forward(u+10)-photons.Forward(u)
		if math.Abs(a/b-1) > 0.02 {
			t.Errorf("at %g a step of 10 becomes %.4f, not %.4f", u, a, b)
		}
	}
	rng := random(9)
	for _, u := range []float64{120, 500, 1700} {
		sum, n := 0.0, 100_000.0
		for range int(n) {
			sum += curve.Forward(u + math.Sqrt(variance(u))*rng.NormFloat64())
		}
		if got := curve.Inverse(sum / n); math.Abs(got-u) > 4*math.Sqrt(variance(u)/n) {
			t.Errorf("the mean %g comes back as %.3f", u, got)
		}
	}
}
