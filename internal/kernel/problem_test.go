package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// problem holds the operands of all kernels.
type problem struct {
	rows, cols  int
	a, at       []float32 // matrix of rows x cols, and its transpose
	x, y, scale []float32 // panels of cols rows, and a value for each of these
	v, q        []float32 // panels of rows rows
	bounds      []float32 // one for each of rows
	pair        Pair
	c1, c2      float32
	step        PairStep
	memory      memory
	w, wt       *Matrix
}

// memory allocates operands.
type memory interface {
	floats(n int) []float32
	// intact fails the test if anything outside the operands has changed.
	intact(t testing.TB, what string)
}

// operands returns the fields that are copied between problems, inputs before results.
func (p *problem) operands() []*[]float32 {
	return []*[]float32{&p.a, &p.at, &p.y, &p.scale, &p.bounds, &p.pair.D, &p.pair.E, &p.pair.P, &p.pair.Y,
		&p.x, &p.v, &p.q, &p.pair.Q, &p.pair.R}
}

const inputs = 9 // number of operands that are inputs

// newProblem fills the operands with values, and the bounds with their magnitudes.
func newProblem(rows, cols int, value func() float32) *problem {
	p := &problem{rows: rows, cols: cols, c1: 1.7, c2: 0.4, step: PairStep{C1: 1.7, C2: 0.4, Rho: 2.5, Scale: 4.25,
		Next: 6}}
	k, n := rows*Lanes, cols*Lanes
	for i, size := range []int{rows * cols, rows * cols, n, cols, rows, k, k, k, k, n, k, k, k, k} {
		*p.operands()[i] = values(&guards{}, size, value)
	}
	for _, s := range [][]float32{p.bounds, p.pair.D, p.pair.E} {
		for i := range s {
			s[i] = float32(math.Abs(float64(s[i])))
		}
	}
	for i := range rows {
		for j := range cols {
			p.at[j*rows+i] = p.a[i*cols+j]
		}
	}
	return p
}

func normal(seed uint64) func() float32 {
	rng := rand.New(rand.NewPCG(seed, 1))
	return func() float32 { return float32(rng.NormFloat64()) }
}

// in returns a copy for a backend, with all operands in memory m.
func (p *problem) in(b *backend, m memory) *problem {
	c := *p
	c.memory = m
	for i, o := range c.operands() {
		*o = placed(m, *p.operands()[i])
	}
	c.w, c.wt = pack(b, c.a, c.rows, c.cols), pack(b, c.at, c.cols, c.rows)
	c.w.tiles, c.wt.tiles = placed(m, c.w.tiles), placed(m, c.wt.tiles)
	return &c
}

// run calls a kernel on a copy of the problem and returns the copy.
func (p *problem) run(t testing.TB, b *backend, kernel string, m memory) *problem {
	t.Helper()
	c := p.in(b, m)
	c.call(kernel)
	what := fmt.Sprintf("%s of %s, %d x %d", kernel, b.name, p.rows, p.cols)
	m.intact(t, what)
	for i, o := range c.operands()[:inputs] {
		if !sameBits(*o, *p.operands()[i]) {
			t.Errorf("%s: operand %d has changed", what, i)
		}
	}
	return c
}

var kernelNames = []string{"Mul", "Affine", "Rectified", "PrimalStep", "Dual", "DualStep", "StartSingle",
	"DualStepSingle", "DualStepPair", "StartPair"}

func (p *problem) call(kernel string) {
	switch kernel {
	case "Mul":
		Mul(p.v, p.w, p.x)
	case "Affine":
		Affine(p.v, p.w, p.x, p.bounds)
	case "Rectified":
		Rectified(p.v, p.w, p.x, p.bounds)
	case "PrimalStep":
		PrimalStep(p.x, p.wt, p.v, p.y, p.scale)
	case "Dual":
		Dual(p.v, p.w, p.x, p.q, p.bounds)
	case "DualStep":
		DualStep(p.v, p.w, p.x, p.q, p.bounds, p.c1, p.c2)
	case "StartSingle":
		StartSingle(p.v, p.w, p.x, p.q, p.pair.R, p.bounds, p.single())
	case "DualStepSingle":
		DualStepSingle(p.v, p.w, p.x, p.q, p.pair.Y, p.bounds, p.single())
	case "DualStepPair":
		DualStepPair(p.v, p.w, p.x, p.pair, p.step)
	case "StartPair":
		StartPair(p.v, p.w, p.pair, p.step)
	default:
		panic(kernel)
	}
}

func (p *problem) single() SingleStep {
	return SingleStep{p.step.C1, p.step.C2, p.step.Scale, p.step.Next}
}

// results returns the panels that kernels write.
func (p *problem) results() [][]float32 { return [][]float32{p.x, p.v, p.q, p.pair.Q, p.pair.R} }

func sameBits(a, b []float32) bool {
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

// guards is memory with NaN around every operand: reading outside an operand spoils the result, and writing is
// detected.
type guards struct{ blocks [][]float32 }

const guard = 8 * Lanes

var guardValue = math.Float32frombits(0x7fc0beef)

func (g *guards) floats(n int) []float32 {
	block := make([]float32, guard+n+guard)
	for i := range block {
		block[i] = guardValue
	}
	g.blocks = append(g.blocks, block)
	return block[guard : guard+n : guard+n]
}

func (g *guards) intact(t testing.TB, what string) {
	t.Helper()
	for _, b := range g.blocks {
		for i := range guard {
			for _, v := range []float32{b[i], b[len(b)-1-i]} {
				if math.Float32bits(v) != math.Float32bits(guardValue) {
					t.Fatalf("%s: wrote outside its operands", what)
				}
			}
		}
	}
}
