package noisecurve

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// draw returns a random detector and its stabilizer.
func draw(t *rapid.T) (detector, *Stabilizer) {
	d := detector{gain: rapid.Float64Range(0.1, 50).Draw(t, "gain"),
		offset: rapid.Float64Range(-100, 200).Draw(t, "offset")}
	d.read = d.gain * rapid.SampledFrom([]float64{0, 0.3, 1, 3}).Draw(t, "read noise in photons")
	dark := d.gain * rapid.SampledFrom([]float64{0, 0.5, 4}).Draw(t, "dark photons")
	s := NewStabilizer(d.gain, d.offset, d.read, d.offset+dark)
	if rapid.Bool().Draw(t, "clamped") {
		s = s.Clamped()
	}
	return d, s
}

func TestStabilizerRises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, s := draw(t)
		previous := math.Inf(-1)
		for x := -20.0; x < 300; x += 0.25 {
			v := s.Forward(d.offset + d.gain*x)
			if !(v > previous) {
				t.Fatalf("%+v: %g photons give %g after %g", d, x, v, previous)
			}
			previous = v
		}
		previous = math.Inf(-1)
		for v := -3.0; v < 40; v += 0.02 {
			x := s.Inverse(v)
			if !(x > previous) && !(x == previous && s.clamp && x == s.start) {
				t.Fatalf("%+v: %g comes back as %g after %g", d, v, x, previous)
			}
			previous = x
		}
	})
}

// The mean of transformed samples comes back as the mean of the samples, and their standard deviation is near 1.
func TestStabilizerOfDrawnNoise(t *testing.T) {
	const n = 200_000
	for _, read := range []float64{0, 0.5, 1.5} {
		d := detector{gain: 7, offset: 40, read: 7 * read}
		s := NewStabilizer(d.gain, d.offset, d.read, d.offset)
		for i, mean := range []float64{0, 0.5, 2, 5, 20, 63, 66, 300} {
			rng := random(uint64(i))
			sum, squares, samples := 0.0, 0.0, 0.0
			for range n {
				sample := d.gain*photons(mean, rng) + d.offset + d.read*rng.NormFloat64()
				v := s.Forward(sample)
				sum += v
				squares += v * v
				samples += sample
			}
			error := math.Sqrt(d.variance(mean) / n)
			if got := s.Inverse(sum / n); math.Abs(got-samples/n) > 2*error+0.01*d.gain {
				t.Errorf("read noise %g, %g photons: the mean %.3f comes back as %.3f", read, mean, samples/n, got)
			}
			deviation := math.Sqrt(squares/n - sum/n*sum/n)
			if mean >= 5 && math.Abs(deviation-1) > 0.06 || deviation > 1.2 {
				t.Errorf("read noise %g, %g photons: the standard deviation is %.3f", read, mean, deviation)
			}
		}
	}
}

func TestStabilizerOfWhiteNoise(t *testing.T) {
	s := Fit{Kind: White, Sigma: 0.25}.Stabilizer()
	if got := s.Forward(3) - s.Forward(2); got != 4 {
		t.Errorf("a step of four sigmas becomes %g", got)
	}
	for _, v := range []float64{-2, 0, 0.1, 7} {
		if got := s.Inverse(s.Forward(v)); got != v {
			t.Errorf("%g comes back as %g", v, got)
		}
	}
}

// The noise of an image, measured blindly, is even after the transform.
func TestStabilizedImage(t *testing.T) {
	for i, d := range []detector{{30, 4, 100, 0}, {40, 10, 20, 8}} {
		noisy := d.count(drawn(), random(uint64(i)))
		s := measure(noisy, width, height).Fit().Stabilizer()
		if s == nil {
			t.Fatalf("%+v: no transform", d)
		}
		for i, v := range noisy {
			noisy[i] = float32(s.Forward(float64(v)))
		}
		f := measure(noisy, width, height).Fit()
		if f.Kind != White || math.Abs(f.Sigma-1) > 0.06 {
			t.Errorf("%+v: then it is %+v", d, f)
		}
	}
}
