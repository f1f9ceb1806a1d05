package kernel

import "fmt"

// BlockSide is the number of rows and of columns that Transpose takes.
const BlockSide = 16

// Transpose copies the transpose of a block of BlockSide x BlockSide values: dst[j*dstStride+i] = src[i*srcStride+j].
// Rows of src may overlap.
func Transpose(dst []float32, dstStride int, src []float32, srcStride int) {
	checkRows(dst, dstStride, BlockSide)
	if srcStride < 1 || len(src) < (BlockSide-1)*srcStride+BlockSide {
		panic(fmt.Sprintf("kernel: %d values for %d rows that start %d apart", len(src), BlockSide, srcStride))
	}
	selected.Load().transpose(dst, src, dstStride, srcStride)
}

// checkRows panics unless v holds side rows of side values.
func checkRows(v []float32, stride, side int) {
	if side < 1 || stride < side || len(v) < (side-1)*stride+side {
		panic(fmt.Sprintf("kernel: %d values for %d rows that start %d apart", len(v), side, stride))
	}
}

// PatchSide is the side of the patches of a group.
const PatchSide = 8

// Group says where the patches of a group are, in panels and in an image.
type Group struct {
	Places  *[PatchSide]int // row r of patch m is at index Places[r] + m*Lanes of the panels
	Corners []int32         // patch m starts at index Corners[m] of the image
	Stride  int             // values from row to row of the image
}

// Gather copies the patches from an image to panels.
func (g Group) Gather(panels, image []float32) {
	g.checkPanels(panels)
	g.checkImage(image)
	selected.Load().gather(panels, g.Places[:], image, g.Corners, g.Stride)
}

// Sum sets sum, of PatchSide x PatchSide values, to the sum of the patches of an image, added in order.
func (g Group) Sum(sum, image []float32) {
	checkLen(sum, PatchSide*PatchSide)
	g.checkImage(image)
	selected.Load().sumPatches(sum, image, g.Corners, g.Stride)
}

// Add adds the patches x, in panels, to two images:
//
//	num += w window x
//	den += w window
//
// Every product and every sum is rounded, so all backends give the same bits.
func (g Group) Add(num, den, x, window []float32, w float32) {
	g.checkPanels(x)
	g.checkImage(num)
	g.checkImage(den)
	checkLen(window, PatchSide*PatchSide)
	selected.Load().addPatches(num, den, x, g.Places[:], window, g.Corners, g.Stride, w)
}

// AddTo adds the patches x, in panels, to an image, one after the other.
func (g Group) AddTo(image, x []float32) {
	g.checkPanels(x)
	g.checkImage(image)
	selected.Load().addTo(image, x, g.Places[:], g.Corners, g.Stride)
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

func (g Group) checkImage(v []float32) {
	if len(g.Corners) == 0 || g.Stride < PatchSide {
		panic("kernel: a group without patches, or of patches without rows")
	}
	last := len(v) - (PatchSide-1)*g.Stride - PatchSide
	for _, c := range g.Corners {
		if c < 0 || int(c) > last {
			panic(fmt.Sprintf("kernel: a patch at %d of %d values", c, len(v)))
		}
	}
}
