package train

import (
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// groupCrop is a training crop with its groups of similar patches. All planes are in units of sigma.
type groupCrop struct {
	clean, noisy, pilot patchify.Plane
	columns, rows       int     // number of reference patches in x and y, trainStep samples apart
	members             []int32 // corners y*Width+x of the patches of each group, the reference patch first
	clusters            []int32 // for each group
}

// group returns the corners of the members of a group.
func (c *groupCrop) group(i int) []int32 { return c.members[i*stage.GroupSize : (i+1)*stage.GroupSize] }

// addPatch adds a patch with the weight of its group and those of its samples to num, and the weights to den.
func addPatch(num, den []float64, width, corner int, patch, kaiser []float64, weight float64) {
	for r := range PatchSize {
		n, d := num[corner+r*width:][:PatchSize], den[corner+r*width:][:PatchSize]
		for j := range n {
			v := weight * kaiser[r*PatchSize+j]
			n[j] += v * patch[r*PatchSize+j]
			d[j] += v
		}
	}
}

// countPatch adds 1 to the samples of a patch.
func countPatch(count []float64, width, corner int) {
	for r := range PatchSize {
		for j := range PatchSize {
			count[corner+r*width+j]++
		}
	}
}

// gatherPatch copies a patch out of an image.
func gatherPatch(patch []float64, pix []float32, width, corner int) {
	for r := range PatchSize {
		for j, v := range pix[corner+r*width:][:PatchSize] {
			patch[r*PatchSize+j] = float64(v)
		}
	}
}
