package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSeedsGivePictures(t *testing.T) {
	for seed := range uint64(20) {
		p := drawn(seed, 64)
		low, high := slices.Min(p.Planes[0]), slices.Max(p.Planes[0])
		if len(p.Planes[0]) != 64*64 || !(low >= 0) || !(high <= 1.000001) || high-low < 0.29 {
			t.Errorf("seed %d: %d samples from %g to %g", seed, len(p.Planes[0]), low, high)
		}
		if !slices.Equal(p.Planes[0], drawn(seed, 64).Planes[0]) {
			t.Errorf("seed %d gives other samples the second time", seed)
		}
		if slices.Equal(p.Planes[0], drawn(seed+1, 64).Planes[0]) {
			t.Errorf("seeds %d and %d give the same picture", seed, seed+1)
		}
	}
}

// Every kind of structure is light alone: it is bright somewhere, and never below 0.
func TestStructuresAreLight(t *testing.T) {
	for name, draw := range map[string]func(*painter){"filaments": (*painter).filaments, "spots": (*painter).spots,
		"nuclei": (*painter).nuclei, "rods": (*painter).rods,
		"membranes": (*painter).membranes, "regions": (*painter).regions} {
		brightest := 0.0
		for seed := range uint64(10) {
			p := &painter{side: 100, rng: rand.New(rand.NewPCG(seed, 2)), light: make([]float64, 100*100)}
			draw(p)
			if low := slices.Min(p.light); low < 0 {
				t.Errorf("%s of seed %d: light of %g", name, seed, low)
			}
			brightest = max(brightest, slices.Max(p.light))
		}
		if brightest < 0.2 {
			t.Errorf("%s are never brighter than %g", name, brightest)
		}
	}
}

// The shares of the samples add up to the area of a shape.
func TestShapesCoverTheirArea(t *testing.T) {
	p := &painter{side: 100}
	e := ellipse{point{50, 47}, 20, 9, math.Sin(0.7), math.Cos(0.7)}
	for _, c := range []struct {
		name string
		draw func(f func(int, float64))
		want float64
	}{
		{"line", func(f func(int, float64)) { p.line(point{20, 30}, point{70, 55}, 3, f) },
			6*math.Hypot(50, 25) + 9*math.Pi},
		{"spot", func(f func(int, float64)) { p.line(point{20, 30}, point{20, 30}, 4, f) }, 16 * math.Pi},
		{"half outside", func(f func(int, float64)) { p.line(point{-0.5, 50}, point{-0.5, 50}, 10, f) }, 50 * math.Pi},
		{"ellipse", func(f func(int, float64)) { p.fill(e, f) }, 180 * math.Pi},
		{"ring of a circle", func(f func(int, float64)) { p.ring(ellipse{point{50, 50}, 30, 30, 0, 1}, 1, f) },
			2 * 60 * math.Pi},
	} {
		sum := 0.0
		c.draw(func(_ int, share float64) { sum += share })
		if math.Abs(sum-c.want) > 0.05*c.want {
			t.Errorf("%s covers %.1f samples, not %.1f", c.name, sum, c.want)
		}
	}
}
