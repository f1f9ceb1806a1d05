package train

import (
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// groupCrop is a training crop with its groups of similar patches. All planes are in units of sigma.
type groupCrop struct {
	clean, noisy, pilot patchify.Plane
	columns, rows       int     // reference patches in x and y, every trainStep samples
	members             []int32 // corners y*Width+x, as many for each reference patch, the reference first
	clusters            []int32 // of each group
}

// group returns the members of a group.
func (c *groupCrop) group(i int) []int32 { return c.members[i*stage.GroupSize : (i+1)*stage.GroupSize] }

// addPatch adds a weighted patch to sums, and the weights to others.
func addPatch(num, den []float64, width, corner int, patch, window []float64, weight float64) {
	for r := range PatchSize {
		n, d := num[corner+r*width:][:PatchSize], den[corner+r*width:][:PatchSize]
		for j := range n {
			v := weight * window[r*PatchSize+j]
			n[j] += v * patch[r*PatchSize+j]
			d[j] += v
		}
	}
}

func countPatch(count []float64, width, corner int) {
	for r := range PatchSize {
		for j := range PatchSize {
			count[corner+r*width+j]++
		}
	}
}

// gatherPatch copies a patch of float32 samples.
func gatherPatch(patch []float64, pix []float32, width, corner int) {
	for r := range PatchSize {
		for j, v := range pix[corner+r*width:][:PatchSize] {
			patch[r*PatchSize+j] = float64(v)
		}
	}
}
