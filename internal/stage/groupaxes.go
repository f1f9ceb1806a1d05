package stage

import (
	"cmp"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// GroupRotations returns, for groups of GroupSize patches of a pilot, given by their corners y*Width+x, the orthonormal
// matrices of GroupSize x GroupSize, row-major, that rotate them along their members. Row 0 makes the mean times
// sqrt(GroupSize). The others make the principal directions of what the pilot's patches differ by, in the order of their
// energy, as far as a few Jacobi rotations find them: what similar patches have in common besides the mean gathers in few
// columns, as in the singular values of such groups (Gu, Zhang, Zuo, Feng: Weighted nuclear norm minimization with
// application to image denoising, CVPR 2014). Noise that is white stays so.
func GroupRotations(pilot patchify.Plane, members []int32) [][]float64 {
	const n = nonLocalPatch * nonLocalPatch
	a := newGroupAxes()
	rows, panel := make([]float32, patchPanels*GroupSize*solve.Lanes), make([]float32, n*solve.Lanes)
	var out [][]float64
	for chunk := range slices.Chunk(members, chunkGroups*GroupSize) {
		groups := len(chunk) / GroupSize
		for i := range groups {
			gather(panel, rows, pilot, chunk[i*GroupSize:][:GroupSize])
			a.add(i, panel)
		}
		a.find(groups)
		for i := range groups {
			rotation := make([]float64, blockMatrix)
			for j, v := range a.gram(i) {
				rotation[j] = float64(v)
			}
			out = append(out, rotation)
		}
	}
	return out
}

// groupAxes finds the rotations of the groups of a chunk, by kernels in float32, and applies them.
type groupAxes struct {
	dct, dctT []float32 // of the members
	grams     []float32 // of each group; find leaves the rotations here, whose columns are what blocks are multiplied by
	problems  []float32 // grams of kernel.BlockLanes groups, as kernel.PrincipalAxes takes them
	axes      []float32
	pilots    []float32 // of each group: the rotation of what add has already rotated by the DCT
}

const blockMatrix = GroupSize * GroupSize

func newGroupAxes() *groupAxes {
	v := GroupBasis(GroupSize)
	return &groupAxes{dct: toFloat32(v.W), dctT: toFloat32(v.T().W), grams: make([]float32, chunkGroups*blockMatrix), pilots: make([]float32, chunkGroups*blockMatrix),
		problems: make([]float32, GroupSize*blockMatrix), axes: make([]float32, GroupSize*blockMatrix)}
}

// add takes the block of the i-th group's pilot, and rotates it by the DCT.
func (a *groupAxes) add(i int, pilot []float32) {
	const n = nonLocalPatch * nonLocalPatch
	kernel.RightMultiply(pilot, a.dctT, n, solve.Lanes)
	gram := a.gram(i)
	kernel.Gram(gram, pilot, n, solve.Lanes)
	trace := float32(0)
	for r := 1; r < GroupSize; r++ {
		trace += gram[r*(GroupSize+1)]
	}
	scale := 1 / trace
	if !(scale > 1e-30 && trace > 1e-30) { // nothing to find, or beyond numbers
		clear(gram)
		return
	}
	for j := range gram {
		gram[j] *= scale
	}
}

func (a *groupAxes) gram(i int) []float32 { return a.grams[i*blockMatrix : (i+1)*blockMatrix] }

// find makes the rotations of the first groups.
func (a *groupAxes) find(groups int) {
	const side = kernel.BlockSide
	for first := 0; first < groups; first += side {
		grams := a.grams[first*blockMatrix:]
		for j := 0; j < blockMatrix; j += side {
			kernel.Transpose(a.problems[j*side:], side, grams[j:], blockMatrix)
		}
		kernel.PrincipalAxes(a.axes, a.problems)
		rotations := a.pilots[first*blockMatrix:]
		for j := 0; j < blockMatrix; j += side {
			kernel.Transpose(rotations[j:], blockMatrix, a.axes[j*side:], side)
		}
		for l := range min(side, groups-first) {
			a.order(first+l, l)
		}
	}
}

// order sorts the axes of a group, which was lane l of the problems, by their energy, and makes both rotations.
func (a *groupAxes) order(i, l int) {
	type axis struct {
		energy float32
		row    int
	}
	var sorted [GroupSize - 1]axis
	for r := range sorted {
		sorted[r] = axis{a.problems[(r+1)*(GroupSize+1)*GroupSize+l], r + 1}
	}
	slices.SortStableFunc(sorted[:], func(x, y axis) int { return cmp.Compare(y.energy, x.energy) })
	found, rotation := a.pilots[i*blockMatrix:][:blockMatrix], a.gram(i)
	copy(rotation, found[:GroupSize])
	for r, axis := range sorted {
		copy(rotation[(r+1)*GroupSize:], found[axis.row*GroupSize:][:GroupSize])
	}
	kernel.Transpose(found, GroupSize, rotation, GroupSize)
	kernel.RightMultiply(rotation, a.dct, GroupSize, GroupSize)
}

// turn rotates the blocks of the i-th group's pilot, which add has begun with, and of its noisy patches.
func (a *groupAxes) turn(i int, pilot, noisy []float32) {
	const n = nonLocalPatch * nonLocalPatch
	kernel.RightMultiply(pilot, a.pilots[i*blockMatrix:][:blockMatrix], n, solve.Lanes)
	var forward [blockMatrix]float32
	kernel.Transpose(forward[:], GroupSize, a.gram(i), GroupSize)
	kernel.RightMultiply(noisy, forward[:], n, solve.Lanes)
}

// turnBack undoes turn.
func (a *groupAxes) turnBack(i int, solved []float32) {
	kernel.RightMultiply(solved, a.gram(i), nonLocalPatch*nonLocalPatch, solve.Lanes)
}
