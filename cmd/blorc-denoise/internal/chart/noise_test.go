package chart

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// checkSVG reports text that is not well-formed XML, or holds numbers that are none.
func checkSVG(t interface{ Fatal(...any) }, svg string) {
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err, svg)
		}
	}
	_, body, _ := strings.Cut(svg, "<polyline ")
	for _, bad := range []string{`"NaN`, `"Inf`, ",NaN", ",Inf"} { // numbers that are none
		if strings.Contains(body, bad) {
			t.Fatal(bad, svg)
		}
	}
}

func TestNoise(t *testing.T) {
	const side = 256
	p := make([]float32, side*side)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range p {
		v := 0.1 + 0.8*float64(i%side)/side
		p[i] = float32(v + 0.05*math.Sqrt(v)*rng.NormFloat64())
	}
	curve := noisecurve.Measure([][]float32{p}, side, side, 1)
	photons := denoise.PhotonNoise{Gain: 0.0025 * 65535}
	for name, c := range map[string]struct {
		n    Noise
		want string
	}{
		"photons": {Noise{curve, denoise.Result{Noise: denoise.Poisson, Photons: photons}, 65535}, "photon noise"},
		"white":   {Noise{curve, denoise.Result{Noise: denoise.Gaussian, Sigma: 9}, 255}, "white noise, sigma 9.0"},
		"none":    {Noise{curve, denoise.Result{Noise: denoise.None}, 255}, "no noise"},
		"camera": {Noise{noisecurve.Curve{}, denoise.Result{Noise: denoise.Camera, Sigma: 3}, 1},
			"camera noise, level 3.0"},
		"each": {Noise{curve, denoise.Result{Noise: denoise.Poisson,
			Channels: [3]denoise.PhotonNoise{{Gain: 1}, {Gain: 2}, {Gain: 6}}}, 100},
			"The line goes from 3.99 to 18.1"},
	} {
		svg := c.n.SVG()
		checkSVG(t, svg)
		if !strings.Contains(svg, c.want) {
			t.Errorf("%s: no %q in %s", name, c.want, svg)
		}
		if got := strings.Contains(svg, `class="line-2"`); got != (name != "none" && name != "camera") {
			t.Errorf("%s: a line: %v", name, got)
		}
		if strings.Count(svg, "<circle") != len(c.n.Curve.Points) {
			t.Errorf("%s: not a dot for each point", name)
		}
	}
}

func TestHistogram(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	a, b := NewHistogram(5), NewHistogram(5)
	for range 10000 {
		a.Add(5 * rng.NormFloat64())
		b.Add(5 * rng.NormFloat64())
	}
	a.AddHistogram(b)
	if rms := a.RMS(); math.Abs(rms-5) > 0.1 {
		t.Errorf("standard deviation %g of noise of 5", rms)
	}
	checkSVG(t, a.SVG())
	for _, h := range []*Histogram{{}, NewHistogram(0), NewHistogram(math.Inf(1)), NewHistogram(math.NaN())} {
		checkSVG(t, h.SVG())
		h.Add(1e30)
		h.Add(0)
		checkSVG(t, h.SVG())
	}
}

// Whole numbers make no comb in bins whose width is a multiple of 1.
func TestQuantum(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	h := NewHistogram(12)
	h.Quantum(1)
	for range 200000 {
		h.Add(math.Round(12 * rng.NormFloat64()))
	}
	middle := h.bins[sideBins]
	for i, n := range h.bins[sideBins-1 : sideBins+2] {
		if d := float64(n-middle) / float64(middle); math.Abs(d) > 0.1 {
			t.Errorf("bin %d has %d counts, the middle one %d", i-1, n, middle)
		}
	}
	for _, odd := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		h := NewHistogram(1)
		h.Quantum(odd)
		h.Add(1)
		checkSVG(t, h.SVG())
	}
}
