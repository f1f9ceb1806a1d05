package kernel

import "fmt"

// Fetch asks the processor to bring the first n values of each of some rows, which are stride values apart, nearer. It
// returns at once. Rows of Lanes values or fewer are too short for the processor to notice in time that they will be
// needed. The values themselves do not change.
func Fetch(v []float32, rows, n, stride int) {
	if rows < 1 || n < 1 || n > Lanes || stride < 0 || len(v) < (rows-1)*stride+n {
		panic(fmt.Sprintf("kernel: %d values for %d of %d rows of distance %d", len(v), n, rows, stride))
	}
	selected.Load().fetch(v, rows, n, stride)
}

// fetch does nothing, as Go cannot tell the processor.
func fetch([]float32, int, int, int) {}
