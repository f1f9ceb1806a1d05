package train

import (
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/blorc-denoise/blorc-denoise/internal/stage"
)

// region is a rectangle of neighbouring groups of a crop: one part of a minibatch.
type region struct {
	crop    *groupCrop
	groups  []int        // numbers in the crop
	columns []float64    // groups x members x n: solutions of the rotated columns, later the gradients of Q by them
	free    [2][]float64 // for each group, the rows outside the zero sets: of its first column, and of the others
	image   []float64    // the aggregated crop
	loss    float64

	rotations []blas64.General // for each group, along its members
}

// rotate computes the rotations of the groups as denoising does.
func (r *region) rotate() {
	const m = stage.GroupSize
	var members []int32
	for _, at := range r.groups {
		members = append(members, r.crop.group(at)...)
	}
	r.rotations = r.rotations[:0]
	for _, v := range stage.GroupRotations(r.crop.pilot, members) {
		r.rotations = append(r.rotations, blas64.General{Rows: m, Cols: m, Stride: m, Data: v})
	}
}

// fullCover is the number of patches from which on a pixel has full weight in the loss. Pixels at the edge of a region
// have fewer patches, since groups outside of the region are missing.
const fullCover = 32

// aggregate rotates the solutions back and averages them to an image. It computes the loss of the image and replaces
// the solutions by the gradients by them.
func (r *region) aggregate(o *groupLoss) {
	width, size := r.crop.clean.Width, len(r.crop.clean.Pix)
	num, den, count := make([]float64, size), make([]float64, size), make([]float64, size)
	patches := newGeneral(stage.GroupSize, o.layout.n)
	for g, at := range r.groups {
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, r.rotations[g], r.columnsOf(o, g), 0, patches)
		for m, corner := range r.crop.group(at) {
			addPatch(num, den, width, int(corner), row(patches, m), o.kaiser, r.weight(g))
			countPatch(count, width, int(corner))
		}
	}
	r.setImage(num, den, count)
	for g, at := range r.groups {
		for m, corner := range r.crop.group(at) {
			r.patchGradient(row(patches, m), num, o.kaiser, r.weight(g), width, int(corner))
		}
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, r.rotations[g], patches, 0, r.columnsOf(o, g))
	}
}

// setImage computes the image, num / den, and its loss. It replaces num by the gradients of the loss by it. count is
// the number of patches over each pixel.
func (r *region) setImage(num, den, count []float64) {
	r.image = slices.Grow(r.image[:0], len(num))[:len(num)]
	total, sum := 0.0, 0.0
	for i, c := range count {
		if r.image[i] = 0; c == 0 {
			continue
		}
		share := min(c/fullCover, 1)
		r.image[i] = num[i] / den[i]
		e := r.image[i] - float64(r.crop.clean.Pix[i])
		total += share
		sum += share * e * e
		num[i] = share * e / den[i]
	}
	r.loss = sum / (2 * total)
	for i := range num {
		num[i] /= total
	}
}

// columnsOf returns the columns of group g of the region.
func (r *region) columnsOf(o *groupLoss, g int) blas64.General {
	n := o.layout.n
	return blas64.General{Rows: stage.GroupSize, Cols: n, Stride: n, Data: r.columns[g*stage.GroupSize*n:]}
}

// weight returns the weight of the patches of group g: one over the degrees of freedom of its solution, which measure
// the remaining noise.
func (r *region) weight(g int) float64 {
	return 1 / (r.free[0][g] + r.free[1][g] + stage.AggregationOffset)
}

// patchGradient writes the gradient by a patch, given that by the numerator of the image.
func (r *region) patchGradient(patch, gradient, kaiser []float64, weight float64, width, corner int) {
	for y := range PatchSize {
		for x, v := range gradient[corner+y*width:][:PatchSize] {
			patch[y*PatchSize+x] = weight * kaiser[y*PatchSize+x] * v
		}
	}
}
