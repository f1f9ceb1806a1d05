package stage

import (
	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// nonLocalPatch is the patch side of non-local stages. It is fixed so that one instruction moves a row of a patch.
const nonLocalPatch = kernel.PatchSide

// block returns the block of group i of a chunk.
func block(panels [][]float32, i int) []float32 {
	return panels[i/panelGroups][i%panelGroups*GroupSize:]
}

// place returns the index of a sample of a group's first patch in memory that holds the patches as rows: patchPanels
// panels of GroupSize rows each, with solve.Lanes samples of a patch in each panel.
func place(sample int) int { return sample/solve.Lanes*(GroupSize*solve.Lanes) + sample%solve.Lanes }

const patchPanels = (nonLocalPatch*nonLocalPatch + solve.Lanes - 1) / solve.Lanes

// rowPlaces holds the places of the rows of the first patch.
var rowPlaces = func() (places [nonLocalPatch]int) {
	for r := range places {
		places[r] = place(r * nonLocalPatch)
	}
	return places
}()

// group describes a group for the kernels. stride is the width of the image in samples.
func group(members []int32, stride int) kernel.Group {
	return kernel.Group{Places: &rowPlaces, Corners: members, Stride: stride}
}

// gather writes the patches of a group to the lanes of its block. rows is scratch memory.
func gather(block, rows []float32, p patchify.Plane, members []int32) {
	group(members, p.Width).Gather(rows, p.Pix)
	for i := 0; i < nonLocalPatch*nonLocalPatch; i += kernel.BlockSide {
		kernel.Transpose(block[i*solve.Lanes:], solve.Lanes, rows[place(i):], solve.Lanes)
	}
}

// scatterRows writes the lanes of a block to rows, as patches.
func scatterRows(rows, block []float32) {
	for i := 0; i < nonLocalPatch*nonLocalPatch; i += kernel.BlockSide {
		kernel.Transpose(rows[place(i):], solve.Lanes, block[i*solve.Lanes:], solve.Lanes)
	}
}

// copyLane copies the first lane of a block to a lane of a panel.
func copyLane(panel []float32, lane int, block []float32) {
	for i := 0; i < len(panel); i += solve.Lanes {
		panel[i+lane] = block[i]
	}
}

// putLane copies a lane of a panel to the first lane of a block.
func putLane(block, panel []float32, lane int) {
	for i := 0; i < len(panel); i += solve.Lanes {
		block[i] = panel[i+lane]
	}
}

// center subtracts the mean of each lane of the pilot from both panels, so that brightness does not matter, and writes
// it to mean.
func center(mean, pilot, noisy []float32) {
	clear(mean)
	for at := 0; at < len(pilot); at += solve.Lanes {
		for l, v := range pilot[at : at+solve.Lanes] {
			mean[l] += v
		}
	}
	for l := range mean {
		mean[l] *= -float32(solve.Lanes) / float32(len(pilot))
	}
	addRows(pilot, mean)
	addRows(noisy, mean)
	for l := range mean {
		mean[l] = -mean[l]
	}
}

// addRows adds a row to all rows of a panel.
func addRows(panel, row []float32) {
	for at := 0; at < len(panel); at += solve.Lanes {
		for l, v := range row {
			panel[at+l] += v
		}
	}
}
