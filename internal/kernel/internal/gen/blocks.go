package main

import "math"

// eight is the number of samples of a line of a block.
const eight = 8

// element returns a value of the cosine transform of eight samples, as package dct does.
func element(f, i int) float64 {
	c := math.Sqrt(2. / eight)
	if f == 0 {
		c = math.Sqrt(1. / eight)
	}
	return c * math.Cos(math.Pi*(float64(i)+0.5)*float64(f)/eight)
}

// energies are functions that sum up squared coefficients of blocks, in bands. Bands says to which sum those of a
// vertical and a horizontal frequency go. If it is negative, to none.
var energies = []struct {
	name  string
	sums  int
	bands func(v, u int) int
}{
	{"blockEnergies", 3, func(v, u int) int {
		switch s := v + u; {
		case s < 3:
			return -1
		case s < 8:
			return 0
		case s < 11:
			return 1
		}
		return 2
	}},
	{"patchEnergies", 2, func(v, u int) int {
		switch s := v + u; {
		case s == 0:
			return -1
		case s < 8:
			return 0
		}
		return 1
	}},
}
