package kernel

import "fmt"

// BlockSide is the side of what Transpose turns over.
const BlockSide = 16

// Transpose copies a block of BlockSide x BlockSide with rows and columns exchanged, between memory with rows
// that start the strides apart: dst[j*dstStride+i] = src[i*srcStride+j].
func Transpose(dst []float32, dstStride int, src []float32, srcStride int) {
	checkRows(dst, dstStride, BlockSide)
	checkRows(src, srcStride, BlockSide)
	selected.Load().transpose(dst, src, dstStride, srcStride)
}

// AddPatch adds a patch of side x side pixels to two images whose rows start stride apart, at their first pixel:
//
//	num[i*stride+j] += w window[i*side+j] x[i*side+j]
//	den[i*stride+j] += w window[i*side+j]
//
// Every product and every sum is rounded, so all kernels give the same bits.
func AddPatch(num, den []float32, stride int, x, window []float32, side int, w float32) {
	checkRows(num, stride, side)
	checkRows(den, stride, side)
	checkLen(x, side*side)
	checkLen(window, side*side)
	selected.Load().addPatch(num, den, x, window, stride, side, w)
}

// checkRows guards memory that holds rows of side values.
func checkRows(v []float32, stride, side int) {
	if side < 1 || stride < side || len(v) < (side-1)*stride+side {
		panic(fmt.Sprintf("kernel: %d values for %d rows that start %d apart", len(v), side, stride))
	}
}
