package main

import "math"

// The layout of a packed network and the constants of WeightFunction, which must be the same as in package kernel.
const (
	maxHidden  = 32
	blockLanes = 16

	packedB0, packedB1, packedA0 = 0, 1, 2

	packedUnits    = 8
	packedUnit     = 8
	unitA0, unitA3 = 0, 1
	unitA6         = 2
	unitB0, unitB1 = 3, 4
	unitA1, unitA4 = 5, 6
	packedA2       = packedUnits + maxHidden*packedUnit
	packedA5       = packedA2 + maxHidden

	// The conformance tests of package kernel fail if these differ from its constants.
	pilotFloor, restFloor, noisyFloor = 0.05, 0.1, 0.3

	lowestPower  = -5 * math.Log2E
	highestPower = 4 * math.Log2E
)

// Coefficients of the polynomials for log2(1.5+t) and 2^t, the highest power first.
var (
	logCoefficients = []float32{0.01512536166, -0.02512337132, 0.03731128791, -0.070589613, 0.1425453253,
		-0.3206323385, 0.9617953794, 0.5849627654}
	powerCoefficients = []float32{0.001877576766, 0.008989339877, 0.05582631823, 0.240153617, 0.6931530732,
		0.9999999251}
)
