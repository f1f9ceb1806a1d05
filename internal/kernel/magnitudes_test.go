package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestLogMagnitudes(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	v := []float32{0, 0.2, 0.69999, 0.7, 0.70001, 1 << 20, 1<<20 - 1, 1<<20 + 1, math.MaxFloat32, float32(math.Inf(1)),
		float32(math.NaN()), 1e-40}
	for len(v) < 40*Lanes/2 {
		v = append(v, 100*rng.Float32(), float32(math.Exp(60*rng.Float64()-30)))
	}
	for _, x := range v {
		v = append(v, -x)
	}
	v = v[:len(v)/Lanes*Lanes]
	for _, b := range backends {
		m := &guards{}
		got := m.floats(len(v))
		withBackend(t, b, func() { LogMagnitudes(got, v) })
		m.intact(t, "logarithms of "+b.name)
		for i, x := range v {
			want := math.Log(math.Abs(float64(x)) + NoisyOffset)
			if d := float64(got[i]) - want; !(math.Abs(d) <= 4e-5) &&
				!(math.IsNaN(want) && math.IsNaN(float64(got[i]))) && float64(got[i]) != want {
				t.Errorf("%s: of %g: %g, want %g", b.name, x, got[i], want)
			}
		}
	}
}
