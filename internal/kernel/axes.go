package kernel

import "fmt"

// Gram sets gram[r*BlockLanes+c] to the sum of the products of lanes r and c over the rows of a block of BlockLanes lanes,
// whose rows start stride apart.
func Gram(gram, block []float32, rows, stride int) {
	checkLen(gram, BlockLanes*BlockLanes)
	checkBlock(block, rows, stride)
	selected.Load().gram(gram, block, rows, stride)
}

// RightMultiply multiplies each row of a block of BlockLanes lanes by a matrix m of BlockLanes x BlockLanes, row-major, from the right:
// what was lane c of a row becomes m[c][l] of lane l. Rows start stride apart; their number must be a multiple of 8.
func RightMultiply(block, m []float32, rows, stride int) {
	checkLen(m, BlockLanes*BlockLanes)
	checkBlock(block, rows, stride)
	if rows%rightMultiplyRows != 0 {
		panic(fmt.Sprintf("kernel: %d rows of a block to multiply", rows))
	}
	selected.Load().rightMultiply(block, m, rows, stride)
}

// rightMultiplyRows is how many rows RightMultiply takes at a time.
const rightMultiplyRows = 8

func checkBlock(block []float32, rows, stride int) {
	if rows < 1 || stride < BlockLanes || len(block) < (rows-1)*stride+BlockLanes {
		panic(fmt.Sprintf("kernel: %d values for a block of %d rows that start %d apart", len(block), rows, stride))
	}
}

// axesLen is the length of a matrix of BlockLanes x BlockLanes for as many problems as lanes.
const axesLen = BlockLanes * BlockLanes * BlockLanes

// axesSweeps is enough for what is left off the diagonal to be below 2e-5 of the trace.
const axesSweeps = 3

// PrincipalAxes finds the eigenvectors of BlockLanes symmetric matrices at once, by cyclic Jacobi rotations. Element r, c
// of that of lane l is at (r*BlockLanes+c)*BlockLanes+l. Row and column 0 are left as they are; only elements with
// c >= r are used. The rows of axes become the eigenvectors, with row and column 0 those of the identity, and the
// diagonal of gram the eigenvalues, in no order.
//
// Each lane's axes are orthonormal within 1e-5, unless its values are NaN, or exceed 1e18.
func PrincipalAxes(axes, gram []float32) {
	checkLen(axes, axesLen)
	checkLen(gram, axesLen)
	clear(axes)
	for i := range BlockLanes {
		one := axes[i*(BlockLanes+1)*BlockLanes:][:BlockLanes]
		for l := range one {
			one[l] = 1
		}
	}
	selected.Load().jacobi(axes, gram, axesSweeps)
}
