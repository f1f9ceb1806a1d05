package train

import (
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/blorc-denoise/blorc-denoise/internal/stage"
)

// trainWindow is a part of a crop in a minibatch.
type trainWindow struct {
	crop    *groupCrop
	groups  []int        // of the crop
	columns []float64    // groups x members x n: solutions of the rotated columns, later the gradients of Q by them
	free    [2][]float64 // of each group, in its first column and in the others: rows outside the zero sets
	image   []float64    // the aggregated crop
	loss    float64

	rotations []blas64.General // of each group, along its members
}

// rotate finds the rotations of the groups, as they are when the model denoises.
func (w *trainWindow) rotate() {
	const m = stage.GroupSize
	var members []int32
	for _, at := range w.groups {
		members = append(members, w.crop.group(at)...)
	}
	w.rotations = w.rotations[:0]
	for _, v := range stage.GroupRotations(w.crop.pilot, members) {
		w.rotations = append(w.rotations, blas64.General{Rows: m, Cols: m, Stride: m, Data: v})
	}
}

// fullCover is the number of patches from which on a pixel counts fully. Pixels with fewer are at the edge of the window,
// where patches of groups outside of it are missing.
const fullCover = 32

// aggregate rotates the solutions back, aggregates them, computes the loss and replaces them by its gradients.
func (w *trainWindow) aggregate(o *groupLoss) {
	width, size := w.crop.clean.Width, len(w.crop.clean.Pix)
	num, den, count := make([]float64, size), make([]float64, size), make([]float64, size)
	patches := newGeneral(stage.GroupSize, o.layout.n)
	for g, at := range w.groups {
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, w.rotations[g], w.columnsOf(o, g), 0, patches)
		members := w.crop.group(at)
		for m, corner := range members {
			addPatch(num, den, width, int(corner), row(patches, m), o.window, w.weight(g))
			countPatch(count, width, int(corner))
		}
	}
	w.image = slices.Grow(w.image[:0], size)[:size]
	total, sum := 0.0, 0.0
	for i, c := range count {
		if w.image[i] = 0; c == 0 {
			continue
		}
		share := min(c/fullCover, 1)
		w.image[i] = num[i] / den[i]
		e := w.image[i] - float64(w.crop.clean.Pix[i])
		total += share
		sum += share * e * e
		num[i] = share * e / den[i] // dQ / d numerator, but for the total
	}
	w.loss = sum / (2 * total)
	for i := range num {
		num[i] /= total
	}
	for g, at := range w.groups {
		members := w.crop.group(at)
		for m, corner := range members {
			w.gradientOfPatch(row(patches, m), num, o.window, w.weight(g), width, int(corner))
		}
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, w.rotations[g], patches, 0, w.columnsOf(o, g))
	}
}

func (w *trainWindow) columnsOf(o *groupLoss, g int) blas64.General {
	n := o.layout.n
	return blas64.General{Rows: stage.GroupSize, Cols: n, Stride: n, Data: w.columns[g*stage.GroupSize*n:]}
}

// weight of the patches of a group: one over the degrees of freedom of its solution, which is what is left of its noise.
func (w *trainWindow) weight(g int) float64 {
	return 1 / (w.free[0][g] + w.free[1][g] + stage.AggregationOffset)
}

func (w *trainWindow) gradientOfPatch(patch, gradient, window []float64, weight float64, width, corner int) {
	for r := range PatchSize {
		for c, v := range gradient[corner+r*width:][:PatchSize] {
			patch[r*PatchSize+c] = weight * window[r*PatchSize+c] * v
		}
	}
}
