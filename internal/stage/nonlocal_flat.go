package stage

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Where a picture is smooth, the patches of a group are nearly equal in the pilot: they differ by little more than the
// noise that the pilot still has. Such a group is flat. Only its first column, the mean of the patches, is solved. The
// other columns would take most of the time. They are copied from the pilot, and a Wiener filter removes the noise.
const (
	// flatDifference is the largest difference between the patches of a flat group and their mean: the root mean
	// square, in units of the noise of the picture.
	flatDifference = 0.15
	// pilotNoise is the part of such differences that is noise, in the same units.
	pilotNoise = 0.07
)

// firstColumn times the sum of the patches of a group is its first column.
var firstColumn = float32(1 / math.Sqrt(GroupSize))

// gatherPilots gathers the patches of the groups of a chunk from the pilot, and tells flat groups from the others. The
// blocks of flat groups get all columns of the solution but the first; fromDCT turns them into patches.
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
