package main

import (
	"math/rand/v2"
	"testing"
)

func TestMarksAreColouredAndInRange(t *testing.T) {
	const width, height = 70, 50
	draw := func(seed uint64) [][]float32 {
		planes := [][]float32{make([]float32, width*height), make([]float32, width*height),
			make([]float32, width*height)}
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

// A line leaves one side as it is and changes the other. Often, the brightness stays.
func TestDivideChangesOneSide(t *testing.T) {
	const width, height = 60, 50
	equal, lines := 0, 0
	for seed := range uint64(200) {
		var planes [][]float32
		for range 3 {
			p := make([]float32, width*height)
			for i := range p {
				p[i] = 0.5
			}
			planes = append(planes, p)
		}
		divide(planes, width, height, rand.New(rand.NewPCG(seed, 2)))
		colours := map[[3]float32]int{}
		for i := range planes[0] {
			colours[[3]float32{planes[0][i], planes[1][i], planes[2][i]}]++
		}
		before := colours[[3]float32{0.5, 0.5, 0.5}]
		delete(colours, [3]float32{0.5, 0.5, 0.5})
		after, beyond := 0, [3]float32{}
		for c, n := range colours {
			if n > after {
				after, beyond = n, c
			}
		}
		if rest := width*height - before - after; rest > 2*(width+height) {
			t.Fatalf("seed %d: %d samples have neither colour", seed, rest)
		}
		if after < 100 || max(beyond[0], beyond[1], beyond[2]) >= 1 || min(beyond[0], beyond[1], beyond[2]) <= 0 {
			continue // hardly anything beyond the line, or colours that were limited
		}
		lines++
		if sum := beyond[0] + beyond[1] + beyond[2]; sum > 1.4999 && sum < 1.5001 {
			equal++
		}
	}
	if lines < 100 || equal < lines/2 || equal == lines {
		t.Errorf("%d of %d lines have equal brightness on both sides", equal, lines)
	}
}
