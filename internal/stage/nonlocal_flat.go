package stage

import (
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Where a picture is smooth, the patches of a group differ in the pilot by hardly more than the noise that it still
// has. In such a flat group only the first column, the mean of the patches, is solved. The others would need most of
// the time: their solutions are the differences between the pilot's patches less that noise, as by the filter of
// Wiener.
const (
	// flatDifference is how much the patches of a flat group differ from their mean: the root mean square, in units of
	// the noise.
	flatDifference = 0.15
	// pilotNoise is how much of it is noise.
	pilotNoise = 0.07
)

// firstColumn times the sum of the patches of a group is its first column.
const firstColumn = 0.25 // 1 / sqrt(GroupSize)

// gatherPilots sorts the groups of a chunk and gathers their patches from the pilot. Flat groups get their solution but
// for the first column, in blocks that fromDCT turns into patches.
func (s *nonLocalScratch) gatherPilots(p patchify.Plane, groups []int32) {
	const samples = (GroupSize - 1) * nonLocalPatch * nonLocalPatch
	s.rich, s.flat = 0, chunkGroups
	for j, g := range groups {
		pilot := block(s.pilot[:], s.rich)
		gather(pilot, s.rows, p, s.of(g))
		square := s.axes.add(s.rich, pilot) / samples
		if square > flatDifference*flatDifference {
			s.groupOf[s.rich], s.blockOf[j] = g, s.rich
			s.rich++
			continue
		}
		s.flat--
		s.groupOf[s.flat], s.blockOf[j] = g, s.flat
		share := float32(0)
		if square > pilotNoise*pilotNoise {
			share = 1 - pilotNoise*pilotNoise/square
		}
		scaleColumns(block(s.pilot[:], s.flat), pilot, share)
	}
}

// scaleColumns writes the first column of a block, and a multiple of the others, to another block.
func scaleColumns(dst, src []float32, share float32) {
	for at := 0; at < nonLocalPatch*nonLocalPatch*solve.Lanes; at += solve.Lanes {
		first, row := src[at], dst[at:][:GroupSize]
		for c, v := range src[at:][:GroupSize] {
			row[c] = share * v
		}
		row[0] = first
	}
}
