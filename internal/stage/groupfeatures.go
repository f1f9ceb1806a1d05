package stage

import (
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// GroupFeatures returns the classifier's features of groups of GroupSize patches of a pilot: those of the mean patch of
// each group. members holds the corners y*Width+x of the patches of all groups.
func GroupFeatures(pilot patchify.Plane, members []int32) [][]float32 {
	const n = nonLocalPatch * nonLocalPatch
	c := NewClassifier(nonLocalPatch, nil)
	patches, panel := make([]float32, n*solve.Lanes), make([]float32, (n-1)*solve.Lanes)
	count, sum := len(members)/GroupSize, new(patchSum)
	out := make([][]float32, count)
	for at := 0; at < count; at += solve.Lanes {
		end := min(at+solve.Lanes, count)
		for i := at; i < end; i++ {
			sum.write(patches, i-at, pilot, members[i*GroupSize:(i+1)*GroupSize], meanScale)
		}
		c.Features(panel, patches)
		for i := at; i < end; i++ {
			out[i] = make([]float32, n-1)
			for j := range out[i] {
				out[i][j] = panel[j*solve.Lanes+i-at]
			}
		}
	}
	return out
}
