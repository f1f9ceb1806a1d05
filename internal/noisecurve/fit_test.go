package noisecurve

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestWhiteNoise(t *testing.T) {
	clean := drawn()
	for _, sigma := range []float64{2, 5, 10, 25, 50} {
		for _, bits := range []bool{false, true} {
			noisy := white(clean, sigma/255, random(uint64(sigma)))
			if bits {
				eightBit(noisy)
			}
			f := measure(noisy, width, height).Fit()
			if f.Kind != White || math.Abs(255*f.Sigma/sigma-1) > 0.07 {
				t.Errorf("sigma %g, 8 bits %v: got %v of %.2f, want white within 7 %%", sigma, bits, f.Kind,
					255*f.Sigma)
			}
		}
	}
}

var detectors = []detector{
	{2, 5, 100, 0}, {2, 19, 0, 0}, {5, 0.7, 40, 1}, {5, 3.5, 3, 0}, {20, 1, 200, 2}, {20, 12, 0, 10}, {100, 0.5, 90, 3},
	{200, 20, 150, 10}, {200, 2, 0, 5},
}

func TestPhotonNoise(t *testing.T) {
	clean := drawn()
	for i, d := range detectors {
		f := measure(d.count(clean, random(uint64(i))), width, height).Fit()
		if f.Kind != Photon {
			t.Errorf("%+v: taken for %v, evidence %.2f", d, f.Kind, f.Evidence)
			continue
		}
		for _, share := range []float64{0.1, 0.5, 0.9} {
			level := d.gain*d.peak*share + d.offset
			got := f.Gain*(level-f.Offset) + f.ReadNoise*f.ReadNoise
			want := d.variance(d.peak * share)
			// As the transform for photon noise has it.
			if r := math.Log((got + 0.375*f.Gain*f.Gain) / (want + 0.375*d.gain*d.gain)); math.Abs(r) > 0.2 {
				t.Errorf("%+v: variance at %.1f is %.3g, want %.3g", d, level, got, want)
			}
		}
	}
}

// Without read noise the offset can be told.
func TestOffset(t *testing.T) {
	for i, d := range []detector{{4, 10, 100, 0}, {10, 5, 30, 0}} {
		f := measure(d.count(drawn(), random(uint64(i))), width, height).Fit()
		if math.Abs(f.Offset-d.offset) > d.gain || f.ReadNoise != 0 || math.Abs(f.Gain/d.gain-1) > 0.1 {
			t.Errorf("%+v: got %+v", d, f)
		}
	}
}

// A factor and a constant for all samples change nothing but the unit.
func TestScale(t *testing.T) {
	photon := detector{20, 12, 100, 5}.count(drawn(), random(1))
	even := white(drawn(), 0.1, random(1))
	rapid.Check(t, func(t *rapid.T) {
		factor := math.Ldexp(1, rapid.IntRange(-30, 30).Draw(t, "power of 2"))
		shift := math.Ldexp(float64(rapid.IntRange(-100, 100).Draw(t, "shift")), 2)
		scaled := func(plane []float32) Fit {
			return measure(mapped(plane, func(v float64) float64 { return factor * (v + shift) }), width, height).Fit()
		}
		a, b := measure(photon, width, height).Fit(), scaled(photon)
		near := func(x, y float64) bool { return math.Abs(x-y) <= 1e-3*math.Abs(a.Gain*factor) }
		if b.Kind != Photon || !near(b.Gain, factor*a.Gain) || !near(b.Offset, factor*(a.Offset+shift)) {
			t.Fatalf("times %g plus %g: got %+v from %+v", factor, shift, b, a)
		}
		if f := scaled(even); f.Kind != White || math.Abs(f.Sigma/factor-0.1) > 0.01 {
			t.Fatalf("times %g plus %g: got %+v", factor, shift, f)
		}
	})
}

func TestNoNoise(t *testing.T) {
	plane := func(f func(x, y int) float64) []float32 {
		p := make([]float32, width*height)
		for i := range p {
			p[i] = float32(f(i%width, i/width))
		}
		return p
	}
	ramp := func(x, y int) float64 { return float64(x)/width*0.7 + float64(y)/height*0.2 }
	wave := func(x, y int) float64 { return math.Sin(float64(x)/20) * math.Cos(float64(y)/25) }
	tests := map[string][]float32{
		"constant":       plane(func(int, int) float64 { return 0.3 }),
		"ramp":           plane(ramp),
		"large ramp":     plane(func(x, y int) float64 { return 1e6 * ramp(x, y) }),
		"ramp of 8 bits": eightBit(plane(ramp)),
		"two levels":     plane(func(x, y int) float64 { return float64((x/37 + y/23) % 2) }),
		"discs": plane(func(x, y int) float64 {
			return 0.2 + 0.6*boolean((x%64-32)*(x%64-32)+(y%64-32)*(y%64-32) < 500)
		}),
		"wave":             plane(wave),
		"wave of 8 bits":   eightBit(plane(func(x, y int) float64 { return 0.5 + 0.4*wave(x, y) })),
		"lines on a ramp":  plane(func(x, y int) float64 { return ramp(x, y) + 0.3*boolean(x%40 == 0) }),
		"one bright point": plane(func(x, y int) float64 { return boolean(x == 100 && y == 80) }),
	}
	for name, p := range tests {
		if f := measure(p, width, height).Fit(); f.Kind != None {
			t.Errorf("%s: got %+v", name, f)
		}
	}
}

// Noise that is small against the range, or against full scale, is noise.
func TestFaintNoise(t *testing.T) {
	clean := drawn()
	for _, sigma := range []float64{1e-4, 1e-3} {
		rng := random(1)
		noisy := mapped(clean, func(v float64) float64 { // in the low bits of 16
			return 1000 + math.Round(50*v+sigma*65535*rng.NormFloat64())
		})
		if f := measure(noisy, width, height).Fit(); f.Kind != White || math.Abs(f.Sigma/(sigma*65535)-1) > 0.07 {
			t.Errorf("sigma %g: got %+v", sigma*65535, f)
		}
	}
}

func TestTooSmall(t *testing.T) {
	for _, size := range [][2]int{{7, 100}, {100, 7}, {1, 1}, {3, 3}} {
		w, h := size[0], size[1]
		noisy := white(make([]float32, w*h), 0.1, random(1))
		if f := measure(noisy, w, h).Fit(); f.Kind != unknown && w*h > 1 {
			t.Errorf("%v: got %+v", size, f)
		}
	}
	if f := Measure(nil, 0, 0, 1).Fit(); f.Kind != None {
		t.Errorf("no planes: got %+v", f)
	}
}

// Whatever the samples, the answer is finite, the same for any number of workers, and can be used.
func TestAnySamples(t *testing.T) {
	values := []float32{0, 1, 0.5, -3, math.MaxFloat32, -math.MaxFloat32, 1e-30, math.SmallestNonzeroFloat32,
		float32(math.NaN()), float32(math.Inf(1))}
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 60).Draw(t, "width"), rapid.IntRange(1, 40).Draw(t, "height")
		from := rapid.IntRange(0, len(values)-1).Draw(t, "from")
		kinds := rapid.IntRange(1, len(values)-from).Draw(t, "kinds")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		plane := make([]float32, w*h)
		for i := range plane {
			plane[i] = values[from+rng.IntN(kinds)]
		}
		f := measure(plane, w, h).Fit()
		if other := Measure([][]float32{plane}, w, h, 5).Fit(); other != f {
			t.Fatalf("got %+v, with five workers %+v", f, other)
		}
		for _, v := range []float64{f.Sigma, f.Gain, f.Offset, f.ReadNoise, f.Dark, f.GainError, f.Evidence} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("got %+v", f)
			}
		}
		if f.Kind == Photon && !(f.Gain > 0 && f.ReadNoise >= 0 && f.Dark >= f.Offset) {
			t.Fatalf("got %+v", f)
		}
		if s := f.Stabilizer(); (s != nil) != (f.Kind == White || f.Kind == Photon) {
			t.Fatalf("stabilizer %v for %+v", s, f)
		}
	})
}

// The channels of a colour image are pooled, also if one of them is empty.
func TestPooledPlanes(t *testing.T) {
	d := detector{10, 4, 30, 0}
	clean := drawn()
	planes := [][]float32{d.count(clean, random(1)), make([]float32, len(clean)), d.count(clean, random(2))}
	if f := Measure(planes, width, height, 0).Fit(); f.Kind != Photon || math.Abs(f.Gain/d.gain-1) > 0.1 {
		t.Errorf("got %+v, want a gain of 4", f)
	}
}

func ExampleCurve_Fit() {
	camera := detector{peak: 30, gain: 4, offset: 100}
	image := camera.count(drawn(), random(1))
	f := Measure([][]float32{image}, width, height, 0).Fit()
	fmt.Printf("%v noise, gain %.0f\n", f.Kind, f.Gain)
	// Output: photon noise, gain 4
}

func BenchmarkMeasure(b *testing.B) {
	for _, size := range []int{512, 1024, 4096} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			plane := eightBit(white(make([]float32, size*size), 0.1, random(1)))
			for b.Loop() {
				Measure([][]float32{plane}, size, size, 1).Fit()
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)/(float64(size*size)/1e6), "ms/MP")
		})
	}
}
