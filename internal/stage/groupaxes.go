package stage

import (
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// GroupRotations returns one orthonormal matrix for each group of GroupSize patches of a pilot: GroupSize x GroupSize,
// row-major. Multiplying the patches of a group, as rows, by it from the left gives the columns of the group. members
// holds the corners y*Width+x of the patches of all groups.
//
// Row 0 gives the mean times sqrt(GroupSize). The other rows give the principal directions of the differences between
// the pilot's patches, sorted by falling energy, up to the accuracy of a few Jacobi rotations. Structure that similar
// patches share besides the mean is concentrated in few columns, as in the singular values of such groups (Gu, Zhang,
// Zuo, Feng: Weighted nuclear norm minimization with application to image denoising, CVPR 2014). White noise stays
// white.
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

// groupAxes finds the rotations of the groups of a chunk in float32 and applies them. Blocks hold patches or columns as
// lanes, so they are multiplied by transposed rotations from the right.
type groupAxes struct {
	dct, dctT []float32 // DCT along the members of a group
	grams     []float32 // for each group the Gram matrix of its columns; find replaces it by the rotation
	problems  []float32 // Gram matrices of kernel.BlockLanes groups, interleaved for kernel.PrincipalAxes
	axes      []float32
	forward   [blockMatrix]float32
	pilots    []float32 // for each group the transposed rotation of its pilot after the DCT of add
}

const blockMatrix = GroupSize * GroupSize

func newGroupAxes() *groupAxes {
	v := solve.DCT1D(GroupSize)
	return &groupAxes{dct: toFloat32(v.W), dctT: toFloat32(v.T().W), grams: make([]float32, chunkGroups*blockMatrix),
		pilots:   make([]float32, chunkGroups*blockMatrix),
		problems: make([]float32, GroupSize*blockMatrix), axes: make([]float32, GroupSize*blockMatrix)}
}

// add rotates the block of the pilot of group i by the DCT and computes its Gram matrix, scaled to trace 1. It returns
// the sum of the squares of all columns but the first.
func (a *groupAxes) add(i int, pilot []float32) (squares float32) {
	const n = nonLocalPatch * nonLocalPatch
	kernel.RightMultiply(pilot, a.dctT, n, solve.Lanes)
	gram := a.gram(i)
	kernel.Gram(gram, pilot, n, solve.Lanes)
	trace := float32(0)
	for r := 1; r < GroupSize; r++ {
		trace += gram[r*(GroupSize+1)]
	}
	scale := 1 / trace
	if !(scale > 1e-30 && trace > 1e-30) { // all patches are equal, or the numbers are too large
		clear(gram)
		return trace
	}
	for j := range gram {
		gram[j] *= scale
	}
	return trace
}

func (a *groupAxes) gram(i int) []float32 { return a.grams[i*blockMatrix : (i+1)*blockMatrix] }

// find computes the rotations of the groups 0..groups-1.
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

// order sorts the axes of group i, lane l of the problems, by falling energy and sets both rotations of the group.
func (a *groupAxes) order(i, l int) {
	type axis struct {
		energy float32
		row    int
	}
	var sorted [GroupSize - 1]axis
	for r := range sorted {
		sorted[r] = axis{a.problems[(r+1)*(GroupSize+1)*GroupSize+l], r + 1}
	}
	for i := 1; i < len(sorted); i++ { // faster than a function of package slices
		next, j := sorted[i], i
		for ; j > 0 && sorted[j-1].energy < next.energy; j-- {
			sorted[j] = sorted[j-1]
		}
		sorted[j] = next
	}
	found, rotation := a.pilots[i*blockMatrix:][:blockMatrix], a.gram(i)
	copy(rotation, found[:GroupSize])
	for r, axis := range sorted {
		copy(rotation[(r+1)*GroupSize:], found[axis.row*GroupSize:][:GroupSize])
	}
	kernel.Transpose(found, GroupSize, rotation, GroupSize)
	kernel.RightMultiply(rotation, a.dct, GroupSize, GroupSize)
}

// rotate rotates the blocks of group i: that of the pilot, which add has already rotated by the DCT, and that of the
// noisy patches.
func (a *groupAxes) rotate(i int, pilot, noisy []float32) {
	const n = nonLocalPatch * nonLocalPatch
	kernel.RightMultiply(pilot, a.pilots[i*blockMatrix:][:blockMatrix], n, solve.Lanes)
	kernel.Transpose(a.forward[:], GroupSize, a.gram(i), GroupSize)
	kernel.RightMultiply(noisy, a.forward[:], n, solve.Lanes)
}

// fromDCT undoes the rotation by the DCT.
func (a *groupAxes) fromDCT(block []float32) {
	kernel.RightMultiply(block, a.dct, nonLocalPatch*nonLocalPatch, solve.Lanes)
}

// rotateBack undoes rotate for a block of solutions.
func (a *groupAxes) rotateBack(i int, solved []float32) {
	kernel.RightMultiply(solved, a.gram(i), nonLocalPatch*nonLocalPatch, solve.Lanes)
}
