package main

import (
	"math/rand/v2"
	"testing"
)

func TestMarksAreColouredAndInRange(t *testing.T) {
	const width, height = 70, 50
	draw := func(seed uint64) [][]float32 {
		planes := [][]float32{make([]float32, width*height), make([]float32, width*height), make([]float32, width*height)}
		drawMarks(planes, width, height, rand.New(rand.NewPCG(seed, 1)))
		return planes
	}
	coloured := 0
	for seed := range uint64(20) {
		planes := draw(seed)
		for i, r := range planes[0] {
			g, b := planes[1][i], planes[2][i]
			if min(r, g, b) < 0 || max(r, g, b) > 1 {
				t.Fatalf("seed %d: sample %d is %g, %g, %g", seed, i, r, g, b)
			}
			if max(r, g, b)-min(r, g, b) > 0.3 {
				coloured++
			}
		}
	}
	if coloured < width*height {
		t.Errorf("only %d samples of 20 pictures have colours", coloured)
	}
}

func TestStrokeCovers(t *testing.T) {
	const width, height = 20, 9
	p := [][]float32{make([]float32, width*height), make([]float32, width*height), make([]float32, width*height)}
	s := stroke{x0: 4, y0: 4, x1: 30, y1: 4, thickness: 3, colour: [3]float32{1, 0.5, 0}} // it leaves the picture
	s.draw(p, width, height)
	for i, v := range p[0] {
		x, y := i%width, i/width
		var want float32
		if x >= 4 && y >= 3 && y <= 5 {
			want = 1
		}
		if x >= 4 && v != want {
			t.Errorf("(%d, %d) is %g, not %g", x, y, v, want)
		}
		if x < 2 && v != 0 {
			t.Errorf("(%d, %d) is %g, before the stroke", x, y, v)
		}
		if p[1][i] != v/2 || p[2][i] != 0 {
			t.Errorf("(%d, %d) has another colour", x, y)
		}
	}
}
