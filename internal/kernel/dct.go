package kernel

import "fmt"

// patchLen is the number of samples of a patch, and of its coefficients.
const patchLen = PatchSide * PatchSide

// DCT sets dst to the two-dimensional orthonormal cosine transform (type II) of the patches of a panel: row
// PatchSide*f+g has the coefficients of vertical frequency f and horizontal frequency g. The panels may be the same. A
// coefficient is within 16 roundings of the exact one, relative to the sum of the magnitudes that it adds.
func DCT(dst, src []float32) {
	checkLen(dst, patchLen*Lanes)
	checkLen(src, patchLen*Lanes)
	selected.Load().dct(dst, src)
}

// InverseDCT is the inverse of DCT, as accurate.
func InverseDCT(dst, src []float32) {
	checkLen(dst, patchLen*Lanes)
	checkLen(src, patchLen*Lanes)
	selected.Load().inverseDCT(dst, src)
}

// PatchStep is the distance in samples of the patches that ExtractPatches copies, and PatchRun divides their number.
const (
	PatchStep = 4
	PatchRun  = 8
)

// ExtractPatches copies n neighbouring patches of a row, PatchStep samples apart, to a panel. Src starts at the corner
// of the first and has rows of stride values. Dst starts at its lane: sample i of patch m is at index i*Lanes+m.
func ExtractPatches(dst, src []float32, n, stride int) {
	if n < 1 || n%PatchRun != 0 || n > Lanes || stride < PatchSide {
		panic(fmt.Sprintf("kernel: %d patches of an image of width %d", n, stride))
	}
	if len(dst) < (patchLen-1)*Lanes+n || len(src) < (PatchSide-1)*stride+(n-1)*PatchStep+PatchSide {
		panic(fmt.Sprintf("kernel: %d patches from %d values with rows of %d to %d values", n, len(src), stride,
			len(dst)))
	}
	selected.Load().extractPatches(dst, src, n, stride)
}
