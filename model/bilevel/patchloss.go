package bilevel

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/blorc-denoise/blorc-denoise/model"
)

// comparePatches rotates the solutions back, computes the mean loss of their patches
//
//	Q = 1/2 mean (x_j* - P_j x_t)^2
//
// over the pixels of all patches, without aggregation (AblateLoss), and replaces the solutions by its gradients.
func (w *trainWindow) comparePatches(o *groupLoss) {
	patches, clean := newGeneral(model.GroupSize, o.layout.n), make([]float64, o.layout.n)
	pixels := float64(len(w.groups) * len(patches.Data))
	w.loss = 0
	for g, at := range w.groups {
		columns := w.columnsOf(o, g)
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, w.rotations[g], columns, 0, patches)
		for m, corner := range w.crop.group(at) {
			gatherPatch(clean, w.crop.clean.Pix, w.crop.clean.Width, int(corner))
			for i, v := range row(patches, m) {
				e := v - clean[i]
				w.loss += e * e / (2 * pixels)
				row(patches, m)[i] = e / pixels
			}
		}
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, w.rotations[g], patches, 0, columns)
	}
}
