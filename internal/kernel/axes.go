package kernel

import "fmt"

// Gram sets gram[r*BlockLanes+c] to the inner product of lanes r and c of a block. A block has BlockLanes lanes; its
// rows start stride values apart.
func Gram(gram, block []float32, rows, stride int) {
	checkLen(gram, BlockLanes*BlockLanes)
	checkBlock(block, rows, stride)
	selected.Load().gram(gram, block, rows, stride)
}

// RightMultiply replaces each row of a block by the row times m, a row-major matrix of BlockLanes x BlockLanes: lane l
// becomes the sum over c of lane c times m[c][l]. Rows start stride values apart. Their number must be a multiple of 8.
func RightMultiply(block, m []float32, rows, stride int) {
	checkLen(m, BlockLanes*BlockLanes)
	checkBlock(block, rows, stride)
	if rows%rightMultiplyRows != 0 {
		panic(fmt.Sprintf("kernel: %d rows of a block to multiply", rows))
	}
	selected.Load().rightMultiply(block, m, rows, stride)
}

// rightMultiplyRows is the number of rows that the assembly takes at a time.
const rightMultiplyRows = 8

func checkBlock(block []float32, rows, stride int) {
	if rows < 1 || stride < BlockLanes || len(block) < (rows-1)*stride+BlockLanes {
		panic(fmt.Sprintf("kernel: %d values for a block of %d rows that start %d apart", len(block), rows, stride))
	}
}

// axesLen is the length of BlockLanes matrices of BlockLanes x BlockLanes.
const axesLen = BlockLanes * BlockLanes * BlockLanes

// axesSweeps is enough to bring all elements off the diagonal below 2e-5 of the trace.
const axesSweeps = 3

// PrincipalAxes finds the eigenvectors of BlockLanes symmetric matrices at once, by cyclic Jacobi rotations. Element
// (r, c) of matrix l is at index (r*BlockLanes+c)*BlockLanes+l of gram; only elements with c >= r are used. Row and
// column 0 are left out: they stay in gram, and in axes they are those of the identity. The other rows of axes become
// the eigenvectors, and the diagonal of gram becomes the eigenvalues, in no particular order.
//
// The axes of a matrix are orthonormal within 1e-5, unless its values are NaN or exceed 1e18.
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
