// Package blocks transforms overlapping blocks of 8 x 8 samples, a row of them at a time. What neighbours share is
// computed once: the transforms of columns.
package blocks

import "github.com/blorc-denoise/blorc-denoise/internal/kernel"

// Side is the side of a block in samples.
const Side = kernel.PatchSide

// Row holds the samples of a row of blocks, and what is known of these. Its columns are ordered by what their number
// leaves when it is divided by the step from block to block. Then the values that the blocks have at one place lie side
// by side.
type Row struct {
	step, n int // from block to block, and number of blocks
	phases  int // remainders with columns that are in a block
	length  int // columns of a phase
	places  [Side]int
	columns []float64 // Side rows of samples, and then of the coefficients of columns
	sums    []float64
}

// NewRow returns memory for n blocks. The first begins at column 0.
func NewRow(n, step int) *Row {
	r := &Row{step: step, n: n, phases: min(step, Side)}
	r.length = roundUp(n) + (Side-1)/step
	for i := range r.places {
		r.places[i] = i%step*r.length + i/step
	}
	r.columns = make([]float64, Side*roundUp(r.phases*r.length))
	r.sums = make([]float64, 4*roundUp(n))
	return r
}

func roundUp(n int) int { return (n + kernel.BlockRun - 1) / kernel.BlockRun * kernel.BlockRun }

// Set sets a row of samples, less a number.
func (r *Row) Set(y int, samples []float32, less float64) {
	row := r.columns[len(r.columns)/Side*y:]
	for p := range r.phases {
		phase := row[p*r.length:][:r.n+(Side-1-p)/r.step]
		for i := range phase {
			phase[i] = float64(samples[i*r.step+p]) - less
		}
	}
}

// Sums has a value for each block: the coefficient of frequency 0, and the sums of the squares of coefficients whose
// vertical and horizontal frequencies add up to 3 to 7, 8 to 10 and 11 to 14.
type Sums struct{ First, Coarse, Fine, Finest []float64 }

// Energies takes the samples that were set, and returns sums. They hold until the next call.
func (r *Row) Energies() Sums {
	n := r.transform()
	kernel.BlockEnergies(r.sums, r.columns, &r.places, n, len(r.columns)/Side)
	return Sums{r.sums[:r.n], r.sums[n:][:r.n], r.sums[2*n:][:r.n], r.sums[3*n:][:r.n]}
}

// Halves is Energies for two sums: those of frequencies that add up to 1 to 7, and to 8 to 14.
func (r *Row) Halves() (lower, upper []float64) {
	n := r.transform()
	kernel.PatchEnergies(r.sums, r.columns, &r.places, n, len(r.columns)/Side)
	return r.sums[n:][:r.n], r.sums[2*n:][:r.n]
}

// transform transforms the columns. It returns the number of blocks with those that fill the last run.
func (r *Row) transform() int {
	kernel.TransformLines(r.columns, r.columns, len(r.columns)/Side)
	return roundUp(r.n)
}
