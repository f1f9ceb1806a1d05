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

// checkRows guards memory that holds rows of side values.
func checkRows(v []float32, stride, side int) {
	if side < 1 || stride < side || len(v) < (side-1)*stride+side {
		panic(fmt.Sprintf("kernel: %d values for %d rows that start %d apart", len(v), side, stride))
	}
}

// PatchSide is the side of the patches of a group.
const PatchSide = 8

// Group is the patches of a group in panels: row r of patch m at Places[r] + m*Lanes, and in images: patch m at
// Corners[m], with rows Stride apart.
type Group struct {
	Places  *[PatchSide]int
	Corners []int32
	Stride  int
}

// Gather copies the patches from an image to panels.
func (g Group) Gather(panels, image []float32) {
	g.checkPanels(panels)
	g.checkImage(image, 0)
	selected.Load().gather(panels, g.Places[:], image, g.Corners, g.Stride)
}

// Sum adds up the patches of an image, in order, to one of PatchSide x PatchSide.
func (g Group) Sum(sum, image []float32) {
	checkLen(sum, PatchSide*PatchSide)
	g.checkImage(image, 0)
	selected.Load().sumPatches(sum, image, g.Corners, g.Stride)
}

// Add adds the patches x, in panels, to two images, which start shift samples after the one that the corners are for:
//
//	num += w window x
//	den += w window
//
// Every product and every sum is rounded, so all kernels give the same bits.
func (g Group) Add(num, den []float32, shift int, x, window []float32, w float32) {
	g.checkPanels(x)
	g.checkImage(num, shift)
	g.checkImage(den, shift)
	checkLen(window, PatchSide*PatchSide)
	selected.Load().addPatches(num, den, x, g.Places[:], window, g.Corners, g.Stride, shift, w)
}

func (g Group) checkPanels(v []float32) {
	if len(g.Corners) == 0 {
		panic("kernel: a group without patches")
	}
	for _, p := range g.Places {
		if p < 0 || p+(len(g.Corners)-1)*Lanes+PatchSide > len(v) {
			panic(fmt.Sprintf("kernel: rows at %d of %d values", p, len(v)))
		}
	}
}

func (g Group) checkImage(v []float32, shift int) {
	if len(g.Corners) == 0 || g.Stride < PatchSide {
		panic("kernel: a group without patches, or of patches without rows")
	}
	last := len(v) - (PatchSide-1)*g.Stride - PatchSide + shift
	for _, c := range g.Corners {
		if int(c) < shift || int(c) > last {
			panic(fmt.Sprintf("kernel: a patch at %d of %d values", int(c)-shift, len(v)))
		}
	}
}
