package main

// leastSize is as that of package kernel.
const leastSize = 0x1p-100

const (
	quantizeSignature    = "func(words []int16, scales, b []float32, rows int, limit float32)"
	mulIntegersSignature = "func(c []float32, a []int16, rowScales []float32, b []int16, scales []float32, " +
		"rows, groups int)"
)
