package kernel

import (
	"fmt"
	"math"
)

// MaxHidden is the largest number of hidden units of a WeightFunction.
const MaxHidden = 32

// BlockLanes is the number of lanes of a block: neighbouring lanes that may share means. The first lane of a block is
// not a member: it does not count in the means.
const BlockLanes = 16

// Features is the number of inputs of a WeightFunction.
const Features = 7

// WeightFunction is a small network that computes the bounds d and e of DualStepPair, one pair for each coefficient.
// Its inputs at row i and lane l come from the panels p (coefficients of the pilot) and y (noisy coefficients), with r
// = y - p:
//
//	f0 = log(|p| + 0.05)          f3 = log(|r| + 0.1)          f6 = log(|y| + 0.3)
//	f1 = log(P + 0.05)            f4 = log(R + 0.1)            P, R: root mean squares of p and r over the rows of lane l
//	f2 = log(P' + 0.05)           f5 = log(R' + 0.1)           P', R': the same over the members of the block, in row i
//
// The first lane of a block gets the means of the members like all others. Without blocks, f2 is f1 and f5 is f4. The
// outputs are
//
//	h_k = max(0, bias[k][l] + sum_j A[k][j] f_j)                for each of the hidden units k
//	d = exp(clip(o0, -5, 4)), o0 = b0 - a0 f0 + sum_k B[k][0] h_k
//	e = exp(clip(o1, -5, 4)), o1 = b1 + sum_k B[k][1] h_k
//
// Logarithms have an absolute error of at most 4e-7 and two roundings, exponentials a relative error of at most 4e-7. A
// WeightFunction is immutable, so goroutines may share it.
type WeightFunction struct {
	Hidden  int
	backend *backend
	blocks  []float32 // packed for lanes in blocks
	alone   []float32 // packed for lanes without blocks: the factors of f2 and f5 are added to those of f1 and f4
}

// NewWeightFunction packs a network for the selected backend. For each hidden unit, a has a row of Features values and
// b a row of 2.
func NewWeightFunction(a, b []float32, b0, b1, a0 float32) *WeightFunction {
	hidden := len(a) / Features
	if hidden < 1 || hidden > MaxHidden || len(a) != hidden*Features || len(b) != hidden*2 {
		panic(fmt.Sprintf("kernel: %d and %d values for 1 to %d hidden units", len(a), len(b), MaxHidden))
	}
	f := &WeightFunction{Hidden: hidden, backend: selected.Load()}
	f.blocks, f.alone = packWeights(a, b, b0, b1, a0, false), packWeights(a, b, b0, b1, a0, true)
	return f
}

// Weights computes the panels d and e from the panels p and y of the same size. d and e must not overlap p or y. Panel
// bias has a row for each hidden unit. blocks says whether the lanes form blocks.
//
// NaN in a lane makes all rows of this lane NaN. NaN in a member of a block also makes the whole block NaN in that row.
func (f *WeightFunction) Weights(d, e, p, y, bias []float32, rows int, blocks bool) {
	for _, panel := range [][]float32{d, e, p, y} {
		checkLen(panel, rows*Lanes)
	}
	checkLen(bias, f.Hidden*Lanes)
	if rows < 1 {
		return
	}
	if blocks {
		f.backend.weights(d, e, p, y, bias, f.blocks, rows, f.Hidden, BlockLanes, 1/float32(rows))
	} else {
		f.backend.weights(d, e, p, y, bias, f.alone, rows, f.Hidden, 1, 1/float32(rows))
	}
}

// The packed network holds the constants of the outputs, a record for each hidden unit, all factors of f2 and all
// factors of f5. The loops use logarithms and powers of base 2; A and B are scaled accordingly.
const (
	packedB0, packedB1, packedA0 = 0, 1, 2

	packedUnits      = 8
	packedUnit       = 8 // values in a record; one is unused
	unitA0, unitA3   = 0, 1
	unitA6           = 2
	unitB0, unitB1   = 3, 4
	unitA1, unitA4   = 5, 6
	packedA2         = packedUnits + MaxHidden*packedUnit
	packedA5         = packedA2 + MaxHidden
	packedWeightsLen = packedA5 + MaxHidden
)

func packWeights(a, b []float32, b0, b1, a0 float32, alone bool) []float32 {
	c := make([]float32, packedWeightsLen)
	c[packedB0], c[packedB1], c[packedA0] = float32(float64(b0)*math.Log2E), float32(float64(b1)*math.Log2E), a0
	for k := range len(a) / Features {
		var factors [Features]float64
		for j := range factors {
			factors[j] = float64(a[k*Features+j]) * math.Ln2
		}
		if alone {
			factors[1] += factors[2]
			factors[4] += factors[5]
		} else {
			c[packedA2+k], c[packedA5+k] = float32(factors[2]), float32(factors[5])
		}
		u := c[packedUnits+k*packedUnit:][:packedUnit]
		u[unitA0], u[unitA1], u[unitA3] = float32(factors[0]), float32(factors[1]), float32(factors[3])
		u[unitA4], u[unitA6] = float32(factors[4]), float32(factors[6])
		u[unitB0], u[unitB1] = float32(float64(b[2*k])*math.Log2E), float32(float64(b[2*k+1])*math.Log2E)
	}
	return c
}
